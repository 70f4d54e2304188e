// Finds the intent that a path names, for the merchant that owns it or for the public.
import { eq, type SQL } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { Caller } from "#core/api-keys/api-keys.ts";
import type { Transaction } from "#core/db/client.ts";
import type { IntentView } from "#core/db/read-intent.ts";
import { forbidden, invalidStateTransition, resourceMissing } from "#core/errors.ts";
import { isIntentId } from "#core/ids.ts";
import type { IntentStatus } from "#core/intent/status.ts";
import type { Call, PublicCall } from "../http/request-context.ts";
import type { Services } from "../services.ts";

const missing = (id: string, param = "intentId") =>
  resourceMissing(`No such payment intent: '${id.slice(0, 100)}'.`, param);

/** @throws ServiceError 404 if there is none */
export async function findIntent({ reader }: Services, call: PublicCall): Promise<IntentView> {
  const id = call.params.intentId;
  const view = isIntentId(id) ? await reader.find(id) : undefined;
  if (!view) throw missing(id);
  return view;
}

/** @throws ServiceError 404 if there is none, 403 if it belongs to another merchant (or to the other mode) */
export function findOwnIntent(services: Services, call: Call): Promise<IntentView> {
  return findNamedIntent(services, call.caller, call.params.intentId, "intentId");
}

/** Like findOwnIntent, for an id in a parameter other than the path's. */
export async function findNamedIntent(
  services: Services,
  caller: Caller,
  id: string,
  param: string,
): Promise<IntentView> {
  const view = isIntentId(id) ? await services.reader.find(id) : undefined;
  if (!view && !(await services.networks.elsewhere(services, id))) throw missing(id, param);
  if (view?.intent.merchantId !== caller.merchantId || view.intent.mode !== caller.mode) {
    throw forbidden("This payment intent belongs to another account or mode.");
  }
  return view;
}

/** A list's filter `paymentIntentId`, which must be one of the caller's own. */
export async function ofIntent(
  services: Services,
  { caller }: Call,
  column: PgColumn,
  id: string | undefined,
): Promise<SQL[]> {
  if (id === undefined) return [];
  const { intent } = await findNamedIntent(services, caller, id, "paymentIntentId");
  return [eq(column, intent.id)];
}

/** Rereads an intent with its row locked, so that decisions based on it hold until the transaction ends. */
export async function lockIntent(
  { reader }: Services,
  tx: Transaction,
  { intent }: IntentView,
): Promise<IntentView> {
  const view = await reader.findLocked(tx, intent.id);
  if (!view) throw missing(intent.id);
  return view;
}

/** @throws ServiceError 400 if the intent's chain no longer exists, so that nothing can be done with it */
export function requireMovable(view: IntentView): void {
  if (view.orphaned) {
    throw invalidStateTransition(
      "This payment intent belongs to a chain that no longer exists and is read-only.",
    );
  }
}

const UNFUNDED: IntentStatus[] = ["INITIATED", "REQUIRES_SIGNATURE", "PROCESSING", "REQUIRES_ACTION"];

/**
 * Only an order, or the relayer's own transaction, blocks further payment. A reported transaction does not: the
 * contract funds an order once, and an unmined one costs its sender nothing.
 * @param refusal such as "cannot be confirmed"
 * @throws ServiceError 400 `invalid_state_transition`
 */
export function requireUnfunded(view: IntentView, refusal: string): void {
  requireMovable(view);
  if (!UNFUNDED.includes(view.status) || view.order || view.relaying) {
    throw invalidStateTransition(`A payment intent in status ${view.status} ${refusal}.`);
  }
}
