// Retrieve what the payment page shows: GET …/public/:intentId/checkout, once or as a stream.
import type { IntentView } from "#core/db/read-intent.ts";
import { serviceUnavailable } from "#core/errors.ts";
import type { IntentId } from "#core/ids.ts";
import type { PublicCall } from "../http/request-context.ts";
import { findIntent } from "../payment-intents/find.ts";
import type { Services } from "../services.ts";
import { eventStreamResponse, type StreamClient } from "../streams/event-streams.ts";
import { findCredits } from "./credits.ts";
import { type CheckoutShown, showCheckout } from "./show-checkout.ts";

/** Finds how the payment's token can be paid, if that is not known yet. Without the chain it is shown all the same. */
async function withOffers(services: Services, view: IntentView): Promise<IntentView> {
  // The offers report the problem themselves.
  await services.offers.of(view.terms.token).catch(() => undefined);
  return view;
}

const findPayment = async (services: Services, call: PublicCall): Promise<IntentView> =>
  withOffers(services, await findIntent(services, call));

const show = async (services: Services, view: IntentView): Promise<CheckoutShown> =>
  showCheckout(services, view, await findCredits(services.database, [view]));

export const retrieveCheckout = async (services: Services, call: PublicCall): Promise<CheckoutShown> =>
  show(services, await findPayment(services, call));

/** @returns undefined if there is no such payment */
export async function retrieveNetworkCheckout(
  services: Services,
  id: IntentId,
): Promise<CheckoutShown | undefined> {
  const view = await services.reader.find(id);
  return view && show(services, await withOffers(services, view));
}

/** As server-sent events: the present state, and every change of it. */
export async function streamCheckout(
  services: Services,
  call: PublicCall,
  client: StreamClient,
): Promise<Response> {
  const { intent } = await findPayment(services, call);
  const stream = services.checkouts.open(intent.id, client);
  // A client without a stream polls instead, as the page does.
  if (!stream) throw serviceUnavailable("Too many streams are open.");
  return eventStreamResponse(stream);
}
