// Executes payouts: queries the provider by reference first, orders the transfer only if the provider does not have it,
// and follows the transfer to its end. A worker may die at any line: the payout is due again when its lease expires,
// and the provider's response determines what has happened (docs/architecture.md).
import pLimit, { type LimitFunction } from "p-limit";
import pTimeout from "p-timeout";
import { createSwitches } from "#core/controls/switches.ts";
import type { PayoutState } from "#core/db/schema/payouts.ts";
import { LOST_DESTINATION } from "#core/intent/lost-destination.ts";
import { wallTime } from "#core/intent/payment-time.ts";
import { describe } from "#core/log.ts";
import { rememberFor } from "#core/remember.ts";
import { findUnverified } from "../off-ramp/accounts.ts";
import {
  KeySpent,
  type OffRamp,
  type Transfer,
  TransferDeclined,
  TransferRefused,
} from "../off-ramp/off-ramp.ts";
import type { Context } from "../runtime/context.ts";
import { Problems } from "../runtime/problems.ts";
import { createAdmission, HELD, isHeld } from "./admit-payouts.ts";
import { type CoverageCheck, createCoverageCheck, createReasonReader } from "./check-coverage.ts";
import { type ClaimedPayout, createPayoutClaim } from "./claim-payouts.ts";
import { earliestTransfer } from "./earliest-transfer.ts";
import { awaitsFunds, isAnswered, isSpent, nextCall, pickArrival, placeFor } from "./payout-facts.ts";
import { FOLLOW_COMPLETED_MS, FOLLOW_MS, HELD_MS, retryDelay, STOPPED_MS, soonest } from "./poll-delays.ts";
import { createHealthRecord } from "./record-health.ts";
import { explainUncovered, isReducible, reducePayout } from "./reduce-payout.ts";
import { PayoutBlocked, requireAdapter, withoutDestination, withoutWallet } from "./require-adapter.ts";
import { refreshRefund } from "./retry-funds.ts";
import { createWalletFunds } from "./wallet-funds.ts";
import { createPayoutWriter, type PayoutChange } from "./write-payouts.ts";

export type Timeouts = {
  /** How long no other worker can claim a claimed payout. It must be at least three times `answerMs`. */
  leaseMs: number;
  /** The provider's response timeout. */
  answerMs: number;
};

/** The lease is shorter than the time for which a report about a retry's funds is new (retry-funds.ts). */
const TIMEOUTS: Timeouts = { leaseMs: 20_000, answerMs: 5_000 };
/** How long the lead of the payment clock is reused within a batch. */
const LEAD_FRESH_MS = 100;

/** What the payouts that a worker has claimed together share. */
type Batch = {
  check: CoverageCheck;
  /** The payouts that the chain covers. */
  covered: Set<string>;
  /** Returns why the payout is blocked if the chain did not cover it when it was last checked. */
  loadReason(row: ClaimedPayout): Promise<string | undefined>;
  /** A payout is ordered only before this time. */
  latest: number;
};

function requireTime(latest: number): void {
  if (performance.now() > latest) throw new Error("The lease expires too soon to call the provider.");
}

const within = <T>(ms: number, answer: Promise<T>): Promise<T> =>
  pTimeout(answer, { milliseconds: ms, message: "The provider did not respond in time." });

/**
 * Limits the payouts that are handled concurrently to what each provider allows. A started payout ends before the next
 * one starts; otherwise none might end in time.
 */
function createLimits(): (offRamp: OffRamp) => LimitFunction {
  const turns = new WeakMap<OffRamp, LimitFunction>();
  return (offRamp) => {
    const known = turns.get(offRamp);
    if (known) return known;
    const made = pLimit(offRamp.atOnce);
    turns.set(offRamp, made);
    return made;
  };
}

/**
 * Returns a handler that executes the next step of each given payout that is due.
 * @param onChange called when a payout's state has changed
 */
