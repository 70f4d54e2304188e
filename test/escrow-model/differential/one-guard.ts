// Whether exactly one guard rejects a call, which means that the model accepts the call with another caller, time,
// argument, state or term. Only then must model and contract report the same error, because the order of several guards
// is unspecified.
import { type Call, type Context, isRefused } from "../calls.ts";
import { apply } from "../operations/apply.ts";
import { type Order, STATUSES, unreleased } from "../order.ts";
import { RELEASE_TYPES, type Terms, ZERO } from "../terms.ts";
import { momentsBeside } from "./moments.ts";
import { PEOPLE } from "./people.ts";

interface Attempt {
  order: Order | null;
  call: Call;
  context: Context;
}

export function isRefusedByOneGuard(attempt: Attempt): boolean {
  for (const variant of variants(attempt)) {
    if (!isRefused(apply(variant.order, variant.call, variant.context))) return true;
  }
  return false;
}

function* variants({ order, call, context }: Attempt): Generator<Attempt> {
  const { terms } = context;
  for (const caller of PEOPLE) {
    const own = call.name === "createOrder" && !call.signers ? { ...call, payer: caller } : call;
    yield { order, call: own, context: { ...context, caller } };
  }
  if ("signers" in call && call.signers) yield { order, call: { ...call, signers: PEOPLE } as Call, context };
  for (const now of momentsBeside(terms, order)) yield { order, call, context: { ...context, now } };
  yield { order, call, context: { ...context, fundable: true, transferTo: undefined } };
  for (const change of changesOfTerms(terms))
    yield { order, call, context: { ...context, terms: { ...terms, ...change } } };
  for (const changed of changesOfCall(call, order, context)) yield { order, call: changed, context };
  if (call.name === "createOrder") yield { order: null, call, context };
  if (!order) return;
  for (const change of changesOfOrder(order)) yield { order: { ...order, ...change }, call, context };
}

function* changesOfTerms(terms: Terms): Generator<Partial<Terms>> {
  for (const releaseType of RELEASE_TYPES) yield { releaseType };
  yield { arbiter: "sound arbiter" };
  yield { payee: "sound payee" };
  yield { offRamp: "sound off-ramp" };
  yield { payer: ZERO };
  yield { amount: 1n };
  yield { deliveryPeriod: 1 };
  yield { disputeWindow: 60 };
  yield { timeLockUntil: terms.releaseType === "TIME_LOCKED" ? 1 : 0 };
}

function* changesOfCall(call: Call, order: Order | null, { terms, now }: Context): Generator<Call> {
  const rest = order ? unreleased(order, terms) : 0n;
  if (call.name === "refund") yield { ...call, amount: rest };
  if (call.name === "releaseMilestone") yield { ...call, cumulative: terms.amount };
  if (call.name === "raiseDispute") {
    yield { ...call, window: terms.disputeWindow };
    if (call.signers) yield { ...call, expiry: now };
  }
  if (call.name === "resolveDisputeByAgreement") {
    yield { ...call, expiry: now };
    if (order) yield { ...call, dispute: order.disputes };
  }
}

function* changesOfOrder(order: Order): Generator<Partial<Order>> {
  for (const status of STATUSES) yield { status };
  yield { proven: !order.proven };
  yield { payerDisputed: false };
  yield { merchantDisputed: false };
  yield { settled: 0n, withdrawn: 0n };
}
