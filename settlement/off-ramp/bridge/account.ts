// Converts a destination to the provider's format: an external account and a payment rail.
import type { Mode } from "#core/model/mode.ts";
import { readBankAccount } from "#core/off-ramp/bank-account.ts";
import { type TransferOrder, TransferRefused } from "../off-ramp.ts";

type Order = Pick<TransferOrder, "method" | "destination" | "beneficiary">;

/** Converts a name to the length and the characters that US banks accept. */
const usName = (name: string): string =>
  name
    .normalize("NFKD")
    .replace(/[^\x20-\x7e]/g, "")
    .slice(0, 35);

/** @returns undefined for a plain identifier in test mode */
function readAccount(mode: Mode, { method, destination }: Order) {
  const account = readBankAccount(method, destination);
  if (account || mode === "test") return account;
  throw new TransferRefused("this method cannot pay to the destination account");
}

/**
 * Builds the request body of an external account. For some countries the provider may require more fields, such as an
 * address. These are arranged with the provider when a merchant is onboarded; the account then already exists there.
 * @throws TransferRefused in live mode, for a destination that is not an account
 */
export function accountBody(mode: Mode, order: Order): object {
  const { beneficiary, destination } = order;
  const account = readAccount(mode, order);
  switch (account?.kind) {
    case "iban":
      return {
        ...{ currency: "eur", account_type: "iban", account_owner_type: "business" },
        ...{ account_owner_name: beneficiary, business_name: beneficiary },
        iban: { account_number: account.iban },
      };
    case "us": {
      const { routingNumber, accountNumber } = account;
      return {
        ...{ currency: "usd", account_type: "us", account_owner_name: usName(beneficiary) },
        account: {
          routing_number: routingNumber,
          account_number: accountNumber,
          checking_or_savings: "checking",
        },
      };
    }
    case undefined:
      return {
        ...{ currency: "usd", account_type: "unknown", account_owner_name: beneficiary },
        account: { account_number: destination },
      };
  }
}

/** Returns the payment rail, and the currency in which the transfer arrives. */
export function chooseRail(mode: Mode, order: Order) {
  if (readAccount(mode, order)?.kind === "iban") return { payment_rail: "sepa", currency: "eur" };
  return { payment_rail: order.method === "OFF_RAMP_TO_RTP" ? "rtp" : "ach", currency: "usd" };
}
