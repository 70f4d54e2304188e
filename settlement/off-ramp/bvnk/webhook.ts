// Parses the provider's webhooks about quotes and their payments. A webhook reports that a status has changed, but only
// the quote itself is trusted.
import type { KeyObject } from "node:crypto";
import { Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import type { WebhookSubject } from "../off-ramp.ts";
import { readSignedEvent } from "../signed-webhook.ts";

const QuoteEvent = Type.Object({
  source: Type.Literal("quote"),
  event: Type.Literal("statusChanged"),
  data: Type.Object({ reference: Type.String({ minLength: 1 }) }),
});

/**
 * @returns undefined for an event that is not about one of our quotes
 * @throws WebhookRefused see readSignedEvent
 */
export function readWebhook(key: KeyObject, headers: Headers, body: Uint8Array): WebhookSubject | undefined {
  const event = readSignedEvent(key, headers, body);
  return Value.Check(QuoteEvent, event) ? { reference: event.data.reference } : undefined;
}
