// An event as the merchant sees it: in GET /v1/events and, byte for byte, in what webhooks send.
import type { EventRow } from "./record-events.ts";

export const showEvent = (row: EventRow) => ({
  id: row.id,
  object: "event" as const,
  type: row.type,
  created: Math.floor(row.createdAt.getTime() / 1000),
  livemode: row.mode === "live",
  paymentIntentId: row.intentId,
  sequence: row.sequence,
  data: row.data,
});
