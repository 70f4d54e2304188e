// `npm run ops -- rebroadcast` sends a stuck transaction to a node again, exactly as signed.
import { afterAll, afterEach, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { and, eq } from "drizzle-orm";
import { type Hex, zeroHash } from "viem";
import { auditLog } from "#core/db/schema/audit-log.ts";
import { transaction, transactionAttempt } from "#core/db/schema/transactions.ts";
import { blockHash } from "#test/settlement/support/chain-tables.ts";
import { relayingChain } from "#test/settlement/support/fake-rpc.ts";
import { makeWorld, type World } from "#test/settlement/support/world.ts";
import { runScript } from "#test/support/run-script.ts";

const OUTBID = "replacement transaction underpriced";

let world: World;
/** The transactions that the node has received. */
const sent: Hex[] = [];
let genesis: Hex = zeroHash;
const node = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    const { id, method, params } = (await request.json()) as { id: number; method: string; params: Hex[] };
    if (method === "eth_sendRawTransaction") {
      sent.push(params[0] ?? "0x");
      if (sent.length > 1)
        return Response.json({ jsonrpc: "2.0", id, error: { code: -32000, message: OUTBID } });
      return Response.json({ jsonrpc: "2.0", id, result: blockHash(0) });
    }
    return Response.json({ jsonrpc: "2.0", id, result: { number: "0x0", hash: genesis, transactions: [] } });
  },
});

beforeAll(async () => {
  world = await makeWorld({ answers: relayingChain() });
});
afterEach(() => {
  sent.length = 0;
  genesis = zeroHash;
});
afterAll(async () => {
  await world.close();
  await node.stop(true);
});

const rebroadcast = (id: string, rpcUrl = node.url.href) =>
  runScript("ops.ts", ["rebroadcast", id, "--by", "Ada", "--json"], {
    DATABASE_URL: world.databaseUrl,
    RPC_URL: rpcUrl,
  });

/** Stores a signed transaction that no node has received. */
async function stored() {
  const { relayer, database } = world.context;
  const { id, orderId } = await world.addIntent();
  const call = await relayer.prepare("settle", [orderId], { functionName: "settle", args: [[]] });
  const attempt = await database.transaction((tx) => relayer.store(tx, call));
  return { intentId: id, ...attempt };
}

const is = (id: string, state: "final") =>
  world.context.database.update(transaction).set({ state }).where(eq(transaction.id, id));

const audited = (resourceId: string) =>
  world.context.database
    .select({ action: auditLog.action, actor: auditLog.actorType, intentId: auditLog.intentId })
    .from(auditLog)
    .where(and(eq(auditLog.resourceId, resourceId), eq(auditLog.actorType, "operations")));

describe("npm run ops -- rebroadcast", () => {
  it("sends every attempt, after those of earlier nonces, and records it", async () => {
    const { database, relayer } = world.context;
    const first = await stored();
    const stuck = await stored();
    const [row] = await database.select().from(transaction).where(eq(transaction.id, stuck.transactionId));
    if (!row) throw new Error("The transaction is not stored.");
    const { hash, raw } = await relayer.replace(row, -1);
    expect(hash).not.to.equal(stuck.hash);

    const { output, errors, exitCode } = await rebroadcast(stuck.transactionId);
    expect(errors).to.equal("");
    expect(exitCode).to.equal(0);
    expect(sent).to.deep.equal([first.raw, stuck.raw, raw]);
    expect((JSON.parse(output) as { attempts: object[] }).attempts).to.deep.equal([
      { transaction: first.transactionId, nonce: first.nonce, hash: first.hash, answer: "taken" },
      ...[stuck.hash, hash].map((one) => ({
        ...{ transaction: stuck.transactionId, nonce: stuck.nonce, hash: one },
        answer: `there already: ${OUTBID}`,
      })),
    ]);
    expect(await audited(stuck.transactionId)).to.deep.equal([
      { action: "transaction.rebroadcast", actor: "operations", intentId: stuck.intentId },
    ]);
    expect(await database.$count(transactionAttempt)).to.equal(3);
    for (const { transactionId } of [first, stuck]) await is(transactionId, "final");
  });

  it("sends nothing to a node of a different chain, and only sends pending transactions", async () => {
    const { transactionId } = await stored();
    genesis = blockHash(7);
    const elsewhere = await rebroadcast(transactionId);
    expect(elsewhere.exitCode).to.equal(1);
    expect(elsewhere.errors).to.include("is not the one").and.not.to.include(node.url.host);
    genesis = zeroHash;
    await is(transactionId, "final");
    const done = await rebroadcast(transactionId);
    expect(done.exitCode).to.equal(1);
    expect(done.errors).to.include("is final");
    expect(sent).to.deep.equal([]);
    expect(await audited(transactionId)).to.deep.equal([]);
  });

  it("reports an unreachable node without its URL", async () => {
    const { transactionId } = await stored();
    const { exitCode, errors } = await rebroadcast(transactionId, "http://127.0.0.1:1/a-key");
    expect(exitCode).to.equal(1);
    expect(errors).to.include("cannot be reached").and.not.to.include("a-key");
    expect(await audited(transactionId)).to.deep.equal([]);
    await is(transactionId, "final");
  });
});
