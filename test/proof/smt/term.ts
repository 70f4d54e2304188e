// Logical terms: booleans, unbounded integers, and EVM words (word.ts). Operations on constants are evaluated
// immediately, so the same model serves the solver (with variables) and the comparison with other models (with
// constants).

export const WORD = "(_ BitVec 256)";
export type Sort = "Bool" | "Int" | typeof WORD;

export interface Term<S extends Sort> {
  readonly sort: S;
  /** An SMT-LIB function, or the name of a variable. */
  readonly op: string;
  readonly args: readonly AnyTerm[];
  /** Set only for constants. */
  readonly value?: S extends "Bool" ? boolean : bigint;
}

export type Bool = Term<"Bool">;
export type Int = Term<"Int">;
export type Word = Term<typeof WORD>;
export type AnyTerm = Bool | Int | Word;

export const TRUE: Bool = { sort: "Bool", op: "true", args: [], value: true };
export const FALSE: Bool = { sort: "Bool", op: "false", args: [], value: false };

export function bool(value: boolean): Bool {
  return value ? TRUE : FALSE;
}

export function int(value: bigint | number): Int {
  const integer = BigInt(value);
  const op = integer < 0n ? `(- ${-integer})` : String(integer);
  return { sort: "Int", op, args: [], value: integer };
}

export function boolVariable(name: string): Bool {
  return { sort: "Bool", op: `|${name}|`, args: [] };
}

export function intVariable(name: string): Int {
  return { sort: "Int", op: `|${name}|`, args: [] };
}

export function isVariable({ op }: AnyTerm): boolean {
  return op.startsWith("|");
}

export function not(a: Bool): Bool {
  if (a.value !== undefined) return bool(!a.value);
  return a.op === "not" ? (a.args[0] as Bool) : { sort: "Bool", op: "not", args: [a] };
}

export function and(...parts: readonly Bool[]): Bool {
  const open = parts.filter(({ value }) => value !== true);
  if (open.some(({ value }) => value === false)) return FALSE;
  const [first] = open;
  if (!first) return TRUE;
  return open.length === 1 ? first : { sort: "Bool", op: "and", args: open };
}

export function or(...parts: readonly Bool[]): Bool {
  return not(and(...parts.map(not)));
}

export function implies(premise: Bool, conclusion: Bool): Bool {
  return or(not(premise), conclusion);
}

export function iff(a: Bool, b: Bool): Bool {
  if (a.value !== undefined) return a.value ? b : not(b);
  if (b.value !== undefined) return iff(b, a);
  return { sort: "Bool", op: "=", args: [a, b] };
}

export function equals(a: Int, b: Int): Bool {
  return a === b ? TRUE : relation("=", a, b, (x, y) => x === y);
}

export function isAtMost(a: Int, b: Int): Bool {
  return relation("<=", a, b, (x, y) => x <= y);
}

export function isLess(a: Int, b: Int): Bool {
  return relation("<", a, b, (x, y) => x < y);
}

export function isIn(a: Int, ...values: readonly Int[]): Bool {
  return or(...values.map((value) => equals(a, value)));
}

export function plus(...parts: readonly Int[]): Int {
  return parts.reduce((a, b) => {
    if (a.value === 0n) return b;
    if (b.value === 0n) return a;
    return arithmetic("+", a, b, (x, y) => x + y);
  });
}

export function minus(a: Int, ...parts: readonly Int[]): Int {
  return parts.reduce((left, b) => {
    return b.value === 0n ? left : arithmetic("-", left, b, (x, y) => x - y);
  }, a);
}

export function smaller(a: Int, b: Int): Int {
  return when(isAtMost(a, b), a, b);
}

/** Selects one of two values. */
export function when(condition: Bool, a: Int, b: Int): Int {
  if (condition.value !== undefined) return condition.value ? a : b;
  return a === b ? a : { sort: "Int", op: "ite", args: [condition, a, b] };
}

export function whenBool(condition: Bool, a: Bool, b: Bool): Bool {
  return or(and(condition, a), and(not(condition), b));
}

function relation(op: string, a: Int, b: Int, compute: (x: bigint, y: bigint) => boolean): Bool {
  if (a.value !== undefined && b.value !== undefined) return bool(compute(a.value, b.value));
  return { sort: "Bool", op, args: [a, b] };
}

function arithmetic(op: string, a: Int, b: Int, compute: (x: bigint, y: bigint) => bigint): Int {
  if (a.value !== undefined && b.value !== undefined) return int(compute(a.value, b.value));
  return { sort: "Int", op, args: [a, b] };
}
