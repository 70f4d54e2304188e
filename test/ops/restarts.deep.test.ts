// How an API process shuts down without its clients noticing. `npm run test:deep` restarts the process more often.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { expect } from "chai";
import type { Child } from "#scripts/devnet/child.ts";
import { freePort } from "#scripts/devnet/ports.ts";
import { type Environment, roleProcessReady, startRoleProcess } from "#scripts/devnet/roles.ts";
import { until } from "#scripts/shared/wait.ts";
import { DEEP } from "#test/support/deep.ts";
import { Client } from "../api/support/client.ts";
import { EventStream } from "../api/support/event-streams.ts";
import { create } from "../api/support/payments.ts";
import { BalancedClients } from "../support/balanced-client.ts";
import { type SharedStack, sharedStack } from "../support/shared-stack.ts";

const CLIENTS = 16;
const RESTARTS = DEEP ? 20 : 3;

let stack: SharedStack;
let id: string;
const started: Child[] = [];

beforeAll(async () => {
  stack = await sharedStack();
  ({ id } = await create(new Client(stack.baseUrl, stack.merchants[0]?.apiKey)));
});
afterAll(async () => {
  await Promise.all(started.map((child) => child.stop()));
  await stack?.stop();
});

async function start(changes: Environment): Promise<{ child: Child; origin: string }> {
  const environment = { ...stack.environment, PORT: String(await freePort()), ...changes };
  const child = await startRoleProcess(
    "api",
    environment,
    join(stack.logs, `api-${randomBytes(3).toString("hex")}.log`),
  );
  started.push(child);
  await roleProcessReady(child, environment);
  return { child, origin: `http://127.0.0.1:${environment.PORT}` };
}

/** Returns the response to a GET; undefined if the connection fails. */
const ask = (url: string): Promise<Response | undefined> => fetch(url).catch(() => undefined);

const untilNotReady = (origin: string) =>
  until(async () => (await ask(`${origin}/ready`))?.status === 503, {
    what: "/ready answering 503",
    timeoutMs: 10_000,
  });

describe("an API process that is asked to stop", () => {
  it(`resets none of ${CLIENTS} keep-alive connections in ${RESTARTS} restarts`, async () => {
    const port = await freePort();
    const environment = { PORT: String(port), DRAIN_MS: "1000" };
    let { child } = await start(environment);
    const clients = new BalancedClients(port, `/v1/payment-intents/public/${id}`, CLIENTS);
    try {
      for (let restart = 1; restart <= RESTARTS; restart++) {
        const { answers } = clients;
        await until(() => clients.answers > answers + 10 * CLIENTS, { what: "Answers", timeoutMs: 30_000 });
        child.signal("SIGTERM");
        expect(await child.exited).to.equal("exit code 0");
        expect(clients.drains).to.equal(restart);
        ({ child } = await start(environment));
      }
    } finally {
      await clients.stop();
    }
    expect(clients.failures).to.deep.equal([]);
  });

  it("is not ready, keeps serving, and closes each connection with its next response", async () => {
    const { child, origin } = await start({ DRAIN_MS: "60000" });
    child.signal("SIGTERM");
    await untilNotReady(origin);
    expect(await (await ask(`${origin}/ready`))?.json()).to.deep.equal({ status: "stopping" });
    for (const [path, status] of [
      ["/health", 200],
      [`/v1/payment-intents/public/${id}`, 200],
      ["/v1/nowhere", 404],
      ["/dashboard", 200],
      ["/docs/json", 200],
    ] as const) {
      const answer = await ask(`${origin}${path}`);
      expect([answer?.status, answer?.headers.get("connection")], path).to.deep.equal([status, "close"]);
    }
    child.signal("SIGTERM");
    expect(await child.exited).to.equal("exit code 1");
  });

  it("ends its streams, and responds to the request that it is receiving", async () => {
    const { child, origin } = await start({ DRAIN_MS: "0" });
    const stream = await EventStream.open(origin, id, "203.0.113.6");
    const { port } = new URL(origin);
    const request = connect(Number(port), "127.0.0.1").setEncoding("utf8");
    let answer = "";
    request.on("data", (text) => {
      answer += text;
    });
    const ended = new Promise((resolve) => request.on("close", resolve));
    const first = ["GET /health HTTP/1.1", "Host: localhost", "\r\n"].join("\r\n");
    const head = ["POST /v1/payment-intents HTTP/1.1", "Host: localhost", "Content-Length: 2", "\r\n"].join(
      "\r\n",
    );
    await once(request, "connect");
    // Sent in one segment, so the response to the first request shows that the beginning of the second has arrived.
    request.write(`${first}${head}{`);
    await until(async () => answer.includes("HTTP/1.1 200 "), {
      what: "The first response",
      timeoutMs: 10_000,
    });
    // A response to a later request shows that the API has read it as well.
    expect(await ask(`${origin}/health`)).not.to.equal(undefined);
    child.signal("SIGTERM");
    await stream.untilClosed();
    await until(async () => (await ask(`${origin}/health`)) === undefined, {
      what: "The end of listening",
      timeoutMs: 10_000,
    });
    expect(child.ended()).to.equal(null);
    request.write("}");
    await ended;
    expect(answer).to.include("HTTP/1.1 401 ");
    expect(await child.exited).to.equal("exit code 0");
  });
});
