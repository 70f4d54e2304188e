// createOrder, including its variants in which the operator submits the payer's signature.
import { type Call, type Context, type Result, refuse } from "../calls.ts";
import { type Order, UNFUNDED } from "../order.ts";
import {
  type Address,
  ESCROW,
  MAX_DELIVERY_PERIOD,
  MAX_DISPUTE_WINDOW,
  MIN_DISPUTE_WINDOW,
  type Terms,
  ZERO,
} from "../terms.ts";
import { changed } from "./moves.ts";

type Create = Extract<Call, { name: "createOrder" }>;

export function createOrder(order: Order | null, call: Create, context: Context): Result {
  const { terms, caller, now } = context;
  const allowed = call.signers
    ? caller === terms.operator && call.signers.includes(call.payer)
    : caller === call.payer;
  if (!allowed) return refuse("CallerNotAllowed");
  if (terms.payer !== ZERO && terms.payer !== call.payer) return refuse("RoleNotAllowed");
  if (context.fundable === false) return refuse("NotFundable");
  if (order) return refuse("OrderExists");
  if (now > terms.fundingDeadline) return refuse("OutsideTime");
  if (!hasSoundRoles(terms, call.payer, context.withoutFix === "operator is not the arbiter"))
    return refuse("RoleNotAllowed");
  if (!hasSoundNumbers(terms, now)) return refuse("OutOfRange");

  const immediate = terms.releaseType === "IMMEDIATE";
  const deliveryDeadline = now + terms.deliveryPeriod;
  return changed(
    {
      ...UNFUNDED,
      payer: call.payer,
      status: immediate ? "AwaitingSettlement" : "Created",
      deliveryDeadline,
      released: immediate ? terms.amount : 0n,
    },
    { name: "OrderCreated", payer: call.payer, deliveryDeadline },
  );
}

/** No party arbitrates its own dispute, and nothing is sent to the zero address or the escrow. */
function hasSoundRoles(terms: Terms, payer: Address, operatorMayJudge: boolean): boolean {
  const { arbiter, payee, operator, offRamp } = terms;
  if (payer === ZERO) return false;
  if ([ZERO, ESCROW].includes(payee) || [ZERO, ESCROW].includes(offRamp)) return false;
  if (arbiter === operator && operatorMayJudge) return true;
  return ![ZERO, payee, payer, operator, offRamp].includes(arbiter);
}

function hasSoundNumbers(terms: Terms, now: number): boolean {
  const { deliveryPeriod, disputeWindow, timeLockUntil } = terms;
  if (terms.amount < 1n || terms.amount >= 1n << 120n) return false;
  if (deliveryPeriod < 1 || deliveryPeriod > MAX_DELIVERY_PERIOD) return false;
  if (disputeWindow < MIN_DISPUTE_WINDOW || disputeWindow > MAX_DISPUTE_WINDOW) return false;
  // With a later lock, both sides could take the funds. A lock in the past has already expired.
  if (terms.releaseType === "TIME_LOCKED") return timeLockUntil >= 1 && timeLockUntil <= now + deliveryPeriod;
  return timeLockUntil === 0;
}
