// Tests the sealer with transactions that commit in a different order than they wrote, and with other replicas.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { sql } from "drizzle-orm";
import { recordAudit } from "#core/audit/record-audit.ts";
import { connect, type Database, type Transaction } from "#core/db/client.ts";
import { packEventData } from "#core/model/pack-event-data.ts";
import { compareWithSeal, verifyChain } from "#settlement/events/audit-hash-chain.ts";
import { createSealer } from "#settlement/events/seal-audit-log.ts";
import { testDatabase } from "#test/support/stack.ts";

let database: Database;

beforeAll(async () => {
  database = connect(await testDatabase(), { application: "seal", max: 20 });
});
afterAll(() => database.$client.end());

/** Writes a row, and commits it on demand. @param first work that the transaction does before the write */
function write(
  action: string,
  first: (tx: Transaction) => Promise<unknown> = async () => undefined,
): { written: Promise<void>; commit(): Promise<void> } {
  let written = () => {};
  let commit = () => {};
  const isWritten = new Promise<void>((resolve) => {
    written = resolve;
  });
  const mayCommit = new Promise<void>((resolve) => {
    commit = resolve;
  });
  const done = database.transaction(async (tx) => {
    await first(tx);
    await recordAudit(tx, [
      { merchantId: null, mode: null, actor: { type: "system", id: null }, action, metadata: {} },
    ]);
    written();
    await mayCommit;
  });
  return {
    written: isWritten,
    commit() {
      commit();
      return done;
    },
  };
}

async function writeNow(action: string): Promise<void> {
  const row = write(action);
  await row.written;
  await row.commit();
}

/**
 * Seals until no row is left. It retries because short transactions in other databases of the server delay the sealing.
 */
async function sealAll(seal: () => Promise<unknown>): Promise<void> {
  for (let look = 0; look < 200; look++) {
    await seal();
    if ((await verifyChain(database)).unsealed.rows === 0) return;
    await Bun.sleep(20);
  }
  throw new Error("Not everything was sealed.");
}

describe("the sealer", () => {
  it("waits for a transaction that wrote earlier and commits later", async () => {
    const seal = createSealer({ database });
    const late = write("first");
    await late.written;
    await writeNow("second");
    for (let look = 0; look < 5; look++) await seal();
    expect((await verifyChain(database)).rows, "sealed past a row that may still come").to.equal(0);
    await late.commit();
    await sealAll(seal);
    const { rows, problem } = await verifyChain(database);
    expect({ rows, problem }).to.deep.equal({ rows: 2, problem: null });
  });

  it("waits for a younger transaction that wrote earlier and commits later", async () => {
    const seal = createSealer({ database });
    await sealAll(seal);
    const before = await verifyChain(database);
    const [begun, mayWrite] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const older = write("older", async (tx) => {
      await tx.execute(sql`select pg_current_xact_id()`);
      begun.resolve();
      await mayWrite.promise;
    });
    await begun.promise;
    const younger = write("younger");
    await younger.written;
    mayWrite.resolve();
    await older.written;
    await older.commit();
    for (let look = 0; look < 5; look++) await seal();
    expect((await verifyChain(database)).rows, "sealed past a row that may still come").to.equal(before.rows);
    await younger.commit();
    await sealAll(seal);
    const { rows, problem } = await verifyChain(database);
    expect({ rows, problem }).to.deep.equal({ rows: before.rows + 2, problem: null });
  });

  it("seals an event that is the log's last row", async () => {
    const seal = createSealer({ database });
    await sealAll(seal);
    const before = await verifyChain(database);
    await database.execute(
      sql`insert into gateway.merchant (id, name, account) values (decode('7e570000000000000001', 'hex'), 'M', 'm')`,
    );
    await database.execute(sql`
      insert into gateway.event (id, merchant_id, mode, type, decided_by, data)
      values (gen_random_uuid(), decode('7e570000000000000001', 'hex'), 'test', 'webhook.test', '', ${packEventData({ object: { object: "webhook_endpoint" } })})`);
    expect((await verifyChain(database)).unsealed.rows).to.equal(1);
    await sealAll(seal);
    const { rows, problem } = await verifyChain(database);
    expect({ rows, problem }).to.deep.equal({ rows: before.rows + 1, problem: null });
  });

  it("skips rows that were rolled back", async () => {
    const seal = createSealer({ database });
    await database
      .transaction(async (tx) => {
        await tx.execute(sql`select nextval('gateway.audit_log_position_seq')`);
        throw new Error("rolled back");
      })
      .catch(() => undefined);
    await writeNow("third");
    await sealAll(seal);
    expect(await verifyChain(database)).to.deep.include({ rows: 6, problem: null });
  });

  it("builds one chain together with other replicas while rows are written", async () => {
    const sealers = [0, 1, 2].map(() => createSealer({ database }));
    const writing = Promise.all(
      Array.from({ length: 10 }, async (_, writer) => {
        for (let row = 0; row < 20; row++) await writeNow(`row ${writer}.${row}`);
      }),
    );
    let isWritten = false;
    const sealing = Promise.all(
      sealers.map(async (seal) => {
        while (!isWritten) await seal();
      }),
    );
    await writing;
    isWritten = true;
    await sealing;
    await sealAll(sealers[0] as () => Promise<unknown>);
    const { rows, problem, seals } = await verifyChain(database);
    expect({ rows, problem }).to.deep.equal({ rows: 206, problem: null });
    expect(seals).to.be.greaterThan(2);
  });

  it("would detect a row that was inserted into a sealed range", async () => {
    const { rows } = await database.execute(sql`
      insert into gateway.audit_log (position, id, actor_type, action)
      select position - 1, gen_random_uuid(), 'system', 'forged' from gateway.audit_log where action = 'third'
      returning position`);
    const { problem } = await verifyChain(database);
    expect(problem).to.contain(`Row ${rows[0]?.position} was added after its position was sealed`);
  });

  it("names a row that was deleted although another row had its position", () => {
    const [first, second] = ["7:a", "7:b"];
    const seal = { id: 1, leaves: [first, second] };
    const found = (...leaves: string[]) => leaves.map((leaf) => ({ position: 7, leaf }));
    expect(compareWithSeal(seal, found(second, first))).to.equal(null);
    expect(compareWithSeal(seal, found(first))).to.include("Row 7 was deleted");
    expect(compareWithSeal(seal, found(first, second, second))).to.include("Row 7 was added");
    expect(compareWithSeal(seal, found(first, "7:c"))).to.include("Row 7 was changed");
  });

  it("has no row at a position that no seal covers, and no two events of a merchant at one position", async () => {
    const outcome = (position: number) =>
      database
        .execute(sql`
          insert into gateway.event (position, id, merchant_id, mode, type, decided_by, data)
          select ${position}::bigint, gen_random_uuid(), merchant_id, mode, type, 'forged', data from gateway.event limit 1`)
        .then(
          () => "done",
          (error: { cause?: { code?: string } }) => error.cause?.code,
        );
    expect(await outcome(0)).to.equal("23514");
    expect(await outcome(-5)).to.equal("23514");
    const { rows } = await database.execute<{ position: number }>(
      sql`select position::int from gateway.event limit 1`,
    );
    expect(await outcome(rows[0]?.position ?? 0)).to.equal("23505");
  });
});
