// Preloaded into every process of the integration tests: records each distinct SQL statement that it sends to Postgres.
//
// The server cannot record them: pg_stat_statements replaces constants with parameters, although a partial index is
// only used for a query with its condition as constants, and auto_explain logs each execution, millions per run.
import { appendFileSync } from "node:fs";
import { join, relative } from "node:path";
import pg from "pg";
import { root } from "../../shared/paths.ts";
import { normalizeText, RECORD_FOLDER, type RecordedStatement } from "./recorded.ts";

/** Maximum number of recorded statements that differ only in their constants. */
const VARIANTS = 4;

const folder = process.env[RECORD_FOLDER];
const script = relative(root, process.argv[1] ?? "");
// Only tests load this module, because loading drizzle takes longer than some commands.
const own =
  folder !== undefined && script.startsWith("test") ? await import("./own-statements.ts") : undefined;
own?.noteWriters();
if (folder !== undefined) record(join(folder, `${process.pid}.jsonl`));

function record(file: string): void {
  const seen = new Set<string>();
  const variants = new Map<string, number>();
  const send = pg.Client.prototype.query;
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const text = readText(args[0]);
    if (text !== undefined && !own?.isTestsOwn() && !seen.has(text)) {
      // Statements with inlined values would otherwise fill the memory of a long-running process.
      if (seen.size > 20_000) seen.clear();
      seen.add(text);
      const { application, keptPlans } = describeConnection(this);
      const shape = `${application}\n${normalizeText(text)}`;
      const variant = (variants.get(shape) ?? 0) + 1;
      variants.set(shape, variant);
      const constants = keptPlans ? {} : readConstants(args[0], args[1]);
      const statement: RecordedStatement = { application, script, text, constants };
      if (variant <= VARIANTS) appendFileSync(file, `${JSON.stringify(statement)}\n`);
    }
    return Reflect.apply(send, this, args);
  } as typeof send;
}

/** `query` takes a text, a configuration with a text, or an object that submits itself and has a text (COPY). */
function readText(query: unknown): string | undefined {
  if (typeof query === "string") return query;
  const text = (query as { text?: unknown } | null)?.text;
  return typeof text === "string" ? text : undefined;
}

/** Returns the values that programs write and users do not enter (flags, states, names), by parameter number. */
function readConstants(query: unknown, second: unknown): RecordedStatement["constants"] {
  const values = Array.isArray(second) ? second : (query as { values?: unknown } | null)?.values;
  if (!Array.isArray(values)) return {};
  return Object.fromEntries(
    values.flatMap((value: unknown, index) =>
      typeof value === "boolean" || (typeof value === "string" && /^[a-z_]{1,40}$/i.test(value))
        ? [[index + 1, value]]
        : [],
    ),
  );
}

function describeConnection(client: pg.Client): { application: string; keptPlans: boolean } {
  const { application_name = "", options = "" } = (
    client as unknown as { connectionParameters: { application_name?: string; options?: string } }
  ).connectionParameters;
  return { application: application_name, keptPlans: options.includes("force_generic_plan") };
}
