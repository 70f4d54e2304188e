// A remote signer that does not sign the calls of some orders.
import { afterEach, describe, it } from "bun:test";
import { expect } from "chai";
import { and, eq, sql } from "drizzle-orm";
import { type Hex, hexToBigInt, hexToNumber, numberToHex } from "viem";
import { generatePrivateKey, privateKeyToAccount, privateKeyToAddress } from "viem/accounts";
import { transaction, transactionAttempt } from "#core/db/schema/transactions.ts";
import { type WorkPurpose, workItem } from "#core/db/schema/work.ts";
import { newId } from "#core/ids.ts";
import { Relayer } from "#core/relayer/relayer.ts";
import { NotSigned } from "#core/relayer/signer.ts";
import { createTransactionFollower } from "#settlement/escrow/follow-transactions.ts";
import { createResolver } from "#settlement/escrow/resolve-transactions.ts";
import { catchError } from "#test/support/catch-error.ts";
import { relayingChain } from "./support/fake-rpc.ts";
import type { TestIntent } from "./support/intents.ts";
import { elapse, working } from "./support/work.ts";
import { makeWorld, PAYER, USDC, type World } from "./support/world.ts";

type Asked = Record<
  "to" | "data" | "value" | "chainId" | "nonce" | "gas" | "maxFeePerGas" | "maxPriorityFeePerGas",
  Hex
>;
/**
 * `denied`: the signer returns a JSON-RPC error. `changed`: it signs another fee. `unanswered`: no response to this
 * request.
 */
type Response = "signed" | "denied" | "changed" | "unanswered";

let world: World;
let server: ReturnType<typeof Bun.serve> | undefined;
afterEach(async () => {
  await server?.stop(true);
  await world.close();
});

/** @param respond decides by the call's data */
async function start(respond: (data: Hex) => Response) {
  const chain = Object.assign(relayingChain(), {
    eth_blockNumber: () => numberToHex(100),
    eth_getTransactionReceipt: () => null,
  });
  world = await makeWorld({ answers: chain });
  await world.chain.head(100);
  const { database, deployment, config, client } = world.context;
  if (config.signing.key === undefined) throw new Error("The test's operator has no key.");
  const account = privateKeyToAccount(config.signing.key);
  let asked = 0;
  server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { id, method, params } = (await request.json()) as {
        id: number;
        method: string;
        params: [Asked];
      };
      const reply = (more: object) => Response.json({ jsonrpc: "2.0", id, ...more });
      if (method === "eth_accounts") return reply({ result: [account.address] });
      asked++;
      const [call] = params;
      const response = respond(call.data);
      if (response === "denied") return reply({ error: { code: -32_000, message: "denied by the policy" } });
      if (response === "unanswered") return new globalThis.Response("", { status: 503 });
      const { nonce, chainId, gas, maxFeePerGas, maxPriorityFeePerGas, value, to, data } = call;
      const result = await account.signTransaction({
        ...{ type: "eip1559", to, data, value: hexToBigInt(value), gas: hexToBigInt(gas) },
        ...{ nonce: hexToNumber(nonce), chainId: hexToNumber(chainId) },
        maxFeePerGas: hexToBigInt(maxFeePerGas) + (response === "changed" ? 1n : 0n),
        maxPriorityFeePerGas: hexToBigInt(maxPriorityFeePerGas),
      });
      return reply({ result });
    },
  });
  const settings = { ...config, signing: { url: server.url.href } };
  const relayer = new Relayer(database, client, deployment, settings);
  const context = { ...world.context, relayer };
  const work = (purpose: WorkPurpose) => working(context, purpose);
  return { sent: chain.sent, context, relayer, work, asked: () => asked };
}

const STUCK = { confirmations: 5, stuckAfterMs: 60_000 };
const TIME_LOCKED = { releaseType: 1, status: 1, timeLockUntil: 1 };

/** Adds orders for which a call is due. */
const due = (count: number, purpose: WorkPurpose): Promise<TestIntent[]> =>
  Promise.all(
    Array.from({ length: count }, async () => {
      const made = await world.addIntent();
      await world.chain.fund(made.orderId, made.terms, 1, PAYER);
      const released = { status: 3, released: made.terms.amount };
      await world.chain.change(made.orderId, 2, purpose === "settle" ? released : TIME_LOCKED);
      return made;
    }),
  );

