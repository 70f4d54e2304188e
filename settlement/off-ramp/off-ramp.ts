// An off-ramp turns settled stablecoins into fiat on a bank account. One adapter per provider, all with this interface.
import type { SettlementMethod } from "#core/model/settlement-method.ts";
import type { Currency } from "#core/money.ts";
import type { Delivered } from "#core/off-ramp/fiat.ts";
import type { Quote } from "#core/off-ramp/settlement-methods.ts";

/** An order for a provider. `reference` is ours, and unique: the same reference is the same transfer. */
export type TransferOrder = {
  reference: string;
  /**
   * Starts at 1, the default. Calls with the same number are one request to the provider, however often they are made.
   */
  call?: number;
  method: SettlementMethod;
  /** The provider's id of the wallet to pay from; null if the account pays from none. */
  wallet: string | null;
  /** Smallest unit. */
  amount: bigint;
  currency: Currency;
  destination: string;
  /** The owner of that account: the merchant's name. */
  beneficiary: string;
  /** The reference is not older than this. */
  notBefore?: Date;
};

/** A transfer as the provider reports it. */
export type Transfer = {
  providerId: string;
  reference: string;
  /** The amount that leaves the off-ramp's wallet, in the smallest unit. */
  amount: bigint;
  /** The provider's fee; the rest arrives. */
  fee: bigint;
  /** The part of the fee that paid for the network. Absent: none, as far as the provider reports. */
  gas?: bigint;
  /** The amount that arrived in the bank's currency, once completed. Absent if the provider does not report it. */
  delivered?: Delivered;
  /** Units of that currency per unit of the token, as a decimal, if the provider reports it. */
  rate?: string;
  currency: Currency;
  /** `pending`: accepted, money may move. `failed`: no money has arrived. `returned`: it arrived and came back. */
  state: "pending" | "completed" | "failed" | "returned";
  /**
   * For a pending transfer: whether the provider has yet to take its amount from the wallet. Absent: it does not report
   * this: its previous report holds, and without one it has yet to.
   */
  awaitsFunds?: boolean;
  /** When the provider accepted it. */
  createdAt: Date;
  /** When the provider completed it, if it reports that. */
  completedAt: Date | null;
  /** Why it failed, was returned or, while pending, is delayed; without account data. */
  failure: string | null;
  /**
   * For a failed or returned transfer: whether its funds are back in our wallet. Absent if the provider does not report
   * it.
   */
  refunded?: boolean;
  /** When the next query may give a new result, if the provider knows. */
  nextPollAt: Date | null;
};

/** Known facts of a transfer, which save the provider a search. */
export type Known = {
  providerId?: string | null;
  /** The reference is not older than this. */
  notBefore?: Date;
};

/** The limits of an account: amounts in the token's smallest unit, as text, null for no bound. */
export type Route = {
  method: SettlementMethod;
  currency: Currency | null;
  least: string | null;
  most: string | null;
};

export interface OffRamp {
  /**
   * Identifies the account and its provider, independent of its API keys. It is stored and displayed, so it contains no
   * secret.
   */
  account: string;
  /**
   * Whether it pays from on-chain wallets, and then only from those that the provider has confirmed
   * (`off_ramp_wallet`).
   */
  hasWallets: boolean;
  /**
   * Lets the provider confirm that account and wallet are as configured. Nothing else may be requested before. Absent
   * if there is no provider to confirm it.
   * @throws ConfigError if the provider contradicts; any other error if it does not respond
   */
  verify?(): Promise<void>;
  /** Its limits. Absent: every transfer of its methods. */
  routes?: readonly Route[];
  /** Payouts that a process handles concurrently with it; each makes one call at a time. */
  atOnce: number;
  /** After an ambiguous response the call may still be in progress; within this time an empty look-up proves nothing. */
  lookUpAfterMs: number;
  /** The cost and duration of a transfer. Makes no request. */
  quote(asked: Pick<TransferOrder, "method" | "amount" | "currency">): Quote;
  /**
   * The provider's transfer for a reference; undefined only if the provider says that it does not know it.
   * @throws if the provider does not respond
   */
  lookUp(reference: string, known?: Known): Promise<Transfer | undefined>;
  /**
   * Orders a transfer. A reference that the provider already knows returns its transfer.
   * @throws TransferRefused if the provider did not and will not make it; TransferDeclined if it did not, but
   *   might another time; KeySpent if it does not report the outcome of an earlier call; any other error is ambiguous
   */
  create(order: TransferOrder): Promise<Transfer>;
  /**
   * Cancels a transfer for which no money has been moved.
   * @returns its state: `failed` if it was canceled, anything else if it was too late
   * @throws if the provider does not respond; an error for an unknown reference
   */
  cancel(reference: string, known?: Known): Promise<Transfer>;
  /**
   * Every transfer that the provider accepted at this time or later, in the provider's own order, whichever process ordered it.
   * @param asked.after the `providerId` of the last transfer of an earlier read: returns those that follow it; all if it is
   *   no longer listed
   * @throws if the provider does not respond, at the start or half-way
   */
  transfers(asked: { since: Date; after?: string }): AsyncIterable<Transfer>;
  /**
   * Parses a webhook of the provider, if it sends any.
   * @returns undefined if it is the provider's, but not about one of our transfers
   * @throws WebhookRefused
   */
  readWebhook?(headers: Headers, body: Uint8Array): WebhookSubject | undefined;
}

/** The subject of a provider's webhook. It does not contain the outcome, for which the provider is queried. */
export type WebhookSubject = { reference: string };

/**
 * A webhook that is not the provider's, or too old: 401, or 400 if it should be signed and sent again; 404 without a
 * provider.
 */
export class WebhookRefused extends Error {
  override readonly name = "WebhookRefused";

  constructor(
    readonly status: 400 | 401 | 404,
    message: string,
  ) {
    super(message);
  }
}

/** The provider has not made this transfer and never will. */
export class TransferRefused extends Error {
  override readonly name = "TransferRefused";
}

/** The provider has not made this transfer, and this call never will. The next call may. */
export class TransferDeclined extends Error {
  override readonly name = "TransferDeclined";
}

/** The provider has received this call, no longer reports its outcome, and lists no transfer. */
export class KeySpent extends Error {
  override readonly name = "KeySpent";
}

/** The preferred adapter of a settlement method; undefined if the method has none. Methods can share one. */
export type OffRamps = ((method: SettlementMethod) => OffRamp | undefined) & {
  /** The adapters of all accounts, preferred first. Absent: those of the methods. */
  all?: readonly OffRamp[];
};
