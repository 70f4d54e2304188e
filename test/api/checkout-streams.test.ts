// How many streams a gateway keeps open for payment pages: so many for an address, so many in all, and no more.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { createApp } from "#api/app.ts";
import { createServices, type Services } from "#api/services.ts";
import { connectChain } from "#core/chain/client.ts";
import { readConfig } from "#core/config.ts";
import { connect } from "#core/db/client.ts";
import { currentDeployment } from "#core/deployment.ts";
import type { IntentId } from "#core/ids.ts";
import { createLog } from "#core/log.ts";
import { until } from "#scripts/local/wait.ts";
import { type SharedStack, sharedStack } from "../support/shared-stack.ts";
import { Client } from "./support/client.ts";
import { create } from "./support/payments.ts";

const OF_ADDRESS = 50;
const IN_ALL = 2_000;

let stack: SharedStack;
/** An API of this test's own beside the shared one, which believes its callers where they come from. */
let services: Services;
let app: ReturnType<typeof createApp>;
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
  id = (await create(new Client(stack.baseUrl, stack.merchants[0]?.apiKey))).id as IntentId;
});
afterAll(async () => {
  await services?.endStreams();
  await app?.server?.stop(true);
  await services?.stop();
  await services?.database.$client.end();
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

/** A stream that was left is noticed when its connection ends. */
const untilOpened = (address: string): Promise<Opened> =>
  until(
    async () => {
      const opened = await open(address);
      return opened.response.status === 200 ? opened : null;
    },
    { what: `A stream for ${address}`, timeoutMs: 10_000 },
  );

describe("streams", () => {
  it("are limited in all, and one that ends makes room", async () => {
    const streams: ReadableStream[] = [];
    for (;;) {
      const stream = services.checkouts.open(id, `visitor ${streams.length}`);
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

  it("are limited per address: others get theirs, and whoever leaves makes room", async () => {
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
