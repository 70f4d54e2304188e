// Checks that fiat can be paid to a payment's destination with its settlement method
// (core/off-ramp/bank-account.ts). In test mode, any destination is accepted.
import type { Config } from "#core/config/config.ts";
import { invalidRequest } from "#core/errors.ts";
import type { SettlementMethod } from "#core/model/settlement-method.ts";
import { EXPECTED, readBankAccount } from "#core/off-ramp/bank-account.ts";

type RouteMacros = Pick<Config, "mode" | "environment" | "provider">;

/** @throws ServiceError 400 with param `settlementMethod` if the gateway cannot pay out with this method */
export function requireMethod({ mode, environment, provider }: RouteMacros, method: SettlementMethod): void {
  if (method === "OFF_RAMP_MOCK") {
    if (mode === "test") return;
    throw invalidRequest(
      "OFF_RAMP_MOCK is only available in test mode, because it simulates payouts.",
      "settlementMethod",
    );
  }
  if (provider || environment === "local") return;
  throw invalidRequest(
    `${method} is not available: this gateway has no provider for it.`,
    "settlementMethod",
  );
}

/** @throws ServiceError 400 with param `settlementDestination`; its message never echoes the destination */
export function requireDestination(
  { mode }: Pick<Config, "mode">,
  method: SettlementMethod,
  destination: string,
): void {
  if (mode === "test" || method === "OFF_RAMP_MOCK" || readBankAccount(method, destination)) return;
  throw invalidRequest(
    `Invalid settlementDestination for ${method}: expected ${EXPECTED[method]}.`,
    "settlementDestination",
  );
}
