// Predicts what closing an expired dispute does (contracts/parts/Disputes.sol, resolveExpiredDispute).
import { hasIndependentOracle, isOpen, type OpenStatus } from "#core/chain/terms.ts";
import type { Checkout, Order } from "./checkout.ts";
import { isLockExpired, listRights } from "./rights.ts";
import type { pay } from "./texts.ts";
import type { Verified } from "./verify.ts";

/** The first text says where the money goes. The other texts say what becomes possible. */
export type Ending = (keyof typeof pay & `ending.${string}`)[];

const PROVES_DELIVERY: ReadonlySet<string> = new Set(["DELIVERY_PROOF", "AUTO_RELEASE"]);

function resumedStatus({ proven, statusBeforeDispute }: Order): OpenStatus {
  if (proven) return "Delivered";
  if (isOpen(statusBeforeDispute)) return statusBeforeDispute;
  throw new Error(`No order was disputed in status ${statusBeforeDispute}.`);
}

/** Returns what the parties can do once the order has resumed. @param now Unix seconds */
function afterwards(checkout: Checkout, order: Order, verified: Verified, now: number): Ending {
  const { releaseType, terms } = verified;
  if (isLockExpired(order, verified, now)) return ["ending.lockOver"];
  const rights = listRights({ ...checkout, data: { ...checkout.data, order } }, verified, now);
  const next: Ending = [];
  if (order.proven && releaseType !== "TIME_LOCKED") next.push("ending.payeesRelease");
  else if (rights.includes("reclaim")) next.push("ending.reclaim");
  else if (releaseType === "TIME_LOCKED" && order.status !== "Created") next.push("ending.lock");
  else if (releaseType === "TIME_LOCKED" && now >= terms.timeLockUntil) next.push("ending.pastLock");
  if (rights.includes("dispute")) next.push("ending.ownDispute");
  return next;
}

/**
 * @param order the order while it is disputed
 * @param now Unix seconds
 */
export function predictEnding(checkout: Checkout, order: Order, verified: Verified, now: number): Ending {
  const { releaseType, terms } = verified;
  const { proven, payer, disputeSide } = order;
  const independent = hasIndependentOracle(terms, payer);
  const resumes =
    releaseType === "TIME_LOCKED" ||
    disputeSide === "MERCHANT" ||
    (!proven && (!PROVES_DELIVERY.has(releaseType) || independent));
  if (!resumes) {
    if (!proven) return ["ending.payer"];
    return [independent ? "ending.payeeByOracle" : "ending.payeeByMerchant"];
  }
  const status = resumedStatus(order);
  const how = proven && independent ? "Proven" : status;
  return [`ending.resumes.${how}`, ...afterwards(checkout, { ...order, status }, verified, now)];
}
