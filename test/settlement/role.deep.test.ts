import { afterAll, beforeAll, describe, it } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import type { Hex } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import type { Child } from "#scripts/devnet/child.ts";
import { freePort } from "#scripts/devnet/ports.ts";
import { type Environment, startRoleProcess } from "#scripts/devnet/roles.ts";
import { until } from "#scripts/shared/wait.ts";
import { WEBHOOK_PATH } from "#settlement/off-ramp/receive-webhook.ts";
import { type Stack, startStack } from "#test/support/stack.ts";

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ roles: [] });
});
afterAll(() => stack.stop());

const ANOTHER_CONTRACT = "0x000000000000000000000000000000000000dEaD";

/** Without a provider, the webhook port is closed. */
const WITHOUT_PROVIDER = {
  ...{ OFF_RAMP_API_URL: "", OFF_RAMP_API_KEY: "", OFF_RAMP_CUSTOMER_ID: "" },
  ...{ OFF_RAMP_WALLET_ID: "", OFF_RAMP_WEBHOOK_KEY: "" },
};

let started = 0;

async function start(changes: Environment = {}): Promise<{ child: Child; log: string; url: string }> {
  const port = await freePort();
  const log = join(stack.logs, `settlement-alone-${++started}.log`);
  const environment = { ...stack.environment, ...changes, SETTLEMENT_PORT: String(port) };
  return {
    child: await startRoleProcess("settlement", environment, log),
    log,
    url: `http://127.0.0.1:${port}`,
  };
}

/** Returns the status of the response; 0 if the connection fails. */
const statusOf = (url: string, init?: RequestInit): Promise<number> =>
  fetch(url, init).then(
    (response) => response.status,
    () => 0,
  );

const listens = (url: string) =>
  until(async () => (await statusOf(`${url}/health`)) === 200, { what: "Health", timeoutMs: 15_000 });

describe("the settlement role", () => {
  it("is alive but not ready while the database and the chain are unavailable, and stops when asked to", async () => {
    const nowhere = `http://127.0.0.1:${await freePort()}`;
    const { child, url } = await start({
      DATABASE_URL: nowhere.replace("http", "postgres"),
      RPC_URL: nowhere,
      ...WITHOUT_PROVIDER,
    });
    await listens(url);
    expect(await statusOf(`${url}/ready`)).to.equal(503);
    expect(await statusOf(`${url}/elsewhere`)).to.equal(404);
    for (const port of [new URL(url).port, stack.environment.WEBHOOK_PORT]) {
      const there = await statusOf(`http://127.0.0.1:${port}${WEBHOOK_PATH}`, { method: "POST" });
      expect(there).to.equal(port === stack.environment.WEBHOOK_PORT ? 0 : 404);
    }
    child.signal("SIGTERM");
    expect(await child.exited).to.equal("exit code 0");
  });

  it("becomes ready once the indexer is up, and stops cleanly and quickly", async () => {
    const { child, url, log } = await start();
    await listens(url);
    await until(() => readFileSync(log, "utf8").includes('"msg":"started"'), {
      what: "The start",
      timeoutMs: 15_000,
    });
    expect(await statusOf(`${url}/ready`)).to.equal(503);
    await stack.restart("indexer");
    await until(async () => (await statusOf(`${url}/ready`)) === 200, {
      what: "Readiness",
      timeoutMs: 15_000,
    });
    const asked = performance.now();
    child.signal("SIGTERM");
    expect(await child.exited).to.equal("exit code 0");
    expect(performance.now() - asked).to.be.lessThan(4_000);
    await stack.kill("indexer");
  });

  it("is not ready while it drains, closes the provider's connections, and exits immediately when asked again", async () => {
    const webhookPort = String(await freePort());
    const { child, url } = await start({ DRAIN_MS: "60000", WEBHOOK_PORT: webhookPort });
    await listens(url);
    child.signal("SIGTERM");
    await until(async () => (await (await fetch(`${url}/ready`)).text()).includes("stopping"), {
      what: "The drain",
      timeoutMs: 15_000,
    });
    expect(await statusOf(`${url}/ready`)).to.equal(503);
    for (const [path, status] of [
      [WEBHOOK_PATH, 405],
      ["/elsewhere", 404],
    ] as const) {
      const answer = await fetch(`http://127.0.0.1:${webhookPort}${path}`);
      expect([answer.status, answer.headers.get("connection")]).to.deep.equal([status, "close"]);
    }
    child.signal("SIGTERM");
    expect(await child.exited).to.equal("exit code 1");
  });

  it("refuses to work for a contract other than the database's, and reports it", async () => {
    const { child, log } = await start({ CONTRACT_ADDRESS: ANOTHER_CONTRACT });
    expect(await child.exited).to.equal("exit code 1");
    expect(readFileSync(log, "utf8")).to.contain("The database belongs to contract");
  });

  it("reports configuration errors without revealing values", async () => {
    const { child, log } = await start({ OPERATOR_KEY: "0x1234" });
    expect(await child.exited).to.equal("exit code 1");
    const said = readFileSync(log, "utf8");
    expect(said).to.contain("OPERATOR_KEY");
    expect(said).not.to.contain("0x1234");
  });

  it("rejects a signer without the operator's key, and reads its key from a file", async () => {
    const signer = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: () => Response.json({ jsonrpc: "2.0", id: 1, result: [ANOTHER_CONTRACT] }),
    });
    const operator = privateKeyToAddress(stack.environment.OPERATOR_KEY as Hex);
    const other = { OPERATOR_SIGNER_URL: signer.url.href, OPERATOR_ADDRESS: operator };
    const { child, log } = await start({ OPERATOR_KEY: "", ...other });
    expect(await child.exited).to.equal("exit code 1");
    expect(readFileSync(log, "utf8")).to.contain("has no key for").and.contain(operator);
    await signer.stop(true);

    const file = join(stack.logs, "operator-key");
    writeFileSync(file, `${stack.environment.OPERATOR_KEY}\n`);
    const started = await start({ OPERATOR_KEY: "", OPERATOR_KEY_FILE: file });
    await until(() => readFileSync(started.log, "utf8").includes(`"operator":"${operator}"`), {
      what: "The start with that operator",
      timeoutMs: 15_000,
    });
    started.child.signal("SIGTERM");
    expect(await started.child.exited).to.equal("exit code 0");
  });
});
