// `npm run archive` moves a sealed segment of the audit log from the database to files. Both remain verifiable.
import { afterEach, beforeEach, describe, it } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { type SQL, sql } from "drizzle-orm";
import { connect, type Database } from "#core/db/client.ts";
import { recordArchive } from "#scripts/cli/archive/drop-segment.ts";
import { exportSegment, SEALS_AT_ONCE } from "#scripts/cli/archive/export-segment.ts";
import { listManifests, readManifest, verifySegment } from "#scripts/cli/archive/verify-segment.ts";
import { root } from "#scripts/shared/paths.ts";
import { until } from "#scripts/shared/wait.ts";
import { COLUMNS, verifyChain } from "#settlement/events/audit-hash-chain.ts";
import { runScript } from "#test/support/run-script.ts";
import { testDatabase } from "#test/support/stack.ts";
import { addSeal as addSealTo, LOGGED_A_SEAL, ROWS_A_SEAL } from "./support/seals.ts";

const OLD = "2025-01-10T00:00:00Z";
const BEFORE = "2025-02-01";
const YOUNG = "2025-03-01T00:00:00Z";
/** More seals than one transaction deletes. */
const OLD_SEALS = SEALS_AT_ONCE + 5;

let url: string;
let database: Database;
let folder: string;
beforeEach(async () => {
  url = await testDatabase();
  database = connect(url, { application: "archive test" });
  folder = mkdtempSync(join(tmpdir(), "archive-"));
  for (let seal = 0; seal < OLD_SEALS; seal++) await addSeal(OLD);
  for (let seal = 0; seal < 3; seal++) await addSeal(YOUNG);
});
afterEach(async () => {
  await database.$client.end();
  rmSync(folder, { recursive: true });
});

const addSeal = (at: string) => addSealTo(database, at);

const run = (script: string, ...args: string[]) => runScript(script, args, { DATABASE_URL: url });
const archive = (...more: string[]) => run("archive.ts", "--before", BEFORE, "--to", folder, ...more);
const verifyFiles = () => run("audit.ts", "verify-archive", folder);

const countRows = async () => {
  const { rows } = await database.execute<{ old: number; young: number; seals: number }>(sql`
    select count(*) filter (where created_at < ${BEFORE})::int as old, count(*) filter (where created_at >= ${BEFORE})::int as young,
      (select count(*)::int from gateway.audit_seal) as seals from gateway.audit_log`);
  return rows[0];
};
/** Rows of `audit_log`, and seals. */
const ALL = { old: OLD_SEALS * LOGGED_A_SEAL, young: 3 * LOGGED_A_SEAL, seals: OLD_SEALS + 3 };
const REST = { old: 0, young: 3 * LOGGED_A_SEAL, seals: 3 };
/** Rows of the archived segment: those of `audit_log` and events. */
const SEGMENT = OLD_SEALS * ROWS_A_SEAL;

const readFolder = () =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]));
const rowsFile = () => join(folder, readdirSync(folder).find((name) => name.endsWith(".jsonl")) ?? "");

const codeOf = (statement: Promise<unknown>) =>
  statement.then(
    () => "done",
    (error: { cause?: { code?: string } }) => error.cause?.code,
  );

