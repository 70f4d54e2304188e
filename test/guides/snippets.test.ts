// Every snippet of the guides runs as it is read, against one gateway, and says what the guide says.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { randomUUID } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { root } from "#scripts/local/paths.ts";
import { Client } from "#test/api/support/client.ts";
import { create } from "#test/api/support/payments.ts";
import { type Stack, startStack } from "#test/support/stack.ts";

const FOLDER = join(root, "docs/guides/snippets");
/** What others import prints nothing. */
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
  "webhook-receiver.ts": /^webhook\.test received\n$/,
};

/** Time that passes would be the others' too. */
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
  it("are all run here", () => {
    expect(readdirSync(FOLDER).sort()).to.deep.equal(Object.keys(EXPECTED).sort());
  });

  it("do what the guides say", async () => {
    const outputs = await Promise.all(FIRST.map(run));
    for (const [index, file] of FIRST.entries())
      expect(outputs[index], file).to.match(EXPECTED[file] ?? NOTHING);
  });

  it.each(LAST)("let time pass: %s", async (file) => {
    expect(await run(file)).to.match(EXPECTED[file] ?? NOTHING);
  });
});
