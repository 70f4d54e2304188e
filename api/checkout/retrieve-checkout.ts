// Retrieves the data of the payment page (GET …/public/:intentId/checkout), once or as a stream.
import { serviceUnavailable } from "#core/errors.ts";
import type { IntentId } from "#core/ids.ts";
import type { IntentView } from "#core/intent/read-intent.ts";
import type { PublicCall } from "../http/request-context.ts";
import { findIntent } from "../payment-intents/find.ts";
import type { Services } from "../services.ts";
import { eventStreamResponse, type StreamClient } from "../streams/event-streams.ts";
import { findCredits } from "./credits.ts";
import { type CheckoutShown, showCheckout } from "./show-checkout.ts";

/**
 * Loads the funding methods of the payment's token if they are not known yet. If the chain is unavailable, the
 * payment is shown without them.
 */
async function withOffers(services: Services, view: IntentView): Promise<IntentView> {
  // `FundingOffers` reports the problem itself.
  await services.offers.of(view.terms.token).catch(() => undefined);
  return view;
}

const findPayment = async (services: Services, call: PublicCall): Promise<IntentView> =>
  withOffers(services, await findIntent(services, call));

const show = async (services: Services, view: IntentView): Promise<CheckoutShown> =>
  showCheckout(services, view, await findCredits(services.database, [view]));

export const retrieveCheckout = async (services: Services, call: PublicCall): Promise<CheckoutShown> =>
  show(services, await findPayment(services, call));

/** @returns undefined if the payment does not exist */
export async function retrieveNetworkCheckout(
  services: Services,
  id: IntentId,
): Promise<CheckoutShown | undefined> {
  const view = await services.reader.find(id);
  return view && show(services, await withOffers(services, view));
}

/** Sends the current state and every change of it as server-sent events. */
export async function streamCheckout(
  services: Services,
  call: PublicCall,
  client: StreamClient,
): Promise<Response> {
  const { intent } = await findPayment(services, call);
  const stream = services.checkouts.open(intent.id, client);
  // Clients that receive this error poll instead, as the payment page does.
  if (!stream) throw serviceUnavailable("Too many streams are open.");
  return eventStreamResponse(stream);
}
