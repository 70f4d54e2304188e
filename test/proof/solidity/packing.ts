// The order's slot (contracts/parts/OrderSlot.sol), for every word: written values can be read back, and nothing else
// changes.
import { STATUSES, type Status } from "../../escrow-model/order.ts";
import type { Obligation } from "../smt/obligation.ts";
import { and, type Bool, FALSE, iff, implies, not, or, TRUE, type Word } from "../smt/term.ts";
import { compute, fits, isBelow, isSame, whenWord, word, wordVariable } from "../smt/word.ts";
import { Execution, ofWord } from "./execute.ts";
import type { Value } from "./frame.ts";
import type { Source } from "./source.ts";

const PART = "packing";

const FIELDS = ["payer", "deliveryDeadline", "disputeDeadline", "status", "statusBeforeDispute"] as const;
const FLAGS = [
  "PROVEN",
  "WITHDRAWN",
  "SPLIT",
  "PAYER_DISPUTED",
  "MERCHANT_DISPUTED",
  "MERCHANT_LATEST",
] as const;
type Field = (typeof FIELDS)[number];
type Flag = (typeof FLAGS)[number];

const status = (name: Status) => word(STATUSES.indexOf(name));
const TIME_BITS = 40;

export function packing(source: Source): Obligation[] {
  const execution = new Execution(source);
  const call = (name: string, ...args: Word[]) => execution.call(name, args.map(ofWord));
  const slot = wordVariable("slot");
  const get = (from: Word, field: Field) => wordIn(call(field, from));
  const flagWord = (flag: Flag) => wordIn(execution.constant(flag));
  const has = (from: Word, flag: Flag) => boolIn(call("has", from, flagWord(flag)));

  /** Whether reads of the slot return these values, and unchanged values for all other fields and flags. */
  const reads = (after: Word, fields: Partial<Record<Field, Word>>, flags: Partial<Record<Flag, Bool>>) =>
    and(
      ...FIELDS.map((field) => isSame(get(after, field), fields[field] ?? get(slot, field))),
      ...FLAGS.map((flag) => iff(has(after, flag), flags[flag] ?? has(slot, flag))),
    );
  const obligation = (name: string, claim: Bool): Obligation => ({ part: PART, name, claim });

  const [payer, deadline, newStatus] = ["payer", "deadline", "status"].map(wordVariable) as [
    Word,
    Word,
    Word,
  ];
  const [delay, side, statuses] = ["delay", "side", "statuses"].map(wordVariable) as [Word, Word, Word];
  const none = Object.fromEntries(FLAGS.map((flag) => [flag, FALSE]));
  const isStatus = isBelow(newStatus, word(STATUSES.length));
  const created = wordIn(call("newOrderSlot", payer, deadline, newStatus));
  const disputed = wordIn(call("withDispute", slot, side, deadline, delay));
  const movedDeadline = compute("bvadd", get(slot, "deliveryDeadline"), delay);
  const byPayer = isSame(side, word(0));
  return [
    obligation(
      "newOrderSlot holds payer, deadline and status, and nothing else",
      implies(
        and(fits(payer, 160), fits(deadline, TIME_BITS), isStatus),
        reads(
          created,
          {
            payer,
            deliveryDeadline: deadline,
            status: newStatus,
            disputeDeadline: word(0),
            statusBeforeDispute: word(0),
          },
          none,
        ),
      ),
    ),
    obligation(
      "withStatus changes the status alone",
      implies(isStatus, reads(wordIn(call("withStatus", slot, newStatus)), { status: newStatus }, {})),
    ),
    ...FLAGS.map((flag) =>
      obligation(
        `withFlag(${flag}) sets this flag alone`,
        reads(wordIn(call("withFlag", slot, flagWord(flag))), {}, { [flag]: TRUE }),
      ),
    ),
    obligation(
      "withDispute sets the dispute, moves the delivery deadline by the delay, and keeps the rest",
      implies(
        and(
          isBelow(side, word(2)),
          fits(deadline, TIME_BITS),
          fits(delay, TIME_BITS),
          fits(movedDeadline, TIME_BITS),
        ),
        reads(
          disputed,
          {
            status: status("Disputed"),
            statusBeforeDispute: get(slot, "status"),
            disputeDeadline: deadline,
            deliveryDeadline: movedDeadline,
          },
          {
            PAYER_DISPUTED: or(byPayer, has(slot, "PAYER_DISPUTED")),
            MERCHANT_DISPUTED: or(not(byPayer), has(slot, "MERCHANT_DISPUTED")),
            MERCHANT_LATEST: not(byPayer),
          },
        ),
      ),
    ),
    obligation(
      "resumed goes back to the status before the dispute, or to Delivered if proven",
      reads(
        wordIn(call("resumed", slot)),
        { status: whenWord(has(slot, "PROVEN"), status("Delivered"), get(slot, "statusBeforeDispute")) },
        {},
      ),
    ),
    obligation(
      "isIn reads the status's bit of the set",
      iff(
        boolIn(call("isIn", slot, statuses)),
        isSame(compute("bvand", compute("bvlshr", statuses, get(slot, "status")), word(1)), word(1)),
      ),
    ),
  ];
}

export function wordIn(value: Value): Word {
  if (value.kind !== "word") throw new Error(`A word is expected, and not ${value.kind}.`);
  return value.word;
}

export function boolIn(value: Value): Bool {
  if (value.kind !== "bool") throw new Error(`A flag is expected, and not ${value.kind}.`);
  return value.bool;
}