describe("npm run archive", () => {
  it("exports older rows one by one, and changes nothing in the database", async () => {
    const { output, errors, exitCode } = await archive("--json");
    expect(errors).to.equal("");
    expect(exitCode).to.equal(0);
    const { segment, deleted } = JSON.parse(output);
    const { seals } = await verifyChain(database);
    expect(seals).to.equal(OLD_SEALS + 3);
    const { rows: links } = await database.execute<{ hash: string }>(
      sql`select encode(hash, 'hex') as hash from gateway.audit_seal order by id offset ${OLD_SEALS - 1} limit 1`,
    );
    expect(deleted).to.equal(0);
    expect(segment).to.deep.include({
      ...{ firstPosition: 1, rows: SEGMENT, seals: OLD_SEALS, lastPosition: SEGMENT },
      ...{ previousHash: "0".repeat(64), hash: links[0]?.hash },
    });
    const written = readFolder();
    expect(new Bun.CryptoHasher("sha256").update(readFileSync(segment.file)).digest("hex")).to.equal(
      segment.fileHash,
    );
    expect(Object.keys(written)).to.have.length(2);
    const rows = (written[segment.file.split("/").at(-1)] ?? "")
      .split("\n")
      .filter((line) => line.startsWith("["));
    expect(rows).to.have.length(SEGMENT);
    expect(JSON.parse(rows[0] ?? "")[COLUMNS.indexOf("metadata")]).to.deep.equal({
      text: '"\u2028\r\n{}é',
      n: 1.5,
    });
    expect(await countRows()).to.deep.equal(ALL);

    expect((await archive()).output).to.include(`${SEGMENT} rows in ${OLD_SEALS} seals`);
    expect(readFolder(), "a second export").to.deep.equal(written);
    const verdict = await verifyFiles();
    expect(verdict.output).to.include(`${SEGMENT} rows in ${OLD_SEALS} seals match.`);
    expect(verdict.exitCode).to.equal(0);
  });

  it("deletes exactly what it exported, and the chain continues", async () => {
    const { rows: links } = await database.execute<{ hash: string }>(
      sql`select encode(hash, 'hex') as hash from gateway.audit_seal order by id`,
    );
    expect((await archive("--drop")).output).to.include(`Deleted ${ALL.old} rows from the database.`);
    expect(await countRows()).to.deep.equal(REST);
    expect((await archive("--drop")).output).to.include("nothing to export");
    await addSeal(YOUNG);

    const verdict = await run("audit.ts", "verify");
    expect(verdict.output).to.include(`${SEGMENT} rows in 1 segments are archived.`);
    expect(verdict.output).to.include("16 rows in 4 seals match.");
    expect(verdict.exitCode).to.equal(0);
    const [archived = "", end = "", kept = ""] = [3, OLD_SEALS - 1, OLD_SEALS].map(
      (index) => links[index]?.hash,
    );
    for (const head of [end, kept]) expect((await verifyChain(database, head)).problem, head).to.equal(null);
    expect((await verifyChain(database, archived)).problem).to.include("is not in the hash chain");
    expect((await run("audit.ts", "verify", archived, "--archive", folder)).exitCode).to.equal(0);

    const next = await run("archive.ts", "--before", "2025-04-01", "--to", folder, "--drop");
    expect(next.output).to.include("Deleted 9 rows from the database.");
    expect((await verifyFiles()).output).to.include("2 segments.");
    expect((await run("audit.ts", "verify", archived, "--archive", folder)).exitCode).to.equal(0);
  });

  it("keeps events, exports their content, and compares both", async () => {
    const { rows: events } = await database.execute<{ position: number; data: string }>(
      sql`select position::int, encode(data, 'hex') as data from gateway.event order by position`,
    );
    await archive("--drop");
    const exported = readFileSync(rowsFile(), "utf8")
      .split("\n")
      .flatMap((line) => (line.startsWith("[") ? [JSON.parse(line)] : []))
      .filter(([, table]) => table === "event");
    expect(exported.map((row) => ({ position: row[0], data: row[14] }))).to.deep.equal(
      events.slice(0, OLD_SEALS),
    );
    const { rows: kept } = await database.execute(sql`select from gateway.event`);
    expect(kept).to.have.length(events.length);
    expect(await codeOf(database.execute(sql`delete from gateway.event where position = 4`))).to.equal(
      "42501",
    );
    const verify = () => run("audit.ts", "verify", "--archive", folder);
    expect((await verify()).exitCode).to.equal(0);

    const tamper = (change: SQL) =>
      database.transaction(async (tx) => {
        await tx.execute(sql`set local session_replication_role = replica`);
        await tx.execute(change);
      });
    await tamper(sql`update gateway.event set to_status = 'FINAL' where position = 8`);
    expect((await run("audit.ts", "verify")).exitCode, "without the files").to.equal(0);
    expect((await verify()).output).to.include("BROKEN: Segment 1 to 100: Row 8 was changed (seal 2).");
    await tamper(sql`delete from gateway.event where position = 4`);
    const { output, exitCode } = await verify();
    expect(output).to.include("BROKEN: Segment 1 to 100: Row 4 was deleted (seal 1).");
    expect(exitCode).to.equal(1);
  });

  it("detects modified files", async () => {
    await archive("--drop");
    const file = rowsFile();
    const text = readFileSync(file, "utf8");
    const lines = text.split("\n");
    const changes = {
      "a row": text.replace('"test"', '"tested"'),
      "a row that is missing": [...lines.slice(0, 5), ...lines.slice(6)].join("\n"),
      "a row that was added": [...lines.slice(0, 5), lines[4], ...lines.slice(5)].join("\n"),
      "an end that was cut off": lines.slice(0, -5).join("\n"),
      "a line that is none": `${text}5\n`,
      "half a line": text.slice(0, -10),
    };
    const segment = readManifest(listManifests(folder)[0] ?? "");
    for (const [what, changed] of Object.entries(changes)) {
      writeFileSync(file, changed);
      expect((await verifySegment(folder, segment)).problem, what).to.be.a("string");
    }
    expect((await verifyFiles()).output).to.include("BROKEN: Segment 1 to");
    const { output, exitCode } = await run("audit.ts", "verify", "--archive", folder);
    expect(output).to.include("BROKEN: Segment 1 to");
    expect(exitCode).to.equal(1);
    writeFileSync(file, text);
    expect((await verifySegment(folder, segment)).problem).to.equal(null);
    rmSync(file);
    expect((await verifySegment(folder, segment)).problem).to.match(/^The file .+ does not exist\.$/);
    const manifest = listManifests(folder)[0] ?? "";
    writeFileSync(manifest, readFileSync(manifest, "utf8").replace(`"rows": ${SEGMENT}`, '"rows": 1'));
    expect((await verifyFiles()).exitCode).to.equal(1);
  }, 60_000);

  it("is completed by the same command after being killed", async () => {
    const child = await database.transaction(async (tx) => {
      await tx.execute(sql`select from gateway.audit_seal where id = ${SEALS_AT_ONCE + 2} for update`);
      const started = Bun.spawn(
        [
          process.execPath,
          join(root, "scripts/cli/archive.ts"),
          "--before",
          BEFORE,
          "--to",
          folder,
          "--drop",
        ],
        { env: { ...process.env, DATABASE_URL: url }, stdout: "ignore", stderr: "ignore" },
      );
      await until(async () => (await countRows())?.seals === ALL.seals - SEALS_AT_ONCE, {
        what: "The first part being deleted",
        timeoutMs: 30_000,
      });
      started.kill("SIGKILL");
      await started.exited;
      return started;
    });
    expect(child.signalCode).to.equal("SIGKILL");
    expect((await countRows())?.old).to.equal(5 * LOGGED_A_SEAL);
    expect((await verifyChain(database)).problem).to.equal(null);

    const hidden = `${rowsFile()}.away`;
    const name = rowsFile();
    renameSync(name, hidden);
    const refused = await archive("--drop");
    expect(refused.exitCode).to.equal(1);
    expect(refused.errors).to.match(/The file .+ does not exist\./);
    expect((await countRows())?.old).to.equal(5 * LOGGED_A_SEAL);
    renameSync(hidden, name);

    expect((await archive("--drop")).output).to.include(`Deleted ${5 * LOGGED_A_SEAL} rows`);
    expect(await countRows()).to.deep.equal(REST);
    expect((await run("audit.ts", "verify", "--archive", folder)).exitCode).to.equal(0);
  }, 60_000);

  it("does not archive any part of a log that does not match its seals", async () => {
    await database.transaction(async (tx) => {
      await tx.execute(sql`set local session_replication_role = replica`);
      await tx.execute(sql`update gateway.audit_log set action = 'nothing' where position = 6`);
    });
    const { errors, exitCode } = await archive("--drop");
    expect(errors).to.include("Row 6 was changed (seal 2).");
    expect(exitCode).to.equal(1);
    expect(await countRows()).to.deep.equal(ALL);
    expect(readdirSync(folder)).to.deep.equal([]);
  });

  it("never exports the last seal, or a seal with a newer row", async () => {
    const all = await run("archive.ts", "--before", "2025-04-01", "--to", folder, "--json");
    expect(JSON.parse(all.output).segment).to.deep.include({ seals: OLD_SEALS + 2, rows: SEGMENT + 8 });
    const none = await run(
      "archive.ts",
      "--before",
      "2025-01-10T00:00:00Z",
      "--to",
      folder,
      "--drop",
      "--json",
    );
    expect(JSON.parse(none.output)).to.deep.equal({ segment: null, deleted: 0 });
    expect(await countRows()).to.deep.equal(ALL);
  });

  it("rejects missing and invalid options", async () => {
    const cases: [string[], string][] = [
      [[], "--before"],
      [["--before", BEFORE], "--to"],
      [["--before", "yesterday", "--to", folder], "'yesterday' is not a date"],
      [["--before", "2999-01-01", "--to", folder], "in the future"],
    ];
    for (const [args, what] of cases) {
      const { errors, exitCode } = await run("archive.ts", ...args);
      expect(errors.split("\n")[0]).to.include(what);
      expect(exitCode).to.equal(2);
    }
  });
});

