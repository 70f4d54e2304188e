// Where fiat is to be sent must be possible, by the settlement method's own rules. In test mode any text will do.
import { electronicFormatIBAN, isValidIBAN } from "ibantools";
import type { Mode, SettlementMethod } from "#core/db/schema.ts";
import { invalidRequest } from "#core/errors.ts";

/** An account number, an alias, an e-mail address or a phone number, as the real-time schemes have them: no spaces. */
const RTP_IDENTIFIER = /^[\w.@+:/-]{3,140}$/;

/** @throws ServiceError 400 with param `settlementDestination`; its message never says the destination back */
export function requireDestination(mode: Mode, method: SettlementMethod, destination: string): void {
  const refused = (expected: string) =>
    invalidRequest(
      `Invalid settlementDestination for ${method}: expected ${expected}.`,
      "settlementDestination",
    );
  if (mode === "test") return;
  if (method === "OFF_RAMP_TO_BANK" && !isValidIBAN(electronicFormatIBAN(destination) ?? "")) {
    throw refused("an IBAN such as DE89 3704 0044 0532 0130 00");
  }
  if (method === "OFF_RAMP_TO_RTP" && !RTP_IDENTIFIER.test(destination)) {
    throw refused("an identifier of 3 to 140 letters, digits and _ . @ + : / -, without spaces");
  }
}
