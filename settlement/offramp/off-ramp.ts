// An off-ramp turns settled stablecoins into fiat on somebody's account. One adapter a provider, all behind this.
import type { SettlementMethod } from "#core/db/schema.ts";
import type { Currency } from "#core/money.ts";

/** What is asked of a provider. `reference` is ours, and unique: the same reference is the same transfer. */
export type TransferOrder = {
  reference: string;
  method: SettlementMethod;
  /** Smallest unit. */
  amount: bigint;
  currency: Currency;
  destination: string;
};

/** What a provider says of a transfer. */
export type Transfer = {
  providerId: string;
  reference: string;
  amount: bigint;
  currency: Currency;
  /** `pending`: accepted, money may move. `failed`: no money has arrived. `returned`: it arrived and came back. */
  state: "pending" | "completed" | "failed" | "returned";
  /** When the provider completed it. */
  completedAt: Date | null;
  /** Why it failed or was returned, without account data. */
  failure: string | null;
  /** When asking again may tell something new, if the provider knows. */
  lookAgainAt: Date | null;
};

export interface OffRamp {
  /** After an ambiguous answer the call may still be on its way: so long a look-up that finds nothing proves nothing. */
  lookUpAfterMs: number;
  /**
   * The provider's word on a reference; undefined only if the provider says that it does not know it.
   * @throws whatever keeps the provider from answering
   */
  findByReference(reference: string): Promise<Transfer | undefined>;
  /**
   * Orders a transfer. A reference that the provider knows already gives the transfer that it stands for.
   * @throws TransferRefused when the provider says that it did not and will not make it; any other error is ambiguous
   */
  create(order: TransferOrder): Promise<Transfer>;
}

/** The provider will not make this transfer, and has not made it. */
export class TransferRefused extends Error {
  override readonly name = "TransferRefused";
}

/** The adapter of a settlement method; undefined where the method has none. */
export type OffRamps = (method: SettlementMethod) => OffRamp | undefined;
