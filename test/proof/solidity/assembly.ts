// Symbolic execution of inline assembly, with memory at known offsets and one struct in calldata.
import type { Word } from "../smt/term.ts";
import { compute, isBelow, isSame, type WordOperation, whenWord, word, wordVariable } from "../smt/word.ts";
import type { Frame } from "./frame.ts";
import type { Node } from "./source.ts";

const FREE_MEMORY = word(0x80);
const WORD_BYTES = 32n;
export const THIS = wordVariable("address(this)");

/** The arguments have the same order as in SMT-LIB, except for shifts. */
const OPERATIONS: Record<string, WordOperation> = {
  or: "bvor",
  and: "bvand",
  add: "bvadd",
  sub: "bvsub",
  mul: "bvmul",
};
const SHIFTS: Record<string, WordOperation> = { shl: "bvshl", shr: "bvlshr" };

export function executeAssembly(block: Node, frame: Frame, hash: (words: Word[]) => Word): void {
  const set = (name: string, value: Word) => frame.variables.set(name, { kind: "word", word: value });
  for (const statement of block.statements) {
    if (statement.nodeType === "YulExpressionStatement") evaluate(statement.expression, frame, hash);
    else {
      const [target] = statement.variables ?? statement.variableNames ?? [];
      if (!target) throw new Error(`The proof does not understand this assembly yet: ${statement.nodeType}`);
      set(target.name, evaluate(statement.value as Node, frame, hash));
    }
  }
}

function evaluate(node: Node, frame: Frame, hash: (words: Word[]) => Word): Word {
  if (node.nodeType === "YulLiteral") return word(BigInt(String(node.value)));
  if (node.nodeType === "YulIdentifier") return lookUp(node.name, frame);
  if (node.nodeType !== "YulFunctionCall")
    throw new Error(`This assembly is not understood: ${node.nodeType}`);
  const args = node.arguments.map((argument) => evaluate(argument, frame, hash));
  return builtIn(node.functionName.name, args, frame, hash);
}

function lookUp(name: string, { variables }: Frame): Word {
  const value = variables.get(name);
  if (value?.kind === "word") return value.word;
  // The only struct is at the beginning of calldata.
  if (value?.kind === "struct") return word(0);
  throw new Error(`This assembly uses ${name}, which is no word.`);
}

function builtIn(name: string, args: readonly Word[], frame: Frame, hash: (words: Word[]) => Word): Word {
  const [a = word(0), b = word(0), c = word(0)] = args;
  const op = OPERATIONS[name];
  if (op) return compute(op, a, b);
  const shift = SHIFTS[name];
  if (shift) return compute(shift, b, a);
  const flag = (isSet: ReturnType<typeof isBelow>) => whenWord(isSet, word(1), word(0));
  switch (name) {
    case "gt":
      return flag(isBelow(b, a));
    case "lt":
      return flag(isBelow(a, b));
    case "eq":
      return flag(isSame(a, b));
    case "iszero":
      return flag(isSame(a, word(0)));
    case "address":
      return THIS;
    case "calldataload":
      return calldataWord(frame, place(a));
    case "mload":
      return a.value === 0x40n ? FREE_MEMORY : memoryWord(frame, place(a));
    case "mstore":
      frame.memory.set(place(a), b);
      return b;
    case "calldatacopy":
      for (let at = 0n; at < place(c); at += WORD_BYTES)
        frame.memory.set(place(a) + at, calldataWord(frame, place(b) + at));
      return c;
    case "keccak256": {
      const words: Word[] = [];
      for (let at = 0n; at < place(b); at += WORD_BYTES) words.push(memoryWord(frame, place(a) + at));
      return hash(words);
    }
    default:
      throw new Error(`The proof does not understand ${name} in assembly yet.`);
  }
}

/** Returns a known address or length, which must be a multiple of the word size. */
function place({ value }: Word): bigint {
  if (value === undefined || value % WORD_BYTES !== 0n)
    throw new Error("The proof understands memory and calldata at known words alone.");
  return value;
}

function memoryWord({ memory }: Frame, address: bigint): Word {
  const found = memory.get(address);
  if (!found) throw new Error(`Memory is read at ${address}, where nothing was written.`);
  return found;
}

function calldataWord({ variables }: Frame, offset: bigint): Word {
  for (const value of variables.values()) {
    const found = value.kind === "struct" ? value.words[Number(offset / WORD_BYTES)] : undefined;
    if (found) return found;
  }
  throw new Error(`Calldata is read at ${offset}, beyond the struct.`);
}
