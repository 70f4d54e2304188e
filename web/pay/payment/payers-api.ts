// The part of the SDK that payers use. Its errors are converted to the page's own errors.
import { Transport } from "#sdk/http/transport.ts";
import { PublicPaymentIntents } from "#sdk/resources/public-payment-intents.ts";
import { ownOrigin } from "../../ui/sdk-adapter.ts";

export { toProblem } from "../../ui/sdk-adapter.ts";
export const operations = new PublicPaymentIntents(new Transport(ownOrigin()));
