// A loss in a database that lost its latest writes, and its repair.
import { byOperations, recordAudit } from "#core/audit/record-audit.ts";
import type { Transaction } from "#core/db/client.ts";

export type RepairKind =
  | "order_without_intent"
  | "settlement_without_payout"
  | "attempt_lost"
  | "payout_behind"
  | "unknown_transfer"
  | "transaction_lost"
  | "nonce_behind"
  | "event_missing"
  | "event_gap"
  | "audit_cut";

export type Repair = {
  kind: RepairKind;
  /** The id of the affected order, settlement, payout, transfer, transaction or intent. */
  about: string;
  /** The loss, with ids and amounts. */
  says: string;
  /** The effect of the repair, or who has to act. */
  does: string;
  /** Set if operators have acknowledged the loss, so that nothing has to be done. */
  acknowledged?: Decision;
  /**
   * Repairs the loss; absent if nothing here can. @param note writes the audit entry, in the transaction of the effect
   */
  apply?: (note: Note) => Promise<void>;
};

export type Note = (tx: Transaction) => Promise<void>;

export type Decision = { by: string; reason: string };

/** @returns a function that records that operators have applied a repair */
export const noteRepair =
  ({ by, reason }: Decision, { kind, about }: Pick<Repair, "kind" | "about">): Note =>
  (tx) =>
    recordAudit(tx, [
      { ...byOperations(by), action: `recovery.${kind}`, resourceId: about, metadata: { reason } },
    ]);
