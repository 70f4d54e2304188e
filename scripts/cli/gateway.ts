// `npm run gateway`: tools for developers who integrate the gateway, built on the SDK.
import type { Gateway, PaymentIntentStatus } from "#sdk/index.ts";
import { fail, parseCommand, refuse } from "../shared/command-line.ts";
import { UserError } from "../shared/errors.ts";
import { HELP, KINDS, type Kind } from "./gateway/help.ts";
import { createOutput, type Output } from "./gateway/output.ts";

const parsed = parseCommand(HELP, {
  "forward-to": { type: "string" },
  type: { type: "string" },
  status: { type: "string" },
  limit: { type: "string", default: "10" },
  json: { type: "boolean", default: false },
  "max-events": { type: "string" },
});
const { positionals, values } = parsed;
const [command = "", argument, amount] = positionals;

function parseCount(option: string, text: string | undefined, most: number): number {
  if (text === undefined) return most;
  const count = Number(text);
  return Number.isInteger(count) && count >= 1 && count <= most
    ? count
    : refuse(`${option} must be a whole number from 1 to ${most}.`);
}

const maxEvents = parseCount("--max-events", values["max-events"], Number.MAX_SAFE_INTEGER);
const limit = parseCount("--limit", values.limit, 100);
if (command === "completion" && argument !== "bash" && argument !== "zsh")
  refuse("SHELL must be bash or zsh.");
const kind = command === "trigger" ? asKind(argument ?? "") : undefined;
const seconds = amount === undefined ? undefined : parseCount("SECONDS", amount, 31_622_400);

function asKind(text: string): Kind {
  const found = KINDS.find((one) => one === text);
  return found ?? refuse(`KIND must be one of ${KINDS.join(", ")}.`);
}

async function showPayments(gateway: Gateway, out: Output): Promise<void> {
  if (argument !== undefined) {
    const intent = await gateway.paymentIntents.retrieve(argument);
    return out.show(intent, JSON.stringify(intent, null, 2));
  }
  const status = values.status as PaymentIntentStatus | undefined;
  const { data } = await gateway.paymentIntents.list({ limit, ...(status ? { status } : {}) });
  for (const intent of data) {
    const { amount, currency } = intent.data;
    const created = new Date(intent.created * 1_000).toISOString();
    out.show(intent, `${intent.id}  ${intent.status.padEnd(18)} ${amount} ${currency}  ${created}`);
  }
}

async function tailEvents(gateway: Gateway, out: Output): Promise<void> {
  const { followEvents } = await import("./gateway/follow-events.ts");
  let seen = 0;
  for await (const event of followEvents(gateway, { type: values.type })) {
    const created = new Date(event.created * 1_000).toISOString();
    out.show(event, `${created}  ${event.type.padEnd(36)} ${event.paymentIntentId ?? ""}`);
    if (++seen >= maxEvents) return;
  }
}

async function run(): Promise<void> {
  if (command === "completion") {
    const { COMPLETIONS } = await import("./gateway/completion.ts");
    return console.log(COMPLETIONS[argument === "zsh" ? "zsh" : "bash"]);
  }
  const { createGatewayClient } = await import("./gateway/create-client.ts");
  const { gateway, isLive } = createGatewayClient();
  const out = createOutput(values.json);
  if (command === "payments") return showPayments(gateway, out);
  if (command === "events") return tailEvents(gateway, out);
  if (command === "listen") {
    const { listen } = await import("./gateway/listen.ts");
    return listen(gateway, { forwardTo: values["forward-to"] ?? "", type: values.type, maxEvents }, out);
  }
  if (command === "clock") {
    const clock = await (seconds === undefined
      ? gateway.testClock.retrieve()
      : gateway.testClock.advance(seconds));
    return out.show(clock, new Date(clock.time * 1_000).toISOString());
  }
  if (isLive) throw new UserError("trigger requires a test key (sk_test_…): this key moves real money.");
  const { trigger } = await import("./gateway/trigger.ts");
  if (kind) await trigger(gateway, kind, out);
}

/** The error's message is sufficient; a stack trace would not help. */
await run().catch(async (error: unknown) => {
  const { ConnectionError, GatewayError } = await import("#sdk/index.ts");
  if (!(error instanceof GatewayError)) return fail(error);
  const hint =
    error instanceof ConnectionError ? " Check that it is running and that GATEWAY_URL is correct." : "";
  return fail(new UserError(`${error.message}${hint}`));
});
