// The part of the SDK that payers call, with its errors converted to the page's own.
import { PublicPaymentIntents } from "#sdk/resources/public-payment-intents.ts";
import { Transport } from "#sdk/transport.ts";
import { ownOrigin } from "../ui/sdk-adapter.ts";

export { toProblem } from "../ui/sdk-adapter.ts";
export const operations = new PublicPaymentIntents(new Transport(ownOrigin()));
