// The API as a payer calls it.
import type { Gateway } from "#sdk/index.ts";
import { createGateway, toProblem } from "../ui/gateway.ts";

const gateway = createGateway();

/** @throws Refusal, Unreachable */
export async function callGateway<T>(
  call: (operations: Gateway["publicPaymentIntents"]) => PromiseLike<T>,
): Promise<T> {
  try {
    return await call(gateway.publicPaymentIntents);
  } catch (error) {
    throw toProblem(error);
  }
}
