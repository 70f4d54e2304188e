// Retrieves the test clock, which is the payment time on a local chain.
import type { Static } from "@sinclair/typebox";
import type { Call } from "../http/request-context.ts";
import type { Services } from "../services.ts";
import { requireTestClock } from "./advance-test-clock.ts";
import type { TestClock } from "./schemas.ts";

export async function retrieveTestClock(services: Services, call: Call): Promise<Static<typeof TestClock>> {
  requireTestClock(services, call);
  return { object: "test_clock", livemode: false, time: await services.paymentTime() };
}