export function createPayoutHandler(
  context: Context,
  onChange: () => void,
  { leaseMs, answerMs }: Timeouts = TIMEOUTS,
): (ids: string[]) => Promise<void> {
  const { database, reader, offRamps, config, log } = context;
  const problems = new Problems(log);
  const funds = createWalletFunds(context, problems);
  const startCheck = createCoverageCheck(context);
  const startReasons = createReasonReader(database);
  const findLimit = createLimits();
  const switches = createSwitches(database);
  const admit = createAdmission(database);

  const claim = createPayoutClaim(database, offRamps, leaseMs);
  const write = createPayoutWriter(database);
  const noteHealth = createHealthRecord(database, problems);

  /**
   * How far the payment time is ahead of wall time. It is ahead only on a local chain, whose clock can be moved.
   * @throws ServiceError 503 while the indexer is not current: its head may predate the clock change
   */
  const readLeadMs = async () =>
    config.chain.simulated ? Math.max(0, (await reader.head()).timestamp - wallTime()) * 1_000 : 0;
  /** The value is shared by payouts that end at the same time, so that they are stored together. */
  let leadMs = rememberFor(LEAD_FRESH_MS, readLeadMs);
  const isOver = async ({ finalAt }: ClaimedPayout) =>
    finalAt !== null && finalAt.getTime() - (await leadMs()) <= Date.now();

  async function change(row: ClaimedPayout, to: PayoutChange): Promise<void> {
    const now = await write({ row, to });
    if (now === undefined || now === row.state) return;
    log.info({ payout: row.id, intent: row.intentId, from: row.state, to: now }, "payout state changed");
    onChange();
  }

  const retryLater = (row: ClaimedPayout, state: PayoutState = row.state, atLeastMs = 0) => {
    const delay = retryDelay(row, row.allocated || row.awaitsFunds);
    return change(row, { state, next: { inMs: Math.max(delay, atLeastMs) } });
  };

  /** Reschedules a payout that could not be checked: if the chain did not cover it, it stays blocked. */
  const retryUnchecked = async (row: ClaimedPayout, { loadReason }: Batch, inMs: number) =>
    change(row, { blocked: await loadReason(row), next: { inMs } });

  /** Reschedules a payout for which the provider has no transfer and the wallet has no funds now. */
  const waitForFunds = (row: ClaimedPayout, turn: "soon" | "later") =>
    change(row, {
      state: row.allocated ? row.state : "created",
      next: { inMs: retryDelay(row, turn === "soon") },
    });

  /**
   * Releases the funds of a payout for which the provider has no transfer and that must not be ordered now, so that
   * other payouts can use them.
   * @param blocked the reason, unless it may pass by itself
   */
  function releaseFunds(row: ClaimedPayout, { lookUpAfterMs }: OffRamp, blocked?: string): Promise<void> {
    // A worker that died during a call has not recorded that its outcome is unknown.
    const mayBeInProgress =
      row.calledAt !== null && Date.now() - row.calledAt.getTime() < lookUpAfterMs + answerMs;
    return mayBeInProgress
      ? retryLater(row, row.state, lookUpAfterMs + answerMs)
      : change(row, { state: "created", allocated: false, blocked, next: { inMs: retryDelay(row) } });
  }

  /** Stores the provider's response as the row's state. */
  async function record(row: ClaimedPayout, transfer: Transfer): Promise<void> {
    const { providerId, failure, fee, state, completedAt, nextPollAt } = transfer;
    const funds = { allocated: false, awaitsFunds: awaitsFunds(row, transfer) };
    if (transfer.amount !== row.amount || transfer.currency !== row.currency) {
      problems.report(
        `payout ${row.id}`,
        new Error("The provider's transfer with this reference has a different amount or currency."),
      );
      return change(row, { state: "quarantined", providerId, ...funds, next: { inMs: retryDelay(row) } });
    }
    const heldUp = failure ?? (row.state === "completed" ? "it was previously completed" : undefined);
    if (state === "pending" && heldUp) {
      problems.report(`payout ${row.id}`, new Error(`The provider is delaying the payout: ${heldUp}.`));
    } else problems.resolve(`payout ${row.id}`);
    switch (state) {
      case "pending": {
        // A completed payout counts as returned only once the provider reports it, even while the provider
        // investigates.
        const accepted = row.state === "completed" ? row.state : "submitted";
        const delay = Math.max(FOLLOW_MS, retryDelay(row, funds.awaitsFunds));
        const next = nextPollAt ? soonest(nextPollAt) : { inMs: delay };
        return change(row, { state: accepted, providerId, ...funds, next });
      }
      case "completed": {
        const at = completedAt ?? new Date();
        const lead = await leadMs();
        const finalAt = row.finalAt ?? new Date(at.getTime() + lead + config.returnWindow * 1_000);
        const end = finalAt.getTime() - lead;
        const next = Math.min(nextPollAt?.getTime() ?? Date.now() + FOLLOW_COMPLETED_MS, end);
        const over = Date.now() >= end;
        return change(row, {
          state,
          providerId,
          failure: null,
          ...funds,
          fee,
          ...pickArrival(transfer),
          completedAt: at,
          finalAt,
          next: over ? null : soonest(new Date(next)),
        });
      }
      case "failed":
      case "returned":
        if (await isOver(row)) {
          log.error(
            { payout: row.id, intent: row.intentId, to: state },
            "a final payout failed or was returned",
          );
        }
        return change(row, {
          state,
          providerId,
          failure,
          ...funds,
          fee,
          gas: transfer.gas ?? 0n,
          refunded: transfer.refunded ?? null,
          finalAt: null,
          next: null,
          completedAt: completedAt ?? row.completedAt,
        });
    }
  }

  /**
   * Quarantines a payout whose provider does not report the outcome of a call. Only an operator can decide that the
   * provider will never execute that call.
   */
  function spend(row: ClaimedPayout): Promise<void> {
    const call = nextCall(row);
    const blocked =
      `The provider received call ${call}, but neither responds to it nor lists a transfer. ` +
      "Ask the provider, then order another call (npm run ops -- reorder).";
    problems.report(`payout ${row.id}`, new Error(blocked));
    return change(row, { state: "quarantined", spentCall: call, blocked, next: { inMs: retryDelay(row) } });
  }

  async function create(row: ClaimedPayout, offRamp: OffRamp): Promise<void> {
    const { reference, method, wallet, amount, currency, destination, beneficiary } = row;
    const call = nextCall(row);
    const order = {
      reference,
      call,
      method,
      wallet,
      amount,
      currency,
      destination,
      beneficiary,
      notBefore: earliestTransfer(row),
    };
    let transfer: Transfer;
    try {
      transfer = await within(answerMs, offRamp.create(order));
    } catch (error) {
      if (error instanceof TransferRefused) {
        return change(row, { state: "failed", failure: error.message, allocated: false, next: null });
      }
      if (error instanceof TransferDeclined) {
        problems.report(`payout ${row.id}`, error);
        // The next call uses a new key, once the provider's list is known not to contain the transfer.
        const next = { inMs: Math.max(retryDelay(row), offRamp.lookUpAfterMs) };
        return change(row, { state: "created", declinedCalls: call, allocated: false, next });
      }
      if (error instanceof KeySpent) return spend(row);
      // The outcome is unknown: only the provider knows it, by reference.
      log.warn({ payout: row.id, cause: describe(error) }, "the provider's response is unknown");
      return retryLater(row, "quarantined", offRamp.lookUpAfterMs);
    }
    return record(row, transfer);
  }

  /**
   * Records why a payout is blocked. A completed payout needs nothing more once its return window has ended. A returned
   * payout is queried only once, for operations.
   */
  const block = async (row: ClaimedPayout, why: PayoutBlocked) =>
    row.state === "returned"
      ? change(row, { next: null })
      : change(row, {
          blocked: why.message,
          next: (await isOver(row)) ? null : { inMs: retryDelay(row) },
        });

  async function ask(row: ClaimedPayout, offRamp: OffRamp, batch: Batch) {
    const { check, latest } = batch;
    const subject = `payout ${row.id}`;
    const { reference, providerId } = row;
    const isStopped = async () => !isAnswered(row) && (await switches.isOff("payouts"));
    if (await isStopped()) return retryUnchecked(row, batch, STOPPED_MS);
    if (isHeld(row) && !isAnswered(row)) return change(row, { blocked: HELD, next: { inMs: HELD_MS } });
    const lookUp = offRamp.lookUp(reference, { providerId, notBefore: earliestTransfer(row) });
    const known = await noteHealth(offRamp.account, within(answerMs, lookUp));
    if (known) return record(row, known);
    if (isAnswered(row)) {
      problems.report(subject, new Error("The provider no longer has a transfer that it had accepted."));
      return row.state === "returned" ? change(row, { next: null }) : retryLater(row);
    }
    const uncovered = await check(row);
    if (uncovered) {
      const { problem, covered } = uncovered;
      problems.report(subject, new Error(problem));
      if (covered !== undefined && isReducible(context, row, covered)) {
        await reducePayout(context, row, covered);
        return onChange();
      }
      if (isSpent(row)) return spend(row);
      const blocked =
        covered === undefined
          ? await batch.loadReason(row)
          : explainUncovered(context, row, { problem, covered });
      return releaseFunds(row, offRamp, blocked);
    }
    batch.covered.add(row.id);
    if (row.destination === LOST_DESTINATION) throw withoutDestination();
    if (offRamp.hasWallets && row.wallet === null) throw withoutWallet(row, offRamp);
    if (row.attempt > 1) await within(answerMs, refreshRefund(database, row, offRamp));
    const place = placeFor(row);
    const turn = await funds.findTurn(row, place);
    if (turn !== "now") return isSpent(row) ? spend(row) : waitForFunds(row, turn);
    if (!(await admit(row))) return change(row, { blocked: HELD, next: { inMs: HELD_MS } });
    if (await isStopped()) return change(row, { next: { inMs: STOPPED_MS } });
    requireTime(latest);
    const allocation = await funds.allocate(row, place);
    if (allocation === "lost") return;
    if (allocation !== "allocated") return waitForFunds(row, allocation);
    requireTime(latest);
    return create({ ...row, allocated: true }, offRamp);
  }

  return async (ids) => {
    // An order starts only if it will end well before the lease expires.
    const latest = performance.now() + leaseMs - 2 * answerMs;
    leadMs = rememberFor(LEAD_FRESH_MS, readLeadMs);
    funds.prefetch();
    const unverified = await findUnverified(offRamps);
    const rows = await claim(ids);
    const batch: Batch = {
      ...{ check: startCheck(rows), loadReason: startReasons(rows), covered: new Set(), latest },
    };
    await Promise.all(
      rows.map(async (row) => {
        try {
          const offRamp = requireAdapter(offRamps, row, unverified);
          await findLimit(offRamp)(() => ask(row, offRamp, batch));
        } catch (error) {
          problems.report(`payout ${row.id}`, error);
          const retry = () =>
            batch.covered.has(row.id)
              ? retryLater(row)
              : retryUnchecked(row, batch, retryDelay(row, row.allocated || row.awaitsFunds));
          // If even this update fails, the lease expires by itself.
          await (error instanceof PayoutBlocked ? block(row, error) : retry()).catch(() => undefined);
        }
      }),
    );
  };
}
