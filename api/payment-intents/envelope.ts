// Converts an intent of the read model to the envelope of the spec.
import type { Static } from "@sinclair/typebox";
import type { Address } from "viem";
import type { Config } from "#core/config/config.ts";
import type { IntentView } from "#core/intent/read-intent.ts";
import { type Audience, showIntent } from "#core/intent/show-intent.ts";
import type { IntentEnvelope } from "./schemas.ts";

export type Envelope = Static<typeof IntentEnvelope>;

export function buildEnvelope(
  view: IntentView,
  config: Config,
  options: { audience?: Audience; payer?: Address | undefined } = {},
): Envelope {
  const data = showIntent(view, config, options);
  const { id, status, transactionHash, settlementStatus, phases, created, updated } = data;
  return {
    id,
    object: "payment_intent",
    status,
    transactionHash,
    settlementStatus,
    phases,
    created,
    updated,
    data: { ...data, typedData: data.typedData as unknown as Envelope["data"]["typedData"] },
  };
}
