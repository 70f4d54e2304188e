// An off-ramp turns settled stablecoins into fiat on somebody's account. One adapter a provider, all behind this.
import type { SettlementMethod } from "#core/db/schema/intents.ts";
import type { Currency } from "#core/money.ts";
import type { Delivered } from "#core/off-ramp/fiat.ts";
import type { Quote } from "#core/off-ramp/settlement-methods.ts";

/** What is asked of a provider. `reference` is ours, and unique: the same reference is the same transfer. */
export type TransferOrder = {
  reference: string;
  /** From 1, which is the default. Calls of one number are one request to the provider, however often they are made. */
  call?: number;
  method: SettlementMethod;
  /** The provider's id of the wallet to pay from; null where the account pays from none. */
  wallet: string | null;
  /** Smallest unit. */
  amount: bigint;
  currency: Currency;
  destination: string;
  /** Whose account that is: the merchant's name. */
  beneficiary: string;
  /** The reference is not older than this. */
  notBefore?: Date;
};

/** What a provider says of a transfer. */
export type Transfer = {
  providerId: string;
  reference: string;
  /** What leaves the off-ramp's wallet, in the smallest unit. */
  amount: bigint;
  /** What the provider keeps of it; the rest arrives. */
  fee: bigint;
  /** The part of the fee that paid for the network. Absent: none, as far as the provider says. */
  gas?: bigint;
  /** What arrived in the bank's currency, once it is completed. Absent where the provider does not say. */
  delivered?: Delivered;
  /** Units of that currency for one of the token's, if the provider says: a decimal. */
  rate?: string;
  currency: Currency;
  /** `pending`: accepted, money may move. `failed`: no money has arrived. `returned`: it arrived and came back. */
  state: "pending" | "completed" | "failed" | "returned";
  /** When the provider accepted it. */
  createdAt: Date;
  /** When the provider completed it, as far as it says. */
  completedAt: Date | null;
  /** Why it failed, was returned or, while pending, is held up: without account data. */
  failure: string | null;
  /** Of one that failed or came back: whether its funds are in our wallet again. Absent where the provider does not say. */
  refunded?: boolean;
  /** When asking again may tell something new, if the provider knows. */
  lookAgainAt: Date | null;
};

/** What we know of a transfer before we ask: it spares the provider a search. */
export type Known = {
  providerId?: string | null;
  /** The reference is not older than this. */
  notBefore?: Date;
};

/** What an account takes: amounts in the token's smallest unit, as text, null where there is no bound. */
export type Route = {
  method: SettlementMethod;
  currency: Currency | null;
  least: string | null;
  most: string | null;
};

export interface OffRamp {
  /** Which account with which provider, the same whichever API key opens it. It is stored and shown: no secret is in it. */
  account: string;
  /** Whether it pays from wallets on chain: then only from those that the provider has confirmed (`off_ramp_wallet`). */
  hasWallets: boolean;
  /**
   * Has the provider confirm that account and wallet are as configured. Before that nothing else may be asked of it.
   * Missing where there is nobody to ask.
   * @throws ConfigError if the provider says otherwise; any other error while it does not say
   */
  verify?(): Promise<void>;
  /** What it takes. Missing: everything of the methods that it is the adapter of. */
  routes?: readonly Route[];
  /** Payouts that a process has with it at a time; each is a call at a time. */
  atOnce: number;
  /** After an ambiguous answer the call may still be on its way: so long a look-up that finds nothing proves nothing. */
  lookUpAfterMs: number;
  /** What a transfer will cost and how long it will take. Asks nobody. */
  quote(asked: Pick<TransferOrder, "method" | "amount" | "currency">): Quote;
  /**
   * The provider's word on a reference; undefined only if the provider says that it does not know it.
   * @throws whatever keeps the provider from answering
   */
  lookUp(reference: string, known?: Known): Promise<Transfer | undefined>;
  /**
   * Orders a transfer. A reference that the provider knows already gives the transfer that it stands for.
   * @throws TransferRefused when the provider says that it did not and will not make it; TransferDeclined when it did not, but
   *   might another time; KeySpent when it does not say what became of an earlier call; any other error is ambiguous
   */
  create(order: TransferOrder): Promise<Transfer>;
  /**
   * Calls a transfer back that no money has been moved for.
   * @returns what it is now: `failed` if it was called back, anything else if it was too late
   * @throws whatever keeps the provider from answering; an error for a reference that it does not know
   */
  cancel(reference: string, known?: Known): Promise<Transfer>;
  /**
   * Every transfer that the provider accepted at this moment or later, in an order of the provider's own, whoever ordered it.
   * @param asked.after the `providerId` of a transfer that an earlier reading has come to: those that follow it; all if it is
   *   not listed any more
   * @throws whatever keeps the provider from answering, then or half-way
   */
  transfers(asked: { since: Date; after?: string }): AsyncIterable<Transfer>;
  /**
   * Reads what the provider has posted, if it posts anything.
   * @returns undefined if it is the provider's, but about something else than a transfer of ours
   * @throws WebhookRefused
   */
  readWebhook?(headers: Headers, body: Uint8Array): Hint | undefined;
}

/** What a provider's webhook is about. It says nothing of what became of it: the provider is asked. */
export type Hint = { reference: string };

/** A webhook that is not the provider's, or not of now: 401, or 400 for one to be signed and sent anew; 404 without a provider. */
export class WebhookRefused extends Error {
  override readonly name = "WebhookRefused";

  constructor(
    readonly status: 400 | 401 | 404,
    message: string,
  ) {
    super(message);
  }
}

/** The provider will not make this transfer, and has not made it. */
export class TransferRefused extends Error {
  override readonly name = "TransferRefused";
}

/** The provider has not made this transfer, and this call never makes it. The next call may. */
export class TransferDeclined extends Error {
  override readonly name = "TransferDeclined";
}

/** The provider has had this call, does not say any more what became of it, and lists no transfer. */
export class KeySpent extends Error {
  override readonly name = "KeySpent";
}

/** The first adapter of a settlement method; undefined where the method has none. Methods may share one. */
export type OffRamps = ((method: SettlementMethod) => OffRamp | undefined) & {
  /** Every account's, the preferred first. Missing: those of the methods. */
  all?: readonly OffRamp[];
};
