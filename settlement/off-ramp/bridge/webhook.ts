// Parses the provider's webhooks about transfers.
import type { KeyObject } from "node:crypto";
import { Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import type { WebhookSubject } from "../off-ramp.ts";
import { readSignedEvent } from "../signed-webhook.ts";

const TransferEvent = Type.Object({
  event_category: Type.Literal("transfer"),
  event_object: Type.Object({ client_reference_id: Type.String({ minLength: 1 }) }),
});

/**
 * @returns undefined for an event that is not about one of our transfers
 * @throws WebhookRefused see readSignedEvent
 */
export function readWebhook(key: KeyObject, headers: Headers, body: Uint8Array): WebhookSubject | undefined {
  const event = readSignedEvent(key, headers, body);
  return Value.Check(TransferEvent, event)
    ? { reference: event.event_object.client_reference_id }
    : undefined;
}
