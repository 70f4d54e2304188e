// Finds the intent that a path identifies, for its merchant or for the public.
import { eq, type SQL } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { Caller } from "#core/api-keys/api-keys.ts";
import type { Transaction } from "#core/db/client.ts";
import { forbidden, noSuch } from "#core/errors.ts";
import { isIntentId } from "#core/ids.ts";
import type { IntentView } from "#core/intent/read-intent.ts";
import type { Call, PublicCall } from "../http/request-context.ts";
import type { Services } from "../services.ts";

const missing = (id: string, param = "intentId") => noSuch("payment intent", id, param);

/** @throws ServiceError 404 if the intent does not exist */
export async function findIntent({ reader }: Services, call: PublicCall): Promise<IntentView> {
  const id = call.params.intentId;
  const view = isIntentId(id) ? await reader.find(id) : undefined;
  if (!view) throw missing(id);
  return view;
}

/** @throws ServiceError 404 if the intent does not exist, 403 if it belongs to another merchant or the other mode */
export function findOwnIntent(services: Services, call: Call): Promise<IntentView> {
  return findNamedIntent(services, call.caller, call.params.intentId, "intentId");
}

/** Like findOwnIntent, but for an id in another parameter than that of the path. */
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

/** Returns the condition for a list's filter `paymentIntentId`. The intent must belong to the caller. */
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
