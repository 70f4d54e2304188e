// An off-ramp converts settled stablecoins to fiat on a bank account. Each provider has one adapter with this
// interface.
import type { SettlementMethod } from "#core/model/settlement-method.ts";
import type { Currency } from "#core/money.ts";
import type { Delivered } from "#core/off-ramp/fiat.ts";
import type { Quote } from "#core/off-ramp/quotes-and-limits.ts";

/** An order for a provider. `reference` is ours and unique: one reference identifies one transfer. */
export type TransferOrder = {
  reference: string;
  /**
   * Number of the call, starting at 1 (default). Repeated calls with the same number are a single request for the
   * provider.
   */
  call?: number;
  method: SettlementMethod;
  /** The provider's id of the wallet to pay from; null if the account does not pay from a wallet. */
  wallet: string | null;
  /** Smallest unit. */
  amount: bigint;
  currency: Currency;
  destination: string;
  /** The owner of the destination account: the merchant's name. */
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
  /** The provider's fee; the rest of the amount arrives. */
  fee: bigint;
  /** The part of the fee that paid for the network; absent if the provider reports none. */
  gas?: bigint;
  /**
   * The amount that arrived, in the bank account's currency, once completed. Absent if the provider does not report it.
   */
  delivered?: Delivered;
  /** Units of the delivered currency per unit of the token, as a decimal, if the provider reports it. */
  rate?: string;
  currency: Currency;
  /**
   * `pending`: accepted, money may move. `failed`: no money has arrived. `returned`: the money arrived and came back.
   */
  state: "pending" | "completed" | "failed" | "returned";
  /**
   * For a pending transfer, whether the provider has yet to take its amount from the wallet. If absent, the provider
   * does not report this: its previous report applies, or, without one, the amount is assumed to be still in the
   * wallet.
   */
  awaitsFunds?: boolean;
  /** When the provider accepted the transfer. */
  createdAt: Date;
  /** When the provider completed the transfer, if it reports that. */
  completedAt: Date | null;
  /** Why the transfer failed, was returned or, while pending, is delayed; without account data. */
  failure: string | null;
  /** Whether the transfer failed because it was canceled. */
  canceled?: true;
  /**
   * For a failed or returned transfer, whether its funds are back in our wallet. Absent if the provider does not report
   * it.
   */
  refunded?: boolean;
  /** When the next query may return a new result, if the provider reports it. */
  nextPollAt: Date | null;
};

/** Known facts of a transfer, which make a search at the provider unnecessary. */
export type Known = {
  providerId?: string | null;
  /** The reference is not older than this. */
  notBefore?: Date;
};

/** An account's limits: amounts in the token's smallest unit, as text; null for no bound. */
export type Route = {
  method: SettlementMethod;
  currency: Currency | null;
  least: string | null;
  most: string | null;
};

export interface OffRamp {
  /**
   * Identifies the account and its provider, independently of its API keys. The value is stored and displayed, so it
   * contains no secret.
   */
  account: string;
  /**
   * Whether the account pays from on-chain wallets, and then only from wallets that the provider has confirmed
   * (`off_ramp_wallet`).
   */
  hasWallets: boolean;
  /**
   * Has the provider confirm that the account and its wallets are as configured. No other request may be made before.
   * Absent if there is no provider that could confirm it.
   * @throws ConfigError if the provider contradicts the configuration; any other error if it does not respond
   */
  verify?(): Promise<void>;
  /** The account's limits. If absent, it accepts every transfer of its methods. */
  routes?: readonly Route[];
  /** Maximum number of payouts that a process handles concurrently with this adapter; each makes one call at a time. */
  atOnce: number;
  /**
   * After an ambiguous response, the call may still be in progress: within this time, an empty look-up proves nothing.
   */
  lookUpAfterMs: number;
  /** Returns the cost and the duration of a transfer, without a request to the provider. */
  quote(asked: Pick<TransferOrder, "method" | "amount" | "currency">): Quote;
  /**
   * Returns the provider's transfer for a reference; undefined only if the provider reports that it does not know the
   * reference.
   * @throws if the provider does not respond
   */
  lookUp(reference: string, known?: Known): Promise<Transfer | undefined>;
  /**
   * Orders a transfer. For a reference that the provider already knows, it returns the existing transfer.
   * @throws TransferRefused if the provider did not make the transfer and never will; TransferDeclined if it did not,
   *   but might do so later; KeySpent if it does not report the outcome of an earlier call; any other error is
   *   ambiguous
   */
  create(order: TransferOrder): Promise<Transfer>;
  /**
   * Cancels a transfer for which no money has moved.
   * @returns the resulting transfer: `canceled` if it was canceled; otherwise, it failed for another reason or it was too
   *   late
   * @throws if the provider does not respond, or does not know the reference
   */
  cancel(reference: string, known?: Known): Promise<Transfer>;
  /**
   * Yields every transfer that the provider accepted at `since` or later, in the provider's own order, regardless of
   * which process ordered it.
   * @param asked.after the `providerId` of the last transfer of an earlier read: yields those that follow it, or all if
   *   it is no longer listed
   * @throws if the provider does not respond, at the start or during the read
   */
  transfers(asked: { since: Date; after?: string }): AsyncIterable<Transfer>;
  /**
   * Parses a webhook of the provider, if it sends any.
   * @returns undefined if the webhook is the provider's, but not about one of our transfers
   * @throws WebhookRefused
   */
  readWebhook?(headers: Headers, body: Uint8Array): WebhookSubject | undefined;
}

/** The subject of a provider's webhook. It does not contain the outcome, which is queried from the provider. */
export type WebhookSubject = { reference: string };

/**
 * A rejected webhook. 401: it is not the provider's. 400: it is too old or invalid, and should be signed and sent
 * again. 404: there is no provider.
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

/** The provider has not made this transfer, and will not make it for this call. The next call may succeed. */
export class TransferDeclined extends Error {
  override readonly name = "TransferDeclined";
}

/** The provider has received this call, no longer reports its outcome, and lists no transfer. */
export class KeySpent extends Error {
  override readonly name = "KeySpent";
}

/**
 * Returns the preferred adapter of a settlement method; undefined if the method has none. Methods can share an adapter.
 */
export type OffRamps = ((method: SettlementMethod) => OffRamp | undefined) & {
  /** The adapters of all accounts, preferred ones first. If absent, only the adapters of the methods exist. */
  all?: readonly OffRamp[];
};
