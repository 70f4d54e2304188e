// 256-bit words with EVM arithmetic.
import { type Bool, bool, TRUE, WORD, type Word } from "./term.ts";

const BITS = 256n;
const MASK = (1n << BITS) - 1n;

export function word(value: bigint | number): Word {
  const wrapped = BigInt(value) & MASK;
  return { sort: WORD, op: `#x${wrapped.toString(16).padStart(64, "0")}`, args: [], value: wrapped };
}

export function wordVariable(name: string): Word {
  return { sort: WORD, op: `|${name}|`, args: [] };
}

const OPERATIONS = {
  bvand: (a, b) => a & b,
  bvor: (a, b) => a | b,
  bvxor: (a, b) => a ^ b,
  bvadd: (a, b) => a + b,
  bvsub: (a, b) => a - b,
  bvmul: (a, b) => a * b,
  bvshl: (a, b) => (b < BITS ? a << b : 0n),
  bvlshr: (a, b) => (b < BITS ? a >> b : 0n),
} as const satisfies Record<string, (a: bigint, b: bigint) => bigint>;
export type WordOperation = keyof typeof OPERATIONS;

export function compute(op: WordOperation, a: Word, b: Word): Word {
  if (a.value !== undefined && b.value !== undefined) return word(OPERATIONS[op](a.value, b.value));
  return { sort: WORD, op, args: [a, b] };
}

export function complement(a: Word): Word {
  return a.value === undefined ? { sort: WORD, op: "bvnot", args: [a] } : word(~a.value);
}

export function isSame(a: Word, b: Word): Bool {
  if (a === b) return TRUE;
  return relation("=", a, b, a.value === b.value);
}

export function isBelow(a: Word, b: Word): Bool {
  return relation("bvult", a, b, (a.value ?? 0n) < (b.value ?? 0n));
}

export function whenWord(condition: Bool, a: Word, b: Word): Word {
  if (condition.value !== undefined) return condition.value ? a : b;
  return a === b ? a : { sort: WORD, op: "ite", args: [condition, a, b] };
}

/** Keeps the lowest bits. */
export function truncate(a: Word, bits: number): Word {
  return bits === Number(BITS) ? a : compute("bvand", a, word((1n << BigInt(bits)) - 1n));
}

/** Whether the word fits into this many bits. */
export function fits(a: Word, bits: number): Bool {
  return isBelow(a, word(1n << BigInt(bits)));
}

function relation(op: string, a: Word, b: Word, ofConstants: boolean): Bool {
  if (a.value !== undefined && b.value !== undefined) return bool(ofConstants);
  return { sort: "Bool", op, args: [a, b] };
}
