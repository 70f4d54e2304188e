// Payment page streams: how many streams a gateway keeps open, what each stream receives, and what happens to a stream
// that the client does not read.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { Client as Postgres } from "pg";
import { createApp } from "#api/app.ts";
import { createServices } from "#api/create-services.ts";
import type { Services } from "#api/services.ts";
import { connectChain } from "#core/chain/client.ts";
import { readConfig } from "#core/config/config.ts";
import { connect } from "#core/db/client.ts";
import { currentDeployment } from "#core/deployment/deployment.ts";
import type { IntentId } from "#core/ids.ts";
import { createLog } from "#core/log.ts";
import { until } from "#scripts/shared/wait.ts";
import { type SharedStack, sharedStack } from "../support/shared-stack.ts";
import { Client } from "./support/client.ts";
import { change, EventStream, largePayment } from "./support/event-streams.ts";
import { create } from "./support/payments.ts";

const OF_ADDRESS = 50;
const IN_ALL = 2_000;

let stack: SharedStack;
/** Services of a separate API instance that trusts the callers' forwarded addresses. */
let services: Services;
let app: ReturnType<typeof createApp>;
let client: Client;
let postgres: Postgres;
let id: IntentId;

beforeAll(async () => {
  stack = await sharedStack();
  const config = readConfig({ ...stack.environment, TRUSTED_PROXIES: "127.0.0.1" });
  const database = connect(stack.databaseUrl, { max: 2, application: "test" });
  const deployment = await currentDeployment(database, connectChain(config), config);
  services = createServices({
    config,
    database,
    reads: database,
    deployment,
    log: createLog("api", "silent"),
  });
  app = createApp(services).listen({ hostname: "127.0.0.1", port: 0 });
  client = new Client(stack.baseUrl, stack.merchants[0]?.apiKey);
  postgres = new Postgres({ connectionString: stack.databaseUrl });
  await postgres.connect();
  id = (await create(client)).id as IntentId;
});
afterAll(async () => {
  await services?.endStreams();
  await app?.server?.stop(true);
  await services?.stop();
  await services?.database.$client.end();
  await postgres?.end();
  await stack?.stop();
});

type Opened = { response: Response; leave(): void };

async function open(address: string): Promise<Opened> {
  const abort = new AbortController();
  const path = `/v1/payment-intents/public/${id}/checkout`;
  const response = await fetch(new URL(path, app.server?.url), {
    headers: { Accept: "text/event-stream", "X-Forwarded-For": address },
    signal: abort.signal,
  });
  return { response, leave: () => abort.abort() };
}

async function expectRefused({ response }: Opened): Promise<void> {
  expect(response.status).to.equal(503);
  expect(response.headers.get("retry-after")).to.match(/^\d+$/);
  const { error } = (await response.json()) as { error: { code: string; message: string } };
  expect(error.code).to.equal("service_unavailable");
  expect(error.message).to.include("Too many streams");
}

/** Retries, because the server notices a closed stream only when the connection ends. */
const untilOpened = (address: string): Promise<Opened> =>
  until(
    async () => {
      const opened = await open(address);
      return opened.response.status === 200 ? opened : null;
    },
    { what: `A stream for ${address}`, timeoutMs: 10_000 },
  );

describe("streams", () => {
  it("are limited in total, and a stream that ends frees a slot", async () => {
    const streams: ReadableStream[] = [];
    for (;;) {
      const stream = services.checkouts.open(id, {
        owner: `visitor ${streams.length}`,
        closeAfterIdle: () => undefined,
      });
      if (!stream) break;
      streams.push(stream);
    }
    expect(streams).to.have.length(IN_ALL);
    await expectRefused(await open("203.0.113.3"));
    await streams[0]?.cancel();
    const { leave } = await untilOpened("203.0.113.3");
    leave();
    await Promise.all(streams.map((stream) => stream.cancel()));
  });

  it("are limited per address: other addresses are unaffected, and a closed stream frees a slot", async () => {
    const mine = await Promise.all(Array.from({ length: OF_ADDRESS }, () => open("203.0.113.1")));
    expect(mine.map(({ response }) => response.status)).to.deep.equal(Array(OF_ADDRESS).fill(200));
    await expectRefused(await open("203.0.113.1"));
    const other = await open("203.0.113.2");
    expect(other.response.status).to.equal(200);
    mine[0]?.leave();
    const again = await untilOpened("203.0.113.1");
    for (const { leave } of [...mine, other, again]) leave();
  });
});

describe("a stream", () => {
  const origin = () => app.server?.url.origin ?? "";

  it("receives the current state when it opens, then every change, and nothing when another stream opens", async () => {
    const intent = await create(client);
    const open = () => EventStream.open(origin(), intent.id, "203.0.113.4");
    const first = await open();
    const others = await Promise.all([open(), open(), open()]);
    await client.post(`/payment-intents/${intent.id}/cancel`, {});
    for (const stream of [first, ...others]) {
      await stream.untilMessages(2);
      expect(stream.statuses).to.deep.equal(["INITIATED", "CANCELED"]);
      stream.leave();
    }
  });

  it("is closed with its connection if its client stops reading, while other streams continue", async () => {
    const payment = await largePayment(client, postgres);
    const open = () => EventStream.open(origin(), payment, "203.0.113.5");
    const [stalled, read] = await Promise.all([open(), open()]);
    stalled.stall();
    let changes = 0;
    await until(
      async () => {
        await change(postgres, payment);
        await read.untilMessages(1 + ++changes);
        return app.server?.pendingRequests === 1;
      },
      { what: "The stalled connection being closed", timeoutMs: 30_000 },
    );
    expect(read.closed).to.equal(false);
    read.leave();
    stalled.read();
    await stalled.untilClosed();
    expect(stalled.statuses.length).to.be.below(1 + changes);
  });
});
