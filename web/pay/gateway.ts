// The API as a payer calls it: of the SDK, the public operations alone.
import { PublicPaymentIntents } from "#sdk/resources/public-payment-intents.ts";
import { Transport } from "#sdk/transport.ts";
import { ownOrigin, toProblem } from "../ui/gateway.ts";

const operations = new PublicPaymentIntents(new Transport(ownOrigin()));

/** @throws Refusal, Unreachable */
export async function callGateway<T>(call: (operations: PublicPaymentIntents) => PromiseLike<T>): Promise<T> {
  try {
    return await call(operations);
  } catch (error) {
    throw toProblem(error);
  }
}
