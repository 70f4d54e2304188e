// Compares the symbolic model with the executable one, which the differential test compares with the bytecode. After
// each random call on a random order, both must have the same result, order and transfers, including with a fix
// removed.
import { expect, test } from "bun:test";
import { Random } from "#test/faults/random.ts";
import { type Call, type Context, isRefused } from "../escrow-model/calls.ts";
import {
  drawBehaviour,
  drawCall,
  drawMoment,
  drawTerms,
  firstMoment,
} from "../escrow-model/differential/draw.ts";
import { outcomeOf, WELL_BEHAVED } from "../escrow-model/differential/token.ts";
import { FIXES, type Fix } from "../escrow-model/fixes.ts";
import { apply } from "../escrow-model/operations/apply.ts";
import type { Order } from "../escrow-model/order.ts";
import { ESCROW } from "../escrow-model/terms.ts";
import { addresses, HISTORY, orderOf, stepOf } from "./constants.ts";

const CALLS = 3_000;

interface Attempt {
  order: Order | null;
  call: Call;
  context: Context;
}

/** Draws random orders, starting with their funding. */
function attempts(): Attempt[] {
  const found: Attempt[] = [];
  for (let seed = 1; found.length < CALLS; seed++) {
    const random = new Random(seed);
    const terms = drawTerms(random);
    let order: Order | null = null;
    let now = firstMoment();
    const length = random.integer(6, 30);
    for (let calls = 0; calls < length; calls++) {
      now = drawMoment(random, terms, order, now);
      const behaviour = random.happens(0.3) ? drawBehaviour(random, order !== null) : WELL_BEHAVED;
      const contextFor = ({ caller, call }: { caller: string; call: Call }): Context => ({
        terms,
        caller,
        now,
        fundable: call.name !== "createOrder" || outcomeOf(behaviour, call.payer, ESCROW) === "moves",
        transferTo: (receiver) => outcomeOf(behaviour, ESCROW, receiver),
      });
      const drawn = drawCall(random, terms, order, now, contextFor);
      const attempt = { order, call: drawn.call, context: contextFor(drawn) };
      found.push(attempt);
      const result = apply(attempt.order, attempt.call, attempt.context);
      if (!isRefused(result)) order = result.state;
    }
  }
  return found;
}

const drawn = attempts();

/** Describes the differences. */
function difference({ order, call, context }: Attempt, withoutFix: Fix | null): string[] {
  // For an unfunded order, the symbolic model supports only createOrder.
  if (!order && call.name !== "createOrder") return [];
  const circumstances = { ...context, withoutFix };
  const result = apply(order, call, circumstances);
  const step = stepOf(order, call, circumstances);
  const lines: string[] = [];
  const same = (what: string, symbolic: unknown, executable: unknown) => {
    if (symbolic === executable) return;
    lines.push(
      `${context.caller} ${show(call)}: ${what} is ${symbolic}, and ${executable} in the executable model`,
    );
  };
  same("accepted", step.guard.value, !isRefused(result));
  if (isRefused(result)) return lines;

  const expected = orderOf(result.state);
  for (const field of Object.keys(expected) as (keyof typeof expected)[]) {
    if (!(field in HISTORY)) same(field, step.order[field].value, expected[field].value);
  }
  let sum = 0n;
  for (const { to, amount } of result.transfers) {
    sum += amount;
    same("receiver", step.sent.to.value, addresses.of(to).value);
  }
  same("sent amount", step.sent.amount.value, sum);
  return lines;
}

const show = (value: unknown): string =>
  JSON.stringify(value, (_, part) => (typeof part === "bigint" ? String(part) : part));

test("the symbolic model behaves like the executable one", () => {
  expect(drawn.flatMap((attempt) => difference(attempt, null))).toEqual([]);
});

test("the calls include every operation, accepted and rejected", () => {
  const outcomes = drawn.map(
    ({ order, call, context }) => `${call.name} ${isRefused(apply(order, call, context))}`,
  );
  expect(new Set(outcomes).size).toBe(30);
});

for (const fix of FIXES) {
  test(`both models behave the same without the fix: ${fix}`, () => {
    expect(drawn.flatMap((attempt) => difference(attempt, fix))).toEqual([]);
  });
}
