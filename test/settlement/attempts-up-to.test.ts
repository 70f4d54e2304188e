// A broadcast that needs the earlier unmined transactions does not read the mined ones, however many the key has sent.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { lt, sql } from "drizzle-orm";
import { zeroAddress } from "viem";
import type { Database, Transaction } from "#core/db/client.ts";
import { transaction, transactionAttempt } from "#core/db/schema/transactions.ts";
import { attemptsUpTo } from "#core/relayer/broadcast.ts";
import { makeWorld, type World } from "./support/world.ts";

const MINED = 3_000;
const PENDING = 5;

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  const { database, deployment } = world.context;
  const signer = sql.param(zeroAddress, transaction.signer);
  await database.execute(sql`
    insert into gateway.transaction (id, deployment_id, signer, nonce, purpose, state)
    select uuidv7(), ${deployment.id}::int, ${signer}, n, 'settle',
      case when n >= ${MINED} then 'pending' when n % 2 = 0 then 'mined' else 'final' end
    from generate_series(0, ${MINED + PENDING - 1}::int) n`);
  await database.execute(sql`
    insert into gateway.transaction_attempt (hash, transaction_id, raw, max_fee_per_gas, max_priority_fee_per_gas)
    select sha256(int4send(nonce)), id, ${sql.param("0x00", transactionAttempt.raw)}, 1, 1 from gateway.transaction`);
  await database.execute("vacuum analyze gateway.transaction, gateway.transaction_attempt");
});
afterAll(() => world?.close());

/** Returns the nonces of the attempts up to a nonce, and the number of transactions that are read. */
const read = (nonce: number) =>
  world.context.database.transaction(async (tx) => {
    const rowsRead = async () => {
      const { rows } = await tx.execute<{ read: number }>(sql`
        select (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as read from pg_stat_xact_user_tables
        where schemaname = 'gateway' and relname = 'transaction'`);
      return rows[0]?.read ?? Number.NaN;
    };
    const before = await rowsRead();
    const attempts = await list(tx, nonce);
    return { nonces: attempts.map((attempt) => attempt.nonce), read: (await rowsRead()) - before };
  });

const list = (tx: Transaction, nonce: number) =>
  attemptsUpTo(tx as unknown as Database, {
    deploymentId: world.context.deployment.id,
    signer: zeroAddress,
    nonce,
  });

describe("the attempts to broadcast before a nonce", () => {
  it("are those of its unmined predecessors and its own, in order", async () => {
    expect((await read(MINED + 2)).nonces).to.deep.equal([MINED, MINED + 1, MINED + 2]);
    expect((await read(MINED - 1)).nonces).to.deep.equal([]);
  });

  it("are found without reading the mined transactions", async () => {
    const { nonces, read: rows } = await read(MINED + PENDING - 1);
    expect(nonces).to.have.length(PENDING);
    expect(rows).to.be.at.most(3 * PENDING);
  });

  it("include the key's first transaction", async () => {
    await world.context.database
      .update(transaction)
      .set({ state: "pending" })
      .where(lt(transaction.nonce, 2));
    expect((await read(1)).nonces).to.deep.equal([0, 1]);
  });
});
