// Parses a settlement destination into an account that a provider can pay to. In test mode, the destination may be any
// text.
import { electronicFormatIBAN, extractIBAN, isSEPACountry, isValidIBAN } from "ibantools";
import type { SettlementMethod } from "../model/settlement-method.ts";

export type BankAccount =
  | { kind: "iban"; iban: string }
  | { kind: "us"; routingNumber: string; accountNumber: string };

const US_ACCOUNT = /^(\d{9})[/:](\d{4,17})$/;

/** Verifies the check digit (ABA) of a routing number, with the repeating weights 3, 7 and 1. */
const isRoutingNumber = (digits: string): boolean =>
  digits !== "000000000" &&
  [...digits].reduce((sum, digit, i) => sum + Number(digit) * ([3, 7, 1][i % 3] ?? 0), 0) % 10 === 0;

function readUsAccount(text: string): BankAccount | undefined {
  const [, routingNumber = "", accountNumber = ""] = US_ACCOUNT.exec(text) ?? [];
  return isRoutingNumber(routingNumber) && accountNumber
    ? { kind: "us", routingNumber, accountNumber }
    : undefined;
}

function readIban(text: string): BankAccount | undefined {
  const iban = electronicFormatIBAN(text) ?? "";
  if (!isValidIBAN(iban)) return undefined;
  const { countryCode } = extractIBAN(iban);
  return countryCode && isSEPACountry(countryCode) ? { kind: "iban", iban } : undefined;
}

/** Human-readable descriptions of the destinations that each method can pay to. */
export const EXPECTED: Record<Exclude<SettlementMethod, "OFF_RAMP_MOCK">, string> = {
  OFF_RAMP_TO_RTP: "routing and account number of a US account such as 021000021/9876543210",
  OFF_RAMP_TO_BANK:
    "a SEPA country's IBAN such as DE89 3704 0044 0532 0130 00, or routing and account number of a US account such as 021000021/9876543210",
};

/**
 * Returns the account that a destination names, if the method can pay to it. RTP pays only to US accounts, because it
 * is a scheme between US banks.
 */
export function readBankAccount(method: SettlementMethod, destination: string): BankAccount | undefined {
  const account = readUsAccount(destination);
  return account || method === "OFF_RAMP_TO_RTP" ? account : readIban(destination);
}
