// Retrieve what the payment page shows: GET …/public/:intentId/checkout, once or as a stream.
import { serviceUnavailable } from "#core/errors.ts";
import type { PublicCall } from "../http/call.ts";
import { findIntent } from "../payment-intents/find.ts";
import type { Services } from "../services.ts";
import { type CheckoutShown, showCheckout } from "./show-checkout.ts";

export const retrieveCheckout = async (services: Services, call: PublicCall): Promise<CheckoutShown> =>
  showCheckout(services, await findIntent(services, call));

/** As server-sent events: what there is now, and whatever it becomes. */
export async function streamCheckout(
  services: Services,
  call: PublicCall,
  visitor: string,
): Promise<Response> {
  const { intent } = await findIntent(services, call);
  const stream = services.checkouts.open(intent.id, visitor);
  // Whoever gets no stream asks again now and then, as the page does.
  if (!stream) throw serviceUnavailable("Too many streams are open.");
  return new Response(stream, {
    headers: {
      "Content-Type": "text/event-stream;charset=utf-8",
      "Cache-Control": "no-store",
      // A proxy that collects what is sent would hold it back.
      "X-Accel-Buffering": "no",
    },
  });
}
