// Executes a Solidity function symbolically: straight-line code without loops, and the contract's inline assembly. All
// other code is rejected, so that nothing is proven about code that the execution does not understand. Checked
// arithmetic wraps around here. A proof for every result also holds for the results that do not revert.
import { keccak256, stringToHex } from "viem";
import type { Word } from "../smt/term.ts";
import { and, type Bool, bool, not, or, whenBool } from "../smt/term.ts";
import {
  complement,
  compute,
  isBelow,
  isSame,
  truncate,
  type WordOperation,
  whenWord,
  word,
  wordVariable,
} from "../smt/word.ts";
import { executeAssembly } from "./assembly.ts";
import type { Frame, Value } from "./frame.ts";
import type { Node, Source } from "./source.ts";

/** A hash with the words that it covers. */
export interface Hash {
  words: readonly Word[];
  hash: Word;
}

export const ofWord = (term: Word): Value => ({ kind: "word", word: term });
const ofBool = (term: Bool): Value => ({ kind: "bool", bool: term });

const WORD_OPERATIONS: Record<string, WordOperation> = {
  "|": "bvor",
  "&": "bvand",
  "^": "bvxor",
  "+": "bvadd",
  "-": "bvsub",
  "*": "bvmul",
  "<<": "bvshl",
  ">>": "bvlshr",
};

export class Execution {
  readonly hashes: Hash[] = [];

  /** @param given return values of functions that should not be executed */
  constructor(
    private readonly source: Source,
    private readonly given: ReadonlyMap<string, Value> = new Map(),
  ) {}

  call(name: string, args: readonly Value[]): Value {
    const declared = this.source.functions.get(name);
    if (!declared) throw new Error(`The source has no function ${name}.`);
    const given = this.given.get(name);
    if (given) return given;
    const variables = new Map(
      declared.parameters.parameters.map((parameter, index) => [parameter.name, args[index] as Value]),
    );
    const frame: Frame = { variables, memory: new Map() };
    const [output] = declared.returnParameters.parameters;
    const returned = this.run(declared.body.statements, frame) ?? frame.variables.get(output?.name ?? "");
    if (!returned) throw new Error(`${name} returns nothing.`);
    const isFlag = output?.typeDescriptions.typeString === "bool" && returned.kind === "word";
    return isFlag ? ofBool(not(isSame(returned.word, word(0)))) : returned;
  }

  /** Returns the value of a constant in the source. */
  constant(name: string): Value {
    const declared = this.source.constants.get(name);
    if (!declared) throw new Error(`The source has no constant ${name}.`);
    return this.evaluate(declared.value as Node, { variables: new Map(), memory: new Map() });
  }

  hash(words: readonly Word[]): Word {
    const hash = wordVariable(`hash ${this.hashes.length}`);
    this.hashes.push({ words, hash });
    return hash;
  }

  private run(statements: readonly Node[], frame: Frame): Value | undefined {
    for (const [index, statement] of statements.entries()) {
      switch (statement.nodeType) {
        case "VariableDeclarationStatement": {
          const [declaration] = statement.declarations;
          if (!declaration || statement.declarations.length !== 1) throw notUnderstood(statement);
          frame.variables.set(declaration.name, this.evaluate(statement.initialValue, frame));
          break;
        }
        case "ExpressionStatement":
          this.assign(statement.expression, frame);
          break;
        case "InlineAssembly":
          executeAssembly(statement.AST, frame, (words) => this.hash(words));
          break;
        case "UncheckedBlock": {
          const returned = this.run(statement.statements, frame);
          if (returned) return returned;
          break;
        }
        case "Return":
          return this.evaluate(statement.expression, frame);
        case "IfStatement": {
          // Handles `if (…) return …;` together with the code that follows.
          const condition = this.flag(statement.condition, frame);
          const then = this.run([statement.trueBody], frame);
          const otherwise = this.run(statements.slice(index + 1), frame);
          if (!then || !otherwise || statement.falseBody) throw notUnderstood(statement);
          return choose(condition, then, otherwise);
        }
        default:
          throw notUnderstood(statement);
      }
    }
    return undefined;
  }

  private assign(node: Node, frame: Frame): void {
    if (node.nodeType !== "Assignment") throw notUnderstood(node);
    const { name } = node.leftHandSide;
    const assigned = this.evaluate(node.rightHandSide, frame);
    const before = frame.variables.get(name);
    const op = WORD_OPERATIONS[node.operator.slice(0, -1)];
    if (node.operator === "=") frame.variables.set(name, assigned);
    else if (op && before?.kind === "word" && assigned.kind === "word")
      frame.variables.set(name, ofWord(compute(op, before.word, assigned.word)));
    else throw notUnderstood(node);
  }

  private evaluate(node: Node, frame: Frame): Value {
    switch (node.nodeType) {
      case "Literal":
        return literal(node);
      case "TupleExpression": {
        const [only] = node.components;
        if (!only || node.components.length !== 1) throw notUnderstood(node);
        return this.evaluate(only, frame);
      }
      case "Identifier":
        return this.lookUp(node, frame);
      case "MemberAccess":
        return this.member(node, frame);
      case "UnaryOperation":
        if (node.operator === "!") return ofBool(not(this.flag(node.subExpression, frame)));
        if (node.operator === "~") return ofWord(complement(this.word(node.subExpression, frame)));
        throw notUnderstood(node);
      case "BinaryOperation":
        return this.binary(node, frame);
      case "Conditional":
        return choose(
          this.flag(node.condition, frame),
          this.evaluate(node.trueExpression, frame),
          this.evaluate(node.falseExpression, frame),
        );
      case "FunctionCall":
        return this.functionCall(node, frame);
      default:
        throw notUnderstood(node);
    }
  }

