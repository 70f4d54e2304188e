// `gateway listen`: forwards every new event to a URL in the format of the gateway's webhooks.
import { newWebhookSecret, signatureHeaders } from "#core/webhooks/signature.ts";
import type { Gateway } from "#sdk/index.ts";
import { UsageError } from "../../shared/errors.ts";
import { followEvents } from "./follow-events.ts";
import type { Output } from "./output.ts";

const TIMEOUT_MS = 15_000;

type Options = { forwardTo: string; type?: string | undefined; maxEvents: number };

async function forward(url: string, secret: string, event: { id: string }): Promise<string> {
  const body = JSON.stringify(event);
  const now = Math.floor(Date.now() / 1_000);
  const headers = {
    "content-type": "application/json",
    ...signatureHeaders([secret], event.id, now, body),
  };
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const { status } = await fetch(url, { method: "POST", headers, body, redirect: "manual", signal });
    return String(status);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

export async function listen(gateway: Gateway, { forwardTo, type, maxEvents }: Options, out: Output) {
  if (!URL.canParse(forwardTo) || !/^https?:/.test(forwardTo)) {
    throw new UsageError("--forward-to must be a URL such as http://localhost:4000/webhooks.");
  }
  const secret = process.env.GATEWAY_WEBHOOK_SECRET || newWebhookSecret();
  const events = followEvents(gateway, { type });
  out.show({ forwardTo, secret }, `Forwarding events to ${forwardTo}. They are signed with ${secret}`);
  let sent = 0;
  for await (const event of events) {
    const result = await forward(forwardTo, secret, event);
    out.show({ id: event.id, type: event.type, result }, `${event.type.padEnd(36)} ${event.id}  ${result}`);
    if (++sent >= maxEvents) return;
  }
}
