// Proves the helpers of contracts/parts/OrderTerms.sol for every input: hex, clean terms, the independent oracle, and
// the content of each hash.
import { keccak256, stringToHex } from "viem";
import type { Obligation } from "../smt/obligation.ts";
import { and, type Bool, bool, iff, implies, not, or, type Word } from "../smt/term.ts";
import { compute, fits, isBelow, isSame, whenWord, word, wordVariable } from "../smt/word.ts";
import { THIS } from "./assembly.ts";
import { Execution, hashOfBytes, ofWord } from "./execute.ts";
import type { Value } from "./frame.ts";
import { boolIn, wordIn } from "./packing.ts";
import type { Source } from "./source.ts";

const PART = "helpers";

const obligation = (name: string, claim: Bool): Obligation => ({ part: PART, name, claim });

export function helpers(source: Source): Obligation[] {
  return [hex(source), cleanTerms(source), independentOracle(source), orderId(source), ...typedData(source)];
}

interface Struct {
  kind: "struct";
  words: Word[];
  members: string[];
  types: string[];
}

function anyTerms(source: Source): Struct {
  const members = source.structs.get("Terms")?.members ?? [];
  return {
    kind: "struct",
    words: members.map(({ name }) => wordVariable(`terms.${name}`)),
    members: members.map(({ name }) => name),
    types: members.map(({ typeDescriptions }) => typeDescriptions.typeString),
  };
}

/** Each of 16 bytes becomes two characters, in order. */
function hex(source: Source): Obligation {
  const x = wordVariable("x");
  const text = wordIn(new Execution(source).call("_hex", [ofWord(x)]));
  const digits = Array.from({ length: 32 }, (_, index) => {
    const nibble = compute("bvand", compute("bvlshr", x, word(124 - 4 * index)), word(0xf));
    const character = compute("bvand", compute("bvlshr", text, word(248 - 8 * index)), word(0xff));
    const [zero, letterA] = ["0".charCodeAt(0), "a".charCodeAt(0) - 10];
    const expected = whenWord(isBelow(nibble, word(10)), word(zero), word(letterA));
    return isSame(character, compute("bvadd", nibble, expected));
  });
  return obligation(
    "_hex writes every 16 bytes as 32 lower-case hex characters",
    implies(fits(x, 128), and(...digits)),
  );
}

/** Whether a field's word is within the range of its type. */
function isWithin(type: string, field: Word): Bool {
  const [, bits] = /^uint(\d+)$/.exec(type) ?? [];
  if (bits !== undefined) return fits(field, Number(bits));
  if (type === "address") return fits(field, 160);
  if (type === "bool") return fits(field, 1);
  if (type === "bytes32") return bool(true);
  if (type.endsWith("ReleaseType")) return isBelow(field, word(5));
  throw new Error(`Terms have a field of type ${type}, of which the proof knows no bounds.`);
}

function cleanTerms(source: Source): Obligation {
  const terms = anyTerms(source);
  const clean = boolIn(new Execution(source).call("isClean", [terms]));
  const within = terms.words.map((field, index) => isWithin(terms.types[index] ?? "", field));
  return obligation(
    "isClean is true if and only if every word of the terms is within its type",
    iff(clean, and(...within)),
  );
}

function independentOracle(source: Source): Obligation {
  const terms = anyTerms(source);
  const payer = wordVariable("payer");
  const answer = boolIn(new Execution(source).call("hasIndependentOracle", [terms, ofWord(payer)]));
  const field = (name: string) => terms.words[terms.members.indexOf(name)] as Word;
  const parties = [word(0), payer, ...["payee", "operator", "arbiter", "offRamp"].map(field)];
  const isParty = or(...parties.map((party) => isSame(field("deliveryOracle"), party)));
  return obligation(
    "hasIndependentOracle is true if and only if the oracle is nobody's of the order",
    iff(answer, not(isParty)),
  );
}

function orderId(source: Source): Obligation {
  const terms = anyTerms(source);
  const chainId = wordVariable("chainId");
  const execution = new Execution(source);
  execution.call("id", [terms, ofWord(chainId)]);
  return obligation(
    "id is the hash of chain id, escrow and every word of the terms, in their order",
    isHashOf(execution, [chainId, THIS, ...terms.words]),
  );
}

/** Whether the last hash covers exactly these words. */
function isHashOf({ hashes }: Execution, expected: readonly Word[]): Bool {
  const words = hashes.at(-1)?.words ?? [];
  if (words.length !== expected.length) return bool(false);
  return and(...words.map((hashed, index) => isSame(hashed, expected[index] as Word)));
}

/** The function that hashes each signed struct. Its arguments are found by their names in the type, or substituted. */
const SIGNED = {
  DELIVERY_VS_PAYMENT_TYPEHASH: "deliveryVsPaymentHash",
  PAYMENT_INTENT_TYPEHASH: "paymentIntentHash",
  PAYMENT_TYPEHASH: "paymentHash",
  DELIVERY_PROOF_TYPEHASH: "deliveryProofHash",
  MILESTONE_RELEASE_TYPEHASH: "milestoneReleaseHash",
  SHIPMENT_TYPEHASH: "shipmentHash",
  DISPUTE_TYPEHASH: "disputeHash",
  DISPUTE_AGREEMENT_TYPEHASH: "disputeAgreementHash",
} as const;

/** An EIP-712 struct hash covers the type hash and each field in the order of the type. */
function typedData(source: Source): Obligation[] {
  return Object.entries(SIGNED).map(([typeHash, name]) => {
    const execution = new Execution(source, new Map([["intentIdHash", ofWord(hashOfBytes("intentId"))]]));
    const terms = anyTerms(source);
    const parameters = source.functions.get(name)?.parameters.parameters ?? [];
    const args = parameters.map((parameter): Value => {
      const type = parameter.typeDescriptions.typeString;
      if (type.startsWith("struct ")) return terms;
      return type.startsWith("string")
        ? { kind: "bytes", name: parameter.name }
        : ofWord(wordVariable(parameter.name));
    });
    execution.call(name, args);
    const type = typeText(source, typeHash);
    const given = new Set(parameters.map((parameter) => parameter.name));
    const fields = type.slice(type.indexOf("(") + 1, -1).split(",");
    const expected = fields.map((field) => expectedWord(field, given, terms));
    return obligation(
      `${name} is the hash of the fields of ${type.slice(0, type.indexOf("("))}, in their order`,
      isHashOf(execution, [word(BigInt(keccak256(stringToHex(type)))), ...expected]),
    );
  });
}

function typeText(source: Source, name: string): string {
  const call = source.constants.get(name)?.value as { arguments?: { value: string }[] } | undefined;
  const text = call?.arguments?.[0]?.value;
  if (text === undefined) throw new Error(`${name} is not the hash of a text.`);
  return text;
}

function expectedWord(field: string, given: ReadonlySet<string>, terms: Struct): Word {
  const [type, name = ""] = field.split(" ");
  if (name === "raisedBy") {
    const [payer, merchant] = ["payer", "merchant"].map((side) => word(BigInt(keccak256(stringToHex(side)))));
    return whenWord(isSame(wordVariable("side"), word(0)), payer as Word, merchant as Word);
  }
  if (type === "string") return hashOfBytes(name);
  if (given.has(name)) return wordVariable(name);
  if (name === "nonce") return word(0);
  if (name === "deadline") return terms.words[terms.members.indexOf("fundingDeadline")] as Word;
  // A payment intent has the same id as its order.
  if (name === "intentId") return wordVariable("orderId");
  return terms.words[terms.members.indexOf(name)] as Word;
}
