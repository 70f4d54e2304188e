// Updates a payment intent's description and metadata: PATCH /payment-intents/:intentId. Neither is part of the
// order's terms, whose hash is the order's id. Metadata from which the terms were derived cannot be changed.
// Updates are allowed in every status, because no funds move.
import type { Static } from "@sinclair/typebox";
import { eq } from "drizzle-orm";
import type { Transaction } from "#core/db/client.ts";
import { intent } from "#core/db/schema/intents.ts";
import { invalidRequest, severalFaults } from "#core/errors.ts";
import type { IntentRow } from "#core/intent/read-intent.ts";
import { changesBetween } from "#core/model/changes.ts";
import { describedTerms, TERMS_METADATA } from "#core/search/derive-search-terms.ts";
import { deleteSearchTerms, insertSearchTerms } from "#core/search/write-search-terms.ts";
import type { Call } from "../http/request-context.ts";
import type { Services } from "../services.ts";
import { MAX_METADATA_KEYS, type UpdateIntentBody } from "./bodies.ts";
import { buildEnvelope, type Envelope } from "./envelope.ts";
import { findOwnIntent, lockIntent } from "./find.ts";

type Body = Static<typeof UpdateIntentBody>;
type Metadata = Record<string, unknown>;

export const fixedKey = (key: string) =>
  invalidRequest(
    `metadata.${key} cannot be changed: it is part of the order's terms. Create a new payment intent instead.`,
    `metadata.${key}`,
  );

export const NOTHING_GIVEN = invalidRequest(
  "The request contains no changes. Send description, metadata or both.",
);

function requireChangeable(metadata: Metadata): void {
  const fixed = TERMS_METADATA.filter((key) => Object.hasOwn(metadata, key));
  if (fixed.length > 0) throw severalFaults(fixed.map(fixedKey));
}

/** @throws ServiceError 400 if too many keys remain */
function merged(before: Metadata, given: Metadata): Metadata {
  const all = Object.entries({ ...before, ...given });
  const left = all.filter(([key, value]) => !Object.hasOwn(given, key) || (value !== null && value !== ""));
  if (left.length > MAX_METADATA_KEYS) {
    throw invalidRequest(
      `Invalid metadata: the payment intent would have ${left.length} keys, but at most ${MAX_METADATA_KEYS} are allowed.`,
      "metadata",
    );
  }
  return Object.fromEntries(left);
}

function changed(before: IntentRow, { description, metadata }: Body) {
  const after = {
    description: description === undefined ? before.description : description || null,
    metadata: metadata === undefined ? before.metadata : merged(before.metadata, metadata),
  };
  const changes = {
    ...changesBetween({ description: before.description }, { description: after.description }),
    ...changesBetween(before.metadata, after.metadata, "metadata."),
  };
  return { after, changes };
}

/** Updates the payment's search terms. */
async function updateTerms(
  tx: Transaction,
  before: IntentRow,
  after: Pick<IntentRow, "description" | "metadata">,
) {
  const [old, now] = [describedTerms(before), describedTerms(after)];
  const without = (terms: string[], others: string[]) => terms.filter((term) => !others.includes(term));
  await tx.execute(deleteSearchTerms({ id: before.id, terms: without(old, now) }));
  await tx.execute(insertSearchTerms([{ id: before.id, terms: without(now, old) }]));
}

export async function updateIntent(services: Services, call: Call, body: Body): Promise<Envelope> {
  const view = await findOwnIntent(services, call);
  if (Object.keys(body).length === 0) throw NOTHING_GIVEN;
  requireChangeable(body.metadata ?? {});
  return services.database.transaction(async (tx) => {
    const locked = await lockIntent(services, tx, view);
    const { after, changes } = changed(locked.intent, body);
    if (Object.keys(changes).length === 0) {
      return call.answer(tx, buildEnvelope(locked, services.config), changes);
    }
    await tx
      .update(intent)
      .set({ ...after, updatedAt: new Date() })
      .where(eq(intent.id, view.intent.id));
    await updateTerms(tx, locked.intent, after);
    return call.answer(tx, buildEnvelope(await lockIntent(services, tx, view), services.config), changes);
  });
}
