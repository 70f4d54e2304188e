// Stores the simulated provider's accounts, and its transfers with their states, in memory. The gateway's payments can
// be checked against this data.
import { randomUUID } from "node:crypto";

export type TransferStoreOptions = {
  /** The range from which a transfer's random duration is chosen, in milliseconds. */
  minMs: number;
  maxMs: number;
  /** The fee deducted from each transfer, as a decimal in the transfer's currency. Default: none. */
  fee?: string;
  /** Additional receipt fields, by their API names: final_amount, exchange_rate, gas_fee. */
  receipt?: Record<string, string>;
};

type TransferState =
  | "awaiting_funds"
  | "payment_submitted"
  | "payment_processed"
  | "undeliverable"
  | "error"
  | "returned"
  | "canceled";

/** `at` in Unix milliseconds. */
export type Step = { state: TransferState; at: number };

export type StoredTransfer = {
  id: string;
  reference: string;
  amount: string;
  currency: string;
  walletId: string;
  accountId: string;
  destination: { payment_rail: string; currency: string };
  createdAt: number;
  /** The states that the transfer goes through, in order, unless it is canceled. */
  steps: Step[];
};

/** `amount`: a decimal in the currency. `account`: the receiving account number. */
export type TransferNow = Pick<
  StoredTransfer,
  "reference" | "amount" | "currency" | "walletId" | "createdAt"
> & {
  account: string;
  state: TransferState;
};

export type NewTransfer = Omit<StoredTransfer, "id" | "createdAt" | "steps">;

/** `error`: a person must investigate the transfer, and the API does not say where its funds are. */
export type ForcedState = Extract<TransferState, "payment_processed" | "undeliverable" | "error">;

/** How many times longer a `slow_` transfer takes. */
const SLOW = 10;
/** The fraction of its duration after which a transfer can no longer be canceled. */
const SUBMITTED = 0.2;
/** The multiple of its duration after which a `returned_` transfer is returned. */
const RETURNED = 1.5;

export class TransferStore {
  /** Account numbers by external account id. */
  readonly #accounts = new Map<string, string>();
  /** Transfers by id, oldest first. */
  readonly #transfers = new Map<string, StoredTransfer>();

  constructor(private readonly options: TransferStoreOptions) {}

  addAccount(number: string): string {
    const id = `ea_${randomUUID()}`;
    this.#accounts.set(id, number);
    return id;
  }

  accountNumber(id: string): string | undefined {
    return this.#accounts.get(id);
  }

  /** @param createdAt Unix milliseconds; not before the previous transfer's */
  addTransfer(wanted: NewTransfer, createdAt = Date.now()): StoredTransfer {
    const steps = this.#planSteps(wanted, createdAt);
    const transfer = { ...wanted, id: `transfer_${randomUUID()}`, createdAt, steps };
    this.#transfers.set(transfer.id, transfer);
    return transfer;
  }

  find(id: string): StoredTransfer | undefined {
    return this.#transfers.get(id);
  }

  /** Returns up to `limit` transfers, newest first, that follow the transfer `after`. */
  page(limit: number, after?: string): StoredTransfer[] {
    const newest = [...this.#transfers.values()].reverse();
    const start = after === undefined ? 0 : newest.findIndex(({ id }) => id === after) + 1;
    return newest.slice(start, start + limit);
  }

  /** Cancels a transfer. @returns false if it is too late to cancel */
  cancel(transfer: StoredTransfer): boolean {
    if (this.now(transfer).state !== "awaiting_funds") return false;
    transfer.steps = [...transfer.steps.slice(0, 1), { state: "canceled", at: Date.now() }];
    return true;
  }

  /** Puts the transfers with this reference into a state immediately. */
  carryOut(reference: string, state: ForcedState = "payment_processed"): StoredTransfer[] {
    const pending = [...this.#transfers.values()].filter((transfer) => transfer.reference === reference);
    for (const transfer of pending) transfer.steps = [{ state, at: Date.now() }];
    return pending;
  }

  /** Simulates that the receiving bank returns paid transfers, regardless of how long ago they were paid. */
  giveBack(reference: string): StoredTransfer[] {
    const paid = [...this.#transfers.values()].filter(
      (transfer) => transfer.reference === reference && this.now(transfer).state === "payment_processed",
    );
    for (const transfer of paid) transfer.steps = [...transfer.steps, { state: "returned", at: Date.now() }];
    return paid;
  }

  /** Returns the current step of a transfer. */
  now({ steps }: StoredTransfer): Step {
    const [first] = steps;
    const step = steps.findLast(({ at }) => at <= Date.now()) ?? first;
    if (!step) throw new Error("A transfer has no steps.");
    return step;
  }

  /** Returns the current state of every transfer, oldest first. */
  transfers(): TransferNow[] {
    return [...this.#transfers.values()].map((transfer) => {
      const { reference, amount, currency, walletId, createdAt, accountId } = transfer;
      const { state } = this.now(transfer);
      return {
        reference,
        amount,
        currency,
        walletId,
        createdAt,
        account: this.#accounts.get(accountId) ?? "",
        state,
      };
    });
  }

  /** Returns the number of paid transfers per reference, without returned transfers. */
  paid(): Map<string, number> {
    const times = new Map<string, number>();
    for (const transfer of this.#transfers.values()) {
      if (this.now(transfer).state !== "payment_processed") continue;
      times.set(transfer.reference, (times.get(transfer.reference) ?? 0) + 1);
    }
    return times;
  }

  /** Returns the transfer in the API's format. */
  show(transfer: StoredTransfer): object {
    const { state, at } = this.now(transfer);
    const { amount, currency, walletId, accountId, destination } = transfer;
    return {
      id: transfer.id,
      client_reference_id: transfer.reference,
      state,
      amount,
      source: { payment_rail: "bridge_wallet", currency, bridge_wallet_id: walletId },
      destination: { ...destination, external_account_id: accountId },
      receipt: {
        initial_amount: amount,
        exchange_fee: this.options.fee ?? "0.0",
        developer_fee: "0.0",
        ...this.options.receipt,
      },
      created_at: new Date(transfer.createdAt).toISOString(),
      updated_at: new Date(at).toISOString(),
    };
  }

  #planSteps({ accountId }: NewTransfer, from: number): Step[] {
    const { minMs, maxMs } = this.options;
    const number = this.#accounts.get(accountId) ?? "";
    const slower = number.startsWith("slow_") ? SLOW : 1;
    const takes = (minMs + Math.random() * Math.max(0, maxMs - minMs)) * slower;
    const steps: Step[] = [
      { state: "awaiting_funds", at: from },
      { state: "payment_submitted", at: from + takes * SUBMITTED },
      { state: this.#fails(number) ? "undeliverable" : "payment_processed", at: from + takes },
    ];
    if (number.startsWith("returned_")) steps.push({ state: "returned", at: from + takes * RETURNED });
    return steps;
  }

  #fails(number: string): boolean {
    if (!number.startsWith("fail_once_")) return number.startsWith("fail_");
    return ![...this.#transfers.values()].some(({ accountId }) => this.#accounts.get(accountId) === number);
  }
}