  private lookUp({ name }: Node, frame: Frame): Value {
    return frame.variables.get(name) ?? this.constant(name);
  }

  private member(node: Node, frame: Frame): Value {
    const number = this.source.enumValues.get(node.referencedDeclaration);
    if (number !== undefined) return ofWord(word(number));
    const { expression } = node;
    if (
      expression.nodeType === "FunctionCall" &&
      expression.expression.name === "type" &&
      node.memberName === "max"
    ) {
      const [type] = expression.arguments;
      return ofWord(word((1n << BigInt(bitsOf(type?.typeName.name ?? "", node))) - 1n));
    }
    const struct = this.evaluate(expression, frame);
    const found =
      struct.kind === "struct" ? struct.words[struct.members.indexOf(node.memberName)] : undefined;
    if (!found) throw notUnderstood(node);
    return node.typeDescriptions.typeString === "bool" ? ofBool(not(isSame(found, word(0)))) : ofWord(found);
  }

  private binary(node: Node, frame: Frame): Value {
    const { operator, leftExpression, rightExpression } = node;
    if (operator === "&&")
      return ofBool(and(this.flag(leftExpression, frame), this.flag(rightExpression, frame)));
    if (operator === "||")
      return ofBool(or(this.flag(leftExpression, frame), this.flag(rightExpression, frame)));
    const a = this.word(leftExpression, frame);
    const b = this.word(rightExpression, frame);
    const op = WORD_OPERATIONS[operator];
    if (op) return ofWord(compute(op, a, b));
    if (operator === "==") return ofBool(isSame(a, b));
    if (operator === "!=") return ofBool(not(isSame(a, b)));
    if (operator === "<") return ofBool(isBelow(a, b));
    if (operator === ">") return ofBool(isBelow(b, a));
    throw notUnderstood(node);
  }

  private functionCall(node: Node, frame: Frame): Value {
    const args = () => node.arguments.map((argument) => this.evaluate(argument, frame));
    const callee = node.expression;
    if (node.kind === "typeConversion") return convert(node, args()[0]);
    if (callee.nodeType === "Identifier" && callee.name === "keccak256") return this.keccak(node, args()[0]);
    if (callee.nodeType === "Identifier") return this.call(callee.name, args());
    if (callee.nodeType !== "MemberAccess") throw notUnderstood(node);
    if (callee.memberName === "wrap" || callee.memberName === "unwrap") return args()[0] as Value;
    if (callee.memberName === "encode") return { kind: "words", words: args().map(asWord) };
    if (callee.memberName === "concat") return { kind: "words", words: args().flatMap(asWords) };
    return this.call(callee.memberName, [this.evaluate(callee.expression, frame), ...args()]);
  }

  private keccak(node: Node, of: Value | undefined): Value {
    if (of?.kind === "words") return ofWord(this.hash(of.words));
    if (of?.kind === "bytes") return ofWord(hashOfBytes(of.name));
    if (of?.kind === "text") return ofWord(word(BigInt(keccak256(stringToHex(of.text)))));
    throw notUnderstood(node);
  }

  private word(node: Node, frame: Frame): Word {
    return asWord(this.evaluate(node, frame));
  }

  private flag(node: Node, frame: Frame): Bool {
    const value = this.evaluate(node, frame);
    if (value.kind !== "bool") throw notUnderstood(node);
    return value.bool;
  }
}

/** Returns the keccak256 hash of bytes of which only a name is known. */
export const hashOfBytes = (name: string): Word => wordVariable(`keccak256(${name})`);

function literal({ kind, value }: Node): Value {
  if (kind === "bool") return ofBool(bool(value === "true"));
  if (kind === "string") return { kind: "text", text: String(value) };
  return ofWord(word(BigInt(String(value).replaceAll("_", ""))));
}

function asWord(value: Value): Word {
  if (value.kind === "word") return value.word;
  if (value.kind === "bool") return whenWord(value.bool, word(1), word(0));
  throw new Error(`A word is expected, and not ${JSON.stringify(value)}.`);
}

/** Returns the words of an argument of `bytes.concat`, which is a word or an encoding of words. */
const asWords = (value: Value): readonly Word[] => (value.kind === "words" ? value.words : [asWord(value)]);

function choose(condition: Bool, a: Value, b: Value): Value {
  if (a.kind === "bool" && b.kind === "bool") return ofBool(whenBool(condition, a.bool, b.bool));
  return ofWord(whenWord(condition, asWord(a), asWord(b)));
}

/**
 * A conversion truncates values that do not fit the type. An enum conversion reverts instead, which yields fewer
 * results.
 */
function convert(node: Node, value: Value | undefined): Value {
  const type = node.typeDescriptions.typeString;
  if (!value) throw notUnderstood(node);
  if (value.kind === "bytes" || value.kind === "text") return value;
  if (type.startsWith("enum ") || type === "bytes32") return value;
  return ofWord(truncate(asWord(value), bitsOf(type, node)));
}

function bitsOf(type: string, node: Node): number {
  if (type === "address" || type === "address payable") return 160;
  const [, bits] = /^uint(\d+)$/.exec(type) ?? [];
  if (bits === undefined) throw notUnderstood(node);
  return Number(bits);
}

function notUnderstood(node: Node): Error {
  return new Error(`The proof does not understand this code yet: ${JSON.stringify(node).slice(0, 600)}`);
}