const saltOf = ({ terms }: TestIntent) => terms.salt.slice(2);

async function itemOf({ orderId }: TestIntent, purpose: WorkPurpose) {
  const [item] = await world.context.database
    .select()
    .from(workItem)
    .where(and(eq(workItem.orderId, orderId), eq(workItem.purpose, purpose)));
  return item;
}

describe("a remote signer", () => {
  for (const purpose of ["release_time_locked", "settle"] as const) {
    for (const response of ["denied", "changed", "unanswered"] as const) {
      it(`that leaves one call ${response} delays only its order: ${purpose}`, async () => {
        let bad: TestIntent[] = [];
        const { sent, work } = await start((data) =>
          bad.some((order) => data.includes(saltOf(order))) ? response : "signed",
        );
        const made = await due(5, purpose);
        bad = made.slice(2, 3);
        const run = work(purpose);
        await run();
        expect(sent).to.have.length(4);
        const [item] = await Promise.all(bad.map((order) => itemOf(order, purpose)));
        expect(item).to.include({ attempts: 1, clock: "wall" });
        expect(item?.lastError).to.include("signer");
        bad = [];
        await elapse(world.context);
        await run();
        expect(sent).to.have.length(5);
      });
    }
  }

  it("that denies many calls signs all others in the same run", async () => {
    let bad: TestIntent[] = [];
    const { sent, work } = await start((data) =>
      bad.some((order) => data.includes(saltOf(order))) ? "denied" : "signed",
    );
    const made = await due(10, "release_time_locked");
    bad = made.slice(0, 6);
    await work("release_time_locked")();
    expect(sent).to.have.length(4);
    const items = await Promise.all(bad.map((order) => itemOf(order, "release_time_locked")));
    expect(items.map((item) => item?.attempts)).to.deep.equal(Array(6).fill(1));
  });

  it("that denies everything is asked eleven times in a run, and costs ten orders an attempt", async () => {
    const { work, asked } = await start(() => "denied");
    const made = await due(20, "release_time_locked");
    await work("release_time_locked")();
    expect(asked()).to.equal(11);
    const items = await Promise.all(made.map((order) => itemOf(order, "release_time_locked")));
    expect(items.filter((item) => item?.attempts === 1)).to.have.length(10);
    expect(items.filter((item) => item?.attempts === 0)).to.have.length(10);
  });

  it("that does not respond at all costs no order an attempt", async () => {
    const { sent, work } = await start(() => "signed");
    const [made] = await due(5, "release_time_locked");
    if (!made) throw new Error("No order was added.");
    await server?.stop(true);
    await work("release_time_locked")();
    expect(sent).to.deep.equal([]);
    expect(await itemOf(made, "release_time_locked")).to.include({ attempts: 0, clock: "wall" });
  });

  it("that leaves all calls unanswered is asked at most three times in a run", async () => {
    const { work, asked } = await start(() => "unanswered");
    const made = await due(10, "release_time_locked");
    await work("release_time_locked")();
    expect(asked()).to.equal(3);
    const items = await Promise.all(made.map((order) => itemOf(order, "release_time_locked")));
    expect(items.filter((item) => item?.attempts === 0)).to.have.length(7);
  });

  for (const response of ["denied", "changed"] as const) {
    it(`that leaves one call ${response} delays no other order of a full batch of young orders`, async () => {
      let bad: TestIntent[] = [];
      const { sent, context } = await start((data) =>
        bad.some((order) => data.includes(saltOf(order))) ? response : "signed",
      );
      bad = (await due(5, "settle")).slice(2, 3);
      const settle = { ...context.config.settle, batchSize: 5, batchAge: 1_000_000_000 };
      await working({ ...context, config: { ...context.config, settle } }, "settle")();
      expect(sent).to.have.length(4);
    });

    it(`that leaves a replacement ${response} does not prevent the stuck transaction from being broadcast again`, async () => {
      let current: Response = "signed";
      const { sent, work, relayer } = await start(() => current);
      await due(1, "release_time_locked");
      await work("release_time_locked")();
      expect(sent).to.have.length(1);
      current = response;
      await world.context.database.update(transactionAttempt).set({ createdAt: new Date(0) });
      expect(await catchError(createResolver(relayer, STUCK)())).to.be.instanceOf(NotSigned);
      expect(sent).to.deep.equal([sent[0], sent[0]]);
    });

    it(`that leaves the filling of a gap ${response} does not prevent later transactions from being broadcast again`, async () => {
      let current: Response = "signed";
      const { sent, work, relayer } = await start(() => current);
      await due(1, "release_time_locked");
      await work("release_time_locked")();
      current = response;
      const { database } = world.context;
      await database.update(transaction).set({ nonce: 1, createdAt: new Date(0) });
      await database.update(transactionAttempt).set({ createdAt: new Date(0) });
      expect(await catchError(createResolver(relayer, STUCK)())).to.be.instanceOf(NotSigned);
      expect(sent).to.deep.equal([sent[0], sent[0]]);
      expect(await database.$count(transaction)).to.equal(1);
    });
  }

  it("does not matter for an outcome that cannot be written, and that keeps no other transaction from being broadcast", async () => {
    const { sent, work, relayer } = await start(() => "signed");
    await due(1, "release_time_locked");
    await work("release_time_locked")();
    const { database, deployment } = world.context;
    const key = { deploymentId: deployment.id, signer: relayer.account.address, nonce: 1_000 } as const;
    const used = { state: "mined", blockNumber: 50, blockHash: `0x${"12".repeat(32)}` } as const;
    await database.insert(transaction).values({ id: newId("tx"), purpose: "settle", ...key, ...used });
    await database.update(transactionAttempt).set({ createdAt: new Date(Date.now() - 5_000) });
    await database.execute(sql`alter table gateway.transaction add check (nonce < 1000 or state = 'mined')`);
    const error = await catchError(createResolver(relayer, STUCK)());
    expect(error).to.have.nested.property("cause.code", "23514");
    expect(sent).to.deep.equal([sent[0], sent[0]]);
  });

  it("does not hide that a replacement cannot be stored", async () => {
    const { sent, work, relayer } = await start(() => "signed");
    await due(1, "release_time_locked");
    await work("release_time_locked")();
    const { database } = world.context;
    await database.update(transactionAttempt).set({ createdAt: new Date(0) });
    await database.execute(
      sql`alter table gateway.transaction_attempt add check (created_at < now() - interval '1 day')`,
    );
    const error = await catchError(createResolver(relayer, STUCK)());
    expect(error).to.have.nested.property("cause.code", "23514");
    expect(sent).to.deep.equal([sent[0], sent[0]]);
  });
});

describe("the follower of transactions", () => {
  it("follows the guardian's, although the operator's cannot be followed", async () => {
    const { context, relayer, sent } = await start(() => "signed");
    const { database, deployment, client, config } = context;
    const key = generatePrivateKey();
    const operator = privateKeyToAddress(key);
    const guardian = {
      relayer: new Relayer(database, client, deployment, { ...config, operator, signing: { key } }),
    };
    const call = {
      purpose: "delist_token",
      orderIds: [],
      functionName: "setTokenListed",
      args: [USDC, false],
    } as const;
    const prepared = await guardian.relayer.prepare(call.purpose, [], call);
    await database.transaction((tx) => guardian.relayer.store(tx, prepared));
    await database.transaction((tx) => relayer.store(tx, prepared));
    await database.update(transactionAttempt).set({ createdAt: new Date(0) });
    relayer.replace = () =>
      Promise.reject(Object.assign(new Error("The node refuses connections."), { code: "ECONNREFUSED" }));
    const follow = createTransactionFollower({
      ...context,
      guardian: { ...guardian, delist: () => Promise.resolve() },
    });
    expect(await follow().catch((error: Error) => error.message)).to.include("refuses connections");
    expect(sent.length).to.be.greaterThan(0);
  });
});
