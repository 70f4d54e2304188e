// Plans every SQL statement that a test run's processes have sent, on a database with a large history, and reports
// those that read more than they return.
import { Client, DatabaseError, Pool } from "pg";
import { openMockBank } from "#settlement/off-ramp/mock.ts";
import { startStack } from "#test/support/stack.ts";
import type { Counts } from "./counts.ts";
import { print } from "./print.ts";
import { hasOwnPace, isBounded, isKnown, isOfStandIn } from "./statements/exceptions.ts";
import { inSchema, plannedStatements, withConstants } from "./statements/explainable-statements.ts";
import { fillHistory } from "./statements/fill-history.ts";
import { createScanFinder, type Finding } from "./statements/find-scans.ts";
import { comparedWords, normalizeText, type RecordedStatement, readRecorded } from "./statements/recorded.ts";

/** Number of rows per table. */
const ROWS = 2_000;

/** Applications of which at least one statement must have been recorded; otherwise the recording has failed. */
const ALWAYS_RECORDED = ["api", "settlement", "settlement-jobs"];

/** @returns each distinct statement as a check, which has failed if the statement has a finding */
export async function checkStatements(folder: string): Promise<Counts> {
  const recorded = readRecorded(folder);
  for (const application of ALWAYS_RECORDED) {
    if (!recorded.some((statement) => statement.application === application))
      throw new Error(`No statement of ${application} was recorded.`);
  }
  // The indexer creates its own tables; no other role has to run.
  const stack = await startStack({ roles: ["indexer"] });
  try {
    await stack.kill("indexer");
    await makeMockBank(stack.databaseUrl);
    const client = new Client({ connectionString: stack.databaseUrl, application_name: "test" });
    await client.connect();
    try {
      return await checkOn(client, recorded);
    } finally {
      await client.end();
    }
  } finally {
    await stack.stop();
  }
}

/** Creates the tables of a local gateway's mock bank. */
async function makeMockBank(connectionString: string): Promise<void> {
  const pool = new Pool({ connectionString, max: 1 });
  await openMockBank({ pool, minMs: 0, maxMs: 0, rules: false });
  await pool.end();
}

async function checkOn(client: Client, recorded: readonly RecordedStatement[]): Promise<Counts> {
  const { rows } = await client.query<{ schema: string }>(
    String.raw`select nspname as schema from pg_namespace where nspname like 'chain\_%'`,
  );
  const indexed = rows[0]?.schema;
  if (indexed === undefined) throw new Error("The indexer has not created a schema.");
  await fillHistory(client, {
    schemas: ["gateway", "pgboss", "mock_bank", "ponder_sync", indexed],
    leaveOut: isBounded,
    rows: ROWS,
    words: (table) => comparedWords(recorded, table),
  });
  await client.query(`set search_path = "${indexed}"`);
  const findScans = await createScanFinder(client);

  const shapes = new Set<string>();
  const failures: string[] = [];
  for (const statement of distinct(recorded, indexed)) {
    shapes.add(normalizeText(statement.text));
    const problems = await findProblems(statement.text, findScans);
    if (problems.length > 0) failures.push(report(statement, problems));
  }
  print(`${shapes.size} statements were planned; ${failures.length} read more than they return.\n`);
  return { passed: Math.max(0, shapes.size - failures.length), failed: failures.length, failures };
}

/** Returns the statements to plan: each once per application, and once per set of constants that changes the plan. */
function distinct(recorded: readonly RecordedStatement[], schema: string): RecordedStatement[] {
  const found = new Map<string, RecordedStatement>();
  for (const statement of recorded) {
    const { application, script, constants } = statement;
    if (hasOwnPace(application) || (application === "" && script.startsWith("test/"))) continue;
    for (const part of plannedStatements(statement.text)) {
      if (isOfStandIn(part)) continue;
      const text = inSchema(withConstants(part, constants), schema);
      const shape = `${inSchema(application, "chain")}\n${normalizeText(text)}`;
      if (!found.has(shape)) found.set(shape, { ...statement, text });
    }
  }
  return [...found.values()];
}

async function findProblems(
  statement: string,
  findScans: (statement: string) => Promise<Finding[]>,
): Promise<string[]> {
  try {
    const findings = await findScans(statement);
    return findings
      .filter(({ table }) => !isBounded(table) && !isKnown(table, statement))
      .map(({ table, problem }) => `${table}: ${problem}`);
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    return [`Planning failed: ${error.message}`];
  }
}

const LONGEST_TEXT = 1_500;

function report({ application, script, text }: RecordedStatement, problems: readonly string[]): string {
  const shown = text.replace(/\s+/g, " ").trim().slice(0, LONGEST_TEXT);
  return [
    `${application || "(no name)"}, ${script}`,
    ...problems.map((problem) => `  ${problem}`),
    `  ${shown}`,
  ].join("\n");
}
