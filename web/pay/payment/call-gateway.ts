// Calls the API as a payer. The document already contains the first response, so the SDK is loaded only for the first
// request.
import type { PublicPaymentIntents } from "#sdk/resources/public-payment-intents.ts";
import { Unreachable } from "../../ui/api-errors.ts";

const load = () =>
  import("./payers-api.ts").catch((cause: unknown) => {
    throw new Unreachable("The gateway cannot be reached.", { cause });
  });

/** @throws Refusal, Unreachable */
export async function callGateway<T>(call: (operations: PublicPaymentIntents) => PromiseLike<T>): Promise<T> {
  const { operations, toProblem } = await load();
  try {
    return await call(operations);
  } catch (error) {
    throw toProblem(error);
  }
}
