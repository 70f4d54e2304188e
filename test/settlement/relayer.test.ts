import { afterAll, afterEach, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { asc, eq } from "drizzle-orm";
import { BlockNotFoundError, type Hex, TransactionReceiptNotFoundError, zeroHash } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { connectChain } from "#core/chain/client.ts";
import { signer, transaction, transactionAttempt, transactionOrder } from "#core/db/schema/transactions.ts";
import { Relayer, type StoredAttempt } from "#core/relayer/relayer.ts";
import { until } from "#scripts/shared/wait.ts";
import { createResolver, type ResolverOptions } from "#settlement/escrow/resolve-transactions.ts";
import { type OnChain, startOnChain } from "./support/on-chain.ts";

const CONFIRMATIONS = 5;
const HOUR_MS = 3_600_000;

let world: OnChain;
beforeAll(async () => {
  world = await startOnChain();
});
afterAll(() => world.close());
afterEach(async () => {
  await world.control.setAutomine(true);
  await world.control.mine({ blocks: CONFIRMATIONS });
  await resolver()();
});

const resolver = (more: Partial<ResolverOptions> = {}, relayer = world.relayer) =>
  createResolver(relayer, { confirmations: CONFIRMATIONS, stuckAfterMs: HOUR_MS, ...more });

async function store(): Promise<StoredAttempt> {
  const call = await world.harmlessCall();
  return world.database.transaction((tx) => world.relayer.store(tx, call));
}

async function rowOf({ transactionId }: StoredAttempt) {
  const [row] = await world.database.select().from(transaction).where(eq(transaction.id, transactionId));
  if (!row) throw new Error("The transaction is not stored.");
  return row;
}

const attemptsOf = ({ transactionId }: StoredAttempt) =>
  world.database
    .select()
    .from(transactionAttempt)
    .where(eq(transactionAttempt.transactionId, transactionId))
    .orderBy(asc(transactionAttempt.createdAt));

/** Stores and broadcasts a transaction, and stores a replacement for it. */
async function storeReplaced() {
  const first = await store();
  await world.relayer.broadcast(first);
  await world.relayer.replace(await rowOf(first), -1);
  const [original, replacement] = await attemptsOf(first);
  if (!original || !replacement) throw new Error("It was not replaced.");
  return { first, original, replacement };
}

/** Makes a reorg deeper than the confirmations, after which `last` is mined again. */
async function takeBackDeeply(snapshot: Hex, last: StoredAttempt): Promise<void> {
  await world.control.revert({ id: snapshot });
  await world.control.mine({ blocks: 2 * CONFIRMATIONS });
  const resolve = resolver({ recheckMs: 0 });
  await until(
    async () => {
      await resolve();
      return (await rowOf(last)).state === "mined";
    },
    { what: "The transactions in new blocks", timeoutMs: 10_000 },
  );
}

/** Deletes the transactions, as on a standby that had not replicated them. */
async function forgetTransactions(): Promise<void> {
  await world.database.delete(transactionAttempt);
  await world.database.delete(transactionOrder);
  await world.database.delete(transaction);
}

async function untilMined(attempts: StoredAttempt[], options?: Partial<ResolverOptions>): Promise<void> {
  const resolve = resolver(options);
  await until(
    async () => {
      await resolve();
      const rows = await Promise.all(attempts.map(rowOf));
      return rows.every(({ state }) => state === "mined" || state === "final");
    },
    { what: "The transactions in blocks", timeoutMs: 10_000 },
  );
  for (const attempt of attempts) expect(await rowOf(attempt)).to.include({ succeeded: true });
}

describe("the relayer", () => {
  it("takes nonces without gaps or repetition, even with concurrent relayers and rolled-back transactions", async () => {
    const call = await world.harmlessCall();
    const roll = (i: number) => i % 5 === 4;
    const results = await Promise.allSettled(
      Array.from({ length: 25 }, async (_, i) => {
        const attempt = await world.database.transaction(async (tx) => {
          const stored = await world.relayer.store(tx, call);
          if (roll(i)) throw new Error("rolled back");
          return stored;
        });
        await world.relayer.broadcast(attempt);
        return attempt.nonce;
      }),
    );
    const nonces = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
    expect(nonces.sort((a, b) => a - b)).to.deep.equal(Array.from({ length: 20 }, (_, i) => i));
    const resolve = resolver();
    const used = () => world.client.getTransactionCount({ address: world.relayer.account.address });
    await until(
      async () => {
        await resolve();
        return (await used()) === 20;
      },
      { what: "All transactions in blocks", timeoutMs: 20_000 },
    );
  });

  it("never takes a nonce that the chain has used, however much of its count a failover has lost", async () => {
    for (let i = 0; i < 3; i++) await world.relayer.broadcast(await store());
    await forgetTransactions();
    for (const lose of [
      () => world.database.update(signer).set({ nextNonce: 0 }),
      () => world.database.delete(signer),
    ]) {
      await lose();
      const made = await Promise.all(Array.from({ length: 10 }, store));
      for (const attempt of made) await world.relayer.broadcast(attempt);
      await untilMined(made);
    }
  });

  it("never reuses a stored nonce that was not broadcast when the count is lost", async () => {
    const waiting = await store();
    await world.database.delete(signer);
    const next = await store();
    expect(next.nonce).to.equal(waiting.nonce + 1);
    await untilMined([waiting, next]);
  });

  it("fills the gap below pending transactions if a node reported too high a count", async () => {
    const { database, client, deployment, config } = world;
    const exaggerates: typeof client.getTransactionCount = async (about) =>
      (await client.getTransactionCount(about)) + 3;
    const misled = new Relayer(database, { ...client, getTransactionCount: exaggerates }, deployment, config);
    const call = await misled.prepare("settle", [zeroHash], { functionName: "settle", args: [[]] });
    const attempt = await database.transaction((tx) => misled.store(tx, call));
    await misled.broadcast(attempt);
    const next = await store();
    expect(next.nonce).to.equal(attempt.nonce + 1);
    const young = resolver();
    await young();
    expect((await rowOf(attempt)).state).to.equal("pending");
    await untilMined([attempt, next], { stuckAfterMs: 0 });
    const fillers = await database.select().from(transaction).where(eq(transaction.purpose, "fill_nonce"));
    expect(fillers.map(({ nonce }) => nonce).sort()).to.deep.equal([3, 2, 1].map((n) => attempt.nonce - n));
    for (const { succeeded } of fillers) expect(succeeded).to.equal(true);
  });

  it("sends a transaction that was stored by a process that died before broadcasting it", async () => {
    const attempt = await store();
    const resolve = resolver();
    await until(
      async () => {
        await resolve();
        return (await rowOf(attempt)).state === "mined";
      },
      { what: "The transaction in a block", timeoutMs: 10_000 },
    );
    expect(await rowOf(attempt)).to.include({ succeeded: true, minedHash: attempt.hash });
  });

  it("considers a transaction final only once it is confirmed", async () => {
    const attempt = await store();
    await world.relayer.broadcast(attempt);
    const resolve = resolver();
    await resolve();
    expect((await rowOf(attempt)).state).to.equal("mined");
    await world.control.mine({ blocks: CONFIRMATIONS - 2 });
    await resolve();
    expect((await rowOf(attempt)).state).to.equal("mined");
    await world.control.mine({ blocks: 1 });
    await resolve();
    expect((await rowOf(attempt)).state).to.equal("final");
  });

  it("records the cost of a transaction while it is in a block, even if the call failed", async () => {
    const attempt = await store();
    await world.relayer.broadcast(attempt);
    await untilMined([attempt]);
    const receipt = await world.client.getTransactionReceipt({ hash: attempt.hash });
    expect((await rowOf(attempt)).networkFee).to.equal(receipt.gasUsed * receipt.effectiveGasPrice);
  });

  it("replaces a stuck transaction with the same nonce and a higher fee, once even if two replicas notice it", async () => {
    await world.control.setAutomine(false);
    const first = await store();
    await world.relayer.broadcast(first);
    const stuckAfterMs = 300;
    const attempts = await until(
      async () => {
        await Promise.all([resolver({ stuckAfterMs })(), resolver({ stuckAfterMs })()]);
        const made = await attemptsOf(first);
        return made.length > 1 && made;
      },
      { what: "The replacement", timeoutMs: 5_000 },
    );
    expect(attempts).to.have.length(2);
    const [old, replacement] = attempts;
    expect((replacement?.maxFeePerGas ?? 0n) > (old?.maxFeePerGas ?? 0n)).to.equal(true);
    await world.control.mine({ blocks: 1 });
    await resolver()();
    expect(await rowOf(first)).to.include({
      state: "mined",
      nonce: first.nonce,
      minedHash: replacement?.hash,
    });
  });

  it("broadcasts a mined transaction again when a reorg drops its block", async () => {
    const snapshot = await world.control.snapshot();
    const attempt = await store();
    await world.relayer.broadcast(attempt);
    const resolve = resolver();
    await resolve();
    expect((await rowOf(attempt)).state).to.equal("mined");
    await world.control.revert({ id: snapshot });
    await world.control.mine({ blocks: 1 });
    await resolve();
    expect(await rowOf(attempt)).to.include({ state: "pending", minedHash: null });
    await resolve();
    expect(await rowOf(attempt)).to.include({ state: "mined", minedHash: attempt.hash });
  });

  it("sends several transactions that a reorg dropped in the order of their nonces", async () => {
    const snapshot = await world.control.snapshot();
    const attempts = [await store(), await store(), await store()];
    for (const attempt of attempts) await world.relayer.broadcast(attempt);
    const resolve = resolver();
    await resolve();
    await world.control.revert({ id: snapshot });
    await resolve();
    await resolve();
    for (const attempt of attempts) expect((await rowOf(attempt)).state).to.equal("mined");
  });

  it("resends a final transaction after a reorg deeper than the confirmations", async () => {
    const snapshot = await world.control.snapshot();
    const [first, second] = [await store(), await store()];
    for (const attempt of [first, second]) await world.relayer.broadcast(attempt);
    await world.control.mine({ blocks: CONFIRMATIONS });
    await resolver()();
    for (const attempt of [first, second]) expect((await rowOf(attempt)).state).to.equal("final");
    await takeBackDeeply(snapshot, second);
    for (const attempt of [first, second]) {
      expect(await rowOf(attempt)).to.include({ succeeded: true, minedHash: attempt.hash });
      expect(await attemptsOf(attempt)).to.have.length(1);
    }
  });

  it("resends a transaction that a node had reported as dropped, after a reorg", async () => {
    const { database, client, deployment, config } = world;
    const snapshot = await world.control.snapshot();
    const [doubted, later] = [await store(), await store()];
    for (const attempt of [doubted, later]) await world.relayer.broadcast(attempt);
    await world.control.mine({ blocks: CONFIRMATIONS });
    const knowsNot: typeof client.getTransactionReceipt = async ({ hash }) => {
      if (hash === doubted.hash) throw new TransactionReceiptNotFoundError({ hash });
      return client.getTransactionReceipt({ hash });
    };
    const misled = new Relayer(database, { ...client, getTransactionReceipt: knowsNot }, deployment, config);
    await resolver({}, misled)();
    expect((await rowOf(doubted)).state).to.equal("dropped");
    expect((await rowOf(later)).state).to.equal("final");
    await takeBackDeeply(snapshot, later);
    expect(await rowOf(doubted)).to.include({ succeeded: true, minedHash: doubted.hash });
  });

  it("keeps a transaction in its block while the chain has that block, although a node denies its receipt", async () => {
    const { database, client, deployment, config } = world;
    const attempt = await store();
    await world.relayer.broadcast(attempt);
    const knowsNot: typeof client.getTransactionReceipt = async ({ hash }) => {
      throw new TransactionReceiptNotFoundError({ hash });
    };
    const misled = new Relayer(database, { ...client, getTransactionReceipt: knowsNot }, deployment, config);
    await resolver()();
    const mined = await rowOf(attempt);
    expect(mined.state).to.equal("mined");
    await resolver({}, misled)();
    expect(await rowOf(attempt)).to.deep.equal(mined);
    await world.control.mine({ blocks: CONFIRMATIONS });
    await resolver()();
    const final = await rowOf(attempt);
    expect(final.state).to.equal("final");
    await resolver({ recheckMs: 0 }, misled)();
    expect(await rowOf(attempt)).to.deep.equal(final);
  });

  it("keeps a transaction in its block while a node that lags has neither receipt nor block", async () => {
    const { database, client, deployment, config } = world;
    const attempt = await store();
    await world.relayer.broadcast(attempt);
    const lagging: typeof client = {
      ...client,
      async getTransactionReceipt({ hash }) {
        throw new TransactionReceiptNotFoundError({ hash });
      },
      async getBlock({ blockNumber } = {}) {
        throw new BlockNotFoundError(blockNumber === undefined ? {} : { blockNumber });
      },
    };
    const behind = new Relayer(database, lagging, deployment, config);
    await resolver()();
    const mined = await rowOf(attempt);
    await resolver({}, behind)();
    expect(await rowOf(attempt)).to.deep.equal(mined);
    await world.control.mine({ blocks: CONFIRMATIONS });
    await resolver()();
    const final = await rowOf(attempt);
    expect([mined.state, final.state]).to.deep.equal(["mined", "final"]);
    await resolver({ recheckMs: 0 }, behind)();
    expect(await rowOf(attempt)).to.deep.equal(final);
  });

  it("finds the attempt that a deep reorg has mined, even below a transaction that is still mined as before", async () => {
    await world.control.setAutomine(false);
    const snapshot = await world.control.snapshot();
    const [first, second] = [await store(), await store()];
    await world.relayer.broadcast(first);
    await world.relayer.replace(await rowOf(first), -1);
    await world.relayer.broadcast(second);
    const [original, replacement] = await attemptsOf(first);
    if (!original || !replacement) throw new Error("It was not replaced.");
    await world.relayer.send(replacement.raw);
    await world.control.mine({ blocks: CONFIRMATIONS });
    await resolver()();
    expect(await rowOf(first)).to.include({ state: "final", minedHash: replacement.hash });
    const before = await rowOf(second);
    await world.control.revert({ id: snapshot });
    for (const raw of [original.raw, second.raw]) await world.relayer.send(raw);
    await world.control.mine({ blocks: CONFIRMATIONS + 1 });
    await resolver({ recheckMs: 0 })();
    const { blockNumber, minedHash, networkFee } = before;
    expect(await rowOf(second)).to.include({ state: "final", blockNumber, minedHash, networkFee });
    expect(await rowOf(first)).to.include({ state: "final", minedHash: original.hash });
  });

  it("finds the attempt that a deep reorg has mined, below a transaction that became final after the reorg", async () => {
    await world.control.setAutomine(false);
    const snapshot = await world.control.snapshot();
    const { first, original, replacement } = await storeReplaced();
    await world.relayer.send(replacement.raw);
    await world.control.mine({ blocks: CONFIRMATIONS });
    const [recheck, follow] = [resolver({ recheckMs: 0 }), resolver({ recheckMs: HOUR_MS })];
    await recheck();
    await follow();
    expect(await rowOf(first)).to.include({ state: "final", minedHash: replacement.hash });
    await world.control.revert({ id: snapshot });
    await world.relayer.send(original.raw);
    const second = await store();
    await world.relayer.broadcast(second);
    await world.control.mine({ blocks: CONFIRMATIONS + 1 });
    await follow();
    expect((await rowOf(second)).state).to.equal("final");
    await recheck();
    expect(await rowOf(first)).to.include({ state: "final", minedHash: original.hash });
  });

  it("corrects an outcome that a node on another fork reported, below final transactions", async () => {
    const { database, client, deployment, config } = world;
    let forked: Hex | undefined;
    const balanced: typeof client = {
      ...client,
      async getTransactionReceipt({ hash }) {
        const receipt = await client.getTransactionReceipt({ hash });
        return hash === forked ? { ...receipt, status: "reverted", blockHash: zeroHash } : receipt;
      },
    };
    const recheck = resolver({ recheckMs: 0 }, new Relayer(database, balanced, deployment, config));
    await recheck();
    const made = [await store(), await store(), await store()] as const;
    for (const attempt of made) await world.relayer.broadcast(attempt);
    await world.control.mine({ blocks: CONFIRMATIONS });
    await recheck();
    const [, below] = made;
    expect(await rowOf(below)).to.include({ state: "final", succeeded: true });
    forked = below.hash;
    await recheck();
    expect(await rowOf(below)).to.include({ state: "final", succeeded: false });
    forked = undefined;
    await recheck();
    expect(await rowOf(below)).to.include({ state: "final", succeeded: true });
  });

  it("corrects an outcome again that a failover has lost, although later outcomes were kept", async () => {
    await world.control.setAutomine(false);
    const recheck = resolver({ recheckMs: 0 });
    const snapshot = await world.control.snapshot();
    const { first, original, replacement } = await storeReplaced();
    const second = await store();
    await world.relayer.send(replacement.raw);
    await world.relayer.broadcast(second);
    await world.control.mine({ blocks: CONFIRMATIONS });
    await recheck();
    await recheck();
    const before = await rowOf(first);
    expect(before).to.include({ state: "final", minedHash: replacement.hash });
    await world.control.revert({ id: snapshot });
    await world.control.mine({ blocks: 1 });
    for (const raw of [original.raw, second.raw]) await world.relayer.send(raw);
    await world.control.mine({ blocks: CONFIRMATIONS + 1 });
    await recheck();
    await recheck();
    expect(await rowOf(first)).to.include({ state: "final", minedHash: original.hash });
    const { resolved: _, open: __, ...lost } = before;
    await world.database.update(transaction).set(lost).where(eq(transaction.id, before.id));
    await recheck();
    expect(await rowOf(first)).to.include({ state: "final", minedHash: original.hash });
  });

  it("never exceeds the fee ceiling, and makes no replacement that nodes would reject", async () => {
    await world.control.setAutomine(false);
    const { database, client, deployment, config } = world;
    const { maxFeePerGas: today } = await client.estimateFeesPerGas();
    const ceiling = (today * 11n) / 10n - 1n;
    const frugal = new Relayer(database, client, deployment, {
      ...config,
      chain: { ...config.chain, maxFeePerGas: ceiling },
    });
    const call = await frugal.prepare("settle", [], { functionName: "settle", args: [[]] });
    expect(call.fees.maxFeePerGas <= ceiling).to.equal(true);
    const attempt = await store();
    await world.relayer.broadcast(attempt);
    const row = await rowOf(attempt);
    await frugal.replace(row, -1);
    expect(await attemptsOf(attempt)).to.have.length(1);
    await world.relayer.replace(row, -1);
    expect(await attemptsOf(attempt)).to.have.length(2);
  });

  it("marks a transaction as dropped when a different one with its nonce is confirmed", async () => {
    const attempt = await store();
    const account = privateKeyToAccount(world.config.signing.key ?? "0x");
    await world.control.sendTransaction({ account, to: account.address, nonce: attempt.nonce });
    const resolve = resolver();
    await resolve();
    expect((await rowOf(attempt)).state).to.equal("pending");
    await world.control.mine({ blocks: CONFIRMATIONS });
    await resolve();
    expect((await rowOf(attempt)).state).to.equal("dropped");
  });

  it("keeps stored transactions while the chain is unreachable, and sends them later", async () => {
    const { database, deployment, config } = world;
    const away = connectChain({ chain: { ...config.chain, rpcUrl: "http://127.0.0.1:1" } });
    const problems: string[] = [];
    const cutOff = new Relayer(database, away, deployment, config, (problem) => problems.push(problem));
    const attempt = await store();
    await cutOff.broadcast(attempt);
    expect(problems).to.include("chain unreachable");
    await world.relayer.broadcast(attempt);
    await resolver()();
    expect((await rowOf(attempt)).state).to.equal("mined");
  });
});
