// Everything that integrators receive works against one gateway as the guides describe: every snippet, and the
// `gateway` command.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { randomUUID } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { newWebhookSecret } from "#core/webhooks/signature.ts";
import { KINDS, type Kind } from "#scripts/cli/gateway/help.ts";
import { root } from "#scripts/shared/paths.ts";
import { webhooks } from "#sdk/index.ts";
import { Client } from "#test/api/support/client.ts";
import { create } from "#test/api/support/payments.ts";
import { runScript } from "#test/support/run-script.ts";
import { type Stack, startStack } from "#test/support/stack.ts";

const FOLDER = join(root, "docs/guides/snippets");
/** Snippets that others import print nothing. */
const NOTHING = /^$/;

const EXPECTED: Record<string, RegExp> = {
  "authentication.sh": /^(\{"id":"merchant_\w+","object":"account".*\}){3}$/,
  "create-payment.sh": /"status":"INITIATED".*"typedData":/,
  "dispute.ts": /^COMPLETED 40\.00\n|^DELIVERED 40\.00\n/,
  "errors.sh": /^\{"error":\{"code":"resource_missing".*"param":"intentId".*"requestId":"req_/,
  "errors.ts": /^invalid_request in amount: /,
  "failed-payout.ts": /^REQUIRES_ACTION\nSETTLED\n$/,
  "first-payment.ts": /^intent_\w+ INITIATED\nintent_\w+ SUCCEEDED\nintent_\w+ SETTLED\n$/,
  "funded-payment.ts": NOTHING,
  "idempotency.sh": /^\{"id":"(intent_\w+)".*\}\{"id":"\1".*\}$/,
  "idempotency.ts": /^one payment\n$/,
  "milestones.ts": /^SETTLED\n$/,
  "pagination.sh": /^\{"object":"list","data":\[.*"has_more":/,
  "pagination.ts": /^intent_\w+ [A-Z]+\n/,
  "rate-limits.sh": /^x-ratelimit-remaining: \d+\r?$/im,
  "retrieve-payment.sh": /^\{"id":"intent_\w+"/,
  "test-clock.sh": /^\{"object":"test_clock","livemode":false,"time":\d+\}$/,
  "test-clock.ts": /^SETTLED\n$/,
  // The endpoint also receives the events of the other snippets' payments.
  "webhook-receiver.ts": /^([\w.]+ received\n)*webhook\.test received\n([\w.]+ received\n)*$/,
};

/** These snippets advance time, which would affect the others. */
const LAST = ["test-clock.sh", "test-clock.ts"];
const FIRST = Object.keys(EXPECTED).filter((file) => !LAST.includes(file));

let stack: Stack;
let env: Record<string, string>;

beforeAll(async () => {
  stack = await startStack({ env: { TEST_CLOCK: "on" } });
  const client = new Client(stack.baseUrl, stack.merchants[0]?.apiKey);
  env = {
    GATEWAY_URL: stack.baseUrl,
    GATEWAY_KEY: client.apiKey ?? "",
    INTENT: (await create(client)).id,
    ORDER: randomUUID(),
  };
});
afterAll(() => stack?.stop());

async function run(file: string): Promise<string> {
  const command = file.endsWith(".ts") ? [process.execPath, file] : ["sh", file];
  const child = Bun.spawn(command, { cwd: FOLDER, env: { ...process.env, ...env }, stderr: "pipe" });
  const [output, errors, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  expect(code, `${file}: ${errors}`).to.equal(0);
  return output;
}

describe("the snippets of the guides", () => {
  it("are all run by this test", () => {
    expect(readdirSync(FOLDER).sort()).to.deep.equal(Object.keys(EXPECTED).sort());
  });

  it("do what the guides say", async () => {
    const outputs = await Promise.all(FIRST.map(run));
    for (const [index, file] of FIRST.entries())
      expect(outputs[index], file).to.match(EXPECTED[file] ?? NOTHING);
  });

  it.each(LAST)("advance time: %s", async (file) => {
    expect(await run(file)).to.match(EXPECTED[file] ?? NOTHING);
  });
});

describe("the command gateway", () => {
  const gateway = async (...args: string[]) => {
    const { output, errors, exitCode } = await runScript("gateway.ts", [...args, "--json"], env);
    expect(exitCode, `${args}: ${errors}`).to.equal(0);
    const lines = output.trim().split("\n").filter(Boolean);
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  };

  const ENDS: Record<Kind, string> = {
    payment: "SETTLED",
    "time-lock": "SETTLED",
    milestones: "SETTLED",
    refund: "CANCELED",
    dispute: "SETTLED",
    "failed-payout": "SETTLED",
    canceled: "CANCELED",
  };

  it("triggers every kind of payment, tails their events, and forwards them signed like webhooks", async () => {
    const received: string[] = [];
    const secret = newWebhookSecret();
    env.GATEWAY_WEBHOOK_SECRET = secret;
    const receiver = Bun.serve({
      port: 0,
      async fetch(request) {
        const event = await webhooks.verify(await request.text(), request.headers, secret);
        received.push(event.type);
        return new Response(null, { status: 204 });
      },
    });
    try {
      const [url, most] = [`http://127.0.0.1:${receiver.port}`, ["--max-events", "5"]];
      const listening = gateway("listen", "--forward-to", url, "--type", "payment_intent.*", ...most);
      const tailing = gateway("events", "tail", ...most);
      const lives = KINDS.map(async (kind) => {
        const steps = await gateway("trigger", kind);
        expect(steps.at(-1)?.step, kind).to.equal(ENDS[kind]);
      });
      await Promise.all(lives);
      const [, ...forwarded] = await listening;
      expect(forwarded.map(({ type }) => type)).to.deep.equal(received);
      expect(forwarded.map(({ result }) => result)).to.deep.equal(Array(5).fill("204"));
      for (const type of received) expect(type).to.match(/^payment_intent\./);
      expect((await tailing).map(({ object }) => object)).to.deep.equal(Array(5).fill("event"));
    } finally {
      await receiver.stop(true);
    }
  });

  it("lists and shows payments, and shows and advances the clock", async () => {
    const [newest] = await gateway("payments", "--limit", "1", "--status", "SETTLED");
    const [shown] = await gateway("payments", String(newest?.id));
    expect(shown).to.include({ id: newest?.id, object: "payment_intent" });
    const [before] = await gateway("clock");
    const [after] = await gateway("clock", "advance", "60");
    expect(Number(after?.time) - Number(before?.time)).to.be.at.least(60);
  });

  it("shows the API's error message, with exit code 1", async () => {
    const { errors, exitCode } = await runScript("gateway.ts", ["payments", "intent_1"], env);
    expect(errors.trim().split("\n")).to.have.length(1);
    expect(exitCode).to.equal(1);
    const live = { GATEWAY_KEY: "sk_live_0123456789abcdef", GATEWAY_URL: "http://127.0.0.1:9/v1" };
    const refused = await runScript("gateway.ts", ["trigger", "payment"], live);
    expect(refused.errors).to.include("sk_test_");
  });

  it("reports an unreachable gateway in one line", async () => {
    for (const GATEWAY_URL of ["http://127.0.0.1:9/v1", "not-a-url"]) {
      const { errors } = await runScript("gateway.ts", ["clock"], { GATEWAY_KEY: "sk_test_x", GATEWAY_URL });
      expect(errors.trim()).to.match(/^The gateway cannot be reached\. Check that it is running.*$/);
    }
  });

  it("completes its arguments in bash, and works in every folder", async () => {
    const { output } = await runScript("gateway.ts", ["completion", "bash"], {});
    const typed = "COMP_WORDS=(gateway trigger pay); COMP_CWORD=2; _gateway; echo $COMPREPLY";
    const completed = Bun.spawnSync(["bash", "-c", `${output}\n${typed}`]);
    expect(completed.stdout.toString().trim()).to.equal("payment");
    const called = Bun.spawnSync(["bash", "-c", `${output}\ngateway trigger nothing`], { cwd: "/" });
    expect(called.exitCode).to.equal(2);
    expect(called.stderr.toString()).to.include("KIND must be one of");
  });
});