describe("the database", () => {
  const remove = (table: string, where: string) =>
    codeOf(database.execute(sql.raw(`delete from gateway.${table} where ${where}`)));

  it("allows deleting rows that were recorded as archived, and nothing else", async () => {
    expect(await remove("audit_log", "position = 1")).to.equal("42501");
    const segment = await exportSegment(database, new Date(BEFORE), folder);
    if (!segment) throw new Error("Nothing was exported.");
    const wrong = [
      { hash: "f".repeat(64) },
      { rows: segment.rows - 1 },
      { seals: segment.seals - 1 },
      { lastPosition: segment.lastPosition - 1 },
      { firstPosition: 5 },
      { previousHash: "f".repeat(64) },
    ];
    for (const change of wrong)
      expect(
        await codeOf(recordArchive(database, { ...segment, ...change })),
        JSON.stringify(change),
      ).to.equal("23514");
    await recordArchive(database, segment);
    expect(await codeOf(recordArchive(database, segment))).to.equal("23514");
    expect(await remove("audit_log", `position = ${segment.lastPosition + 1}`)).to.equal("42501");
    expect(await remove("audit_seal", `first_position = ${segment.lastPosition + 1}`)).to.equal("42501");
    expect(await remove("audit_archive", "true")).to.equal("42501");
    const update = sql`update gateway.audit_log set action = 'nothing' where position = 1`;
    expect(await codeOf(database.execute(update))).to.equal("42501");
    expect(await remove("audit_log", "position = 1")).to.equal("done");
  });

  it("notices a row that was added to a segment after it was dropped", async () => {
    expect((await archive("--drop")).exitCode).to.equal(0);
    expect((await verifyChain(database)).problem).to.equal(null);
    await database.execute(sql`
      insert into gateway.audit_log (position, id, actor_type, action) values (2, gen_random_uuid(), 'system', 'forged')`);
    expect((await verifyChain(database)).problem).to.equal("Row 2 was added to an archived segment.");
  });

  it("does not allow the application's role to delete any rows", async () => {
    const segment = await exportSegment(database, new Date(BEFORE), folder);
    if (!segment) throw new Error("Nothing was exported.");
    const app = connect(url, { application: "app", max: 1 });
    await app.execute(sql`set role gateway_app`);
    expect(await codeOf(recordArchive(app, segment))).to.equal("42501");
    await recordArchive(database, segment);
    for (const table of ["audit_log", "audit_seal", "audit_archive"])
      expect(await codeOf(app.execute(sql.raw(`delete from gateway.${table}`))), table).to.equal("42501");
    expect((await verifyChain(app)).problem).to.equal(null);
    await app.$client.end();
  });
});
