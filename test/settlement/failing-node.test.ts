// Reads while the indexer is below the high-water mark and the node does not return the chain's tip.
import { afterAll, afterEach, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { eq } from "drizzle-orm";
import { toServiceError } from "#api/http/errors.ts";
import { connectChain } from "#core/chain/client.ts";
import { deployment } from "#core/db/schema/deployments.ts";
import { workItem } from "#core/db/schema/work.ts";
import { createIndexerGuard } from "#core/indexer-state/guard.ts";
import { createIntentReader } from "#core/intent/read-intent.ts";
import { NOW, scheduleWork } from "#core/work/schedule-work.ts";
import { createObserver } from "#settlement/events/observe.ts";
import { Problems } from "#settlement/runtime/problems.ts";
import { WorkLoop } from "#settlement/runtime/work-loop.ts";
import { BUILD, CHAIN_ID } from "./support/chain-tables.ts";
import { MERCHANT, makeWorld, PAYER, type World } from "./support/world.ts";

const error = (code: number, message: string) => () =>
  Response.json({ jsonrpc: "2.0", id: 1, error: { code, message } });
const result = (value: unknown) => () => Response.json({ jsonrpc: "2.0", id: 1, result: value });

const NODE_RESPONSES: [string, () => Response][] = [
  ["HTTP 503", () => new Response("unavailable", { status: 503 })],
  ["HTTP 429", () => new Response("slow down", { status: 429 })],
  ["HTTP 200 with an HTML page", () => new Response("<html>", { headers: { "content-type": "text/html" } })],
  ["-32005 limit exceeded", error(-32_005, "limit exceeded")],
  ["-32603 internal error", error(-32_603, "internal error")],
  ["-32000 upstream timeout", error(-32_000, "upstream request timed out")],
  ["-32002 resource unavailable", error(-32_002, "node is syncing")],
  [
    "JSON-RPC error 429, as Alchemy returns it",
    error(429, "Your app has exceeded its compute units per second capacity."),
  ],
  ["-32016 over rate limit, as Base returns it", error(-32_016, "over rate limit")],
  ["a null result", result(null)],
  ["an empty hex result", result("0x")],
];

let reply: () => Response = result("0x0");
const node = Bun.serve({ port: 0, fetch: () => reply() });
let world: World;
beforeAll(async () => {
  world = await makeWorld();
});
afterAll(async () => {
  await world.close();
  await node.stop(true);
});
afterEach(() => world.context.database.update(deployment).set({ highWaterBlock: 0 }));

function createReader() {
  const { database, deployment: current, config } = world.context;
  const client = connectChain({ chain: { id: CHAIN_ID, rpcUrl: `http://127.0.0.1:${node.port}` } });
  const guard = createIndexerGuard({ database, client, deployment: current, build: BUILD, lagMs: 0 });
  return { guard, client, reader: createIntentReader({ reads: database, config, guard }) };
}

describe("reads while the indexer is below the high-water mark", () => {
  for (const [name, answer] of NODE_RESPONSES) {
    it(`fail with 503 if the node responds with ${name}`, async () => {
      const { reader } = createReader();
      await world.context.database.update(deployment).set({ highWaterBlock: 100 });
      await world.chain.head(60);
      reply = answer;
      const shown = await reader.head().then(
        () => "trusted",
        (caught: unknown) => toServiceError(caught).status,
      );
      expect(shown).to.equal(503);
    });
  }

  it("do not use up an attempt of a work item if the node responds with -32603", async () => {
    const { reader, guard, client } = createReader();
    const made = await world.addIntent();
    await world.chain.fund(made.orderId, made.terms, 50, PAYER);
    const { database, deployment: current } = world.context;
    await world.chain.head(100);
    const context = { ...world.context, guard, client, reader };
    reply = result("0x64");
    const loop = new WorkLoop(
      context,
      { observe: createObserver(context) },
      new Problems(context.log),
      () => undefined,
    );
    await loop.run();
    await loop.settled();
    const item = () => database.select().from(workItem).where(eq(workItem.orderId, made.orderId));
    await scheduleWork(database, current.id, [
      { orderId: made.orderId, merchantId: MERCHANT, purpose: "observe", ...NOW },
    ]);
    // The indexer restarts after the tracker has read the head, and before the handler reads it.
    await world.chain.head(60);
    reply = error(-32_603, "internal error");
    await loop.run({ mayBeDue: true, follow: false });
    await loop.settled();
    const [row] = await item();
    expect(row).to.include({ attempts: 0, lastError: null });
  });
});
