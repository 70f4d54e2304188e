// Settled orders, and a gateway with one payout worker and the route for webhooks of a stand-in provider.
import { Registry } from "prom-client";
import type { Database } from "#core/db/client.ts";
import type { PayoutState } from "#core/db/schema/payouts.ts";
import { Drain } from "#core/runtime/shutdown.ts";
import { until } from "#scripts/shared/wait.ts";
import type { OffRamp } from "#settlement/off-ramp/off-ramp.ts";
import { createWebhookReceiver, WEBHOOK_PATH } from "#settlement/off-ramp/receive-webhook.ts";
import { serveWebhooks } from "#settlement/off-ramp/serve-webhooks.ts";
import { createPayoutHandler } from "#settlement/payouts/pay-out.ts";
import { type Destination, settledWorld, stateOf } from "./settled-world.ts";

/**
 * @param start starts the stand-in, which sends its webhooks to this URL
 * @param openAdapter opens the adapter that calls the stand-in
 */
export async function startProviderGateway<P extends { stop(): Promise<void> }>(
  destinations: Destination[],
  start: (webhookUrl: string) => P,
  openAdapter: (database: Database, provider: P) => OffRamp,
) {
  let route = "";
  const relay = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request) => fetch(route, { method: "POST", headers: request.headers, body: request.body }),
  });
  const provider = start(`http://127.0.0.1:${relay.port}`);
  const { world, ids } = await settledWorld(destinations, (database) => openAdapter(database, provider));
  const { context } = world;
  const pay = createPayoutHandler(context, () => undefined, { leaseMs: 8_000, answerMs: 2_000 });
  const receiveWebhook = createWebhookReceiver(context, () => undefined);
  if (!receiveWebhook) throw new Error("The provider sends no webhooks.");
  const metrics = new Registry();
  const server = serveWebhooks({
    ...{ host: "127.0.0.1", port: 0, metrics, drain: new Drain() },
    receive: receiveWebhook,
    onProblem: () => undefined,
  });
  const url = `http://127.0.0.1:${server.port}${WEBHOOK_PATH}`;
  route = url;
  const { database } = context;
  const read = (some: string[]) => Promise.all(some.map((id) => stateOf(database, id)));
  return {
    ...{ provider, database, ids, pay, url, read, metrics },
    /** Polls with the worker, like the role's loop, until all payouts have one of these states. */
    async payUntil(some: string[], ...states: (PayoutState | undefined)[]) {
      const there = async () => (await read(some)).every((row) => states.includes(row?.state));
      const polls = async () => {
        await pay(some);
        return there();
      };
      await until(polls, { what: `Payouts being ${states.join(" or ")}`, timeoutMs: 20_000 });
    },
    async stop() {
      await provider.stop();
      await Promise.all([server.stop(true), relay.stop(true)]);
      await world.close();
    },
  };
}
