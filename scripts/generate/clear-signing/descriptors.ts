// Builds the two ERC-7730 files for wallets from the ABI, the contract's EIP-712 type strings and formats.ts. A
// mismatch between them is an error, because a renamed argument must not leave a wallet with a value that it cannot
// display.
import type { Abi, AbiFunction, AbiParameter, Address } from "viem";
import {
  CALLS,
  type CallFormat,
  type Display,
  ENUMS,
  FOREIGN_MESSAGES,
  type Format,
  MESSAGES,
  OPERATOR_CALLS,
  TERMS,
} from "./formats.ts";

const SCHEMA = "https://eips.ethereum.org/assets/eip-7730/erc7730-v2.schema.json";
const NAME = "DeliveryVsPayment";

export interface ContractAddress {
  chainId: number;
  address: Address;
}

interface Field extends Display {
  path: string;
}

interface DescribedFormat {
  intent: string;
  interpolatedIntent?: string;
  fields: Field[];
}

export type Formats = Record<string, DescribedFormat>;

/** @param deployments the contract's addresses; a wallet applies the file only to these */
export function describeCalls(abi: Abi, deployments: readonly ContractAddress[]) {
  const functions = abi.filter(
    (item): item is AbiFunction =>
      item.type === "function" && item.stateMutability !== "view" && item.stateMutability !== "pure",
  );
  requireSameNames(
    "calls",
    functions.map(({ name }) => name),
    [...Object.keys(CALLS), ...OPERATOR_CALLS],
  );
  const formats = functions.flatMap((item) => {
    const format = CALLS[item.name];
    return format
      ? [[formatSignature(item), describe(item.name, listPaths(item.inputs), withTerms(format))]]
      : [];
  });
  return {
    $schema: SCHEMA,
    context: { $id: `${NAME}, calls`, contract: { deployments } },
    metadata: metadataWith(["releaseType"]),
    display: { formats: Object.fromEntries(formats) as Formats },
  };
}

/** @param types in the format of EIP-712's `encodeType` */
export function describeMessages(types: readonly string[], deployments: readonly ContractAddress[]) {
  const parsed = types.map((type) => ({ type, ...parseType(type) }));
  requireSameNames(
    "messages",
    parsed.map(({ name }) => name),
    [...Object.keys(MESSAGES), ...FOREIGN_MESSAGES],
  );
  const formats = parsed.flatMap(({ type, name, fields }) => {
    const format = MESSAGES[name];
    return format ? [[type, describe(name, fields, format)]] : [];
  });
  return {
    $schema: SCHEMA,
    context: { $id: `${NAME}, messages`, eip712: { domain: { name: NAME, version: "1" }, deployments } },
    metadata: metadataWith([]),
    display: { formats: Object.fromEntries(formats) as Formats },
  };
}

/** Returns the type strings of a Solidity source's `…_TYPEHASH` constants. */
export function readTypes(source: string): string[] {
  const constants = source.matchAll(/_TYPEHASH\s*=\s*keccak256\(\s*"([^"]+)"\s*\)/g);
  return [...constants].map(([, type = ""]) => type);
}

const metadataWith = (names: readonly (keyof typeof ENUMS)[]) => ({
  owner: "Delivery versus payment",
  contractName: NAME,
  enums: Object.fromEntries(names.map((name) => [name, ENUMS[name]])),
});

/** @throws Error unless every argument has a display format, and every display format and reference has an argument */
function describe(
  name: string,
  paths: readonly string[],
  { intent, sentence, fields }: Format,
): DescribedFormat {
  requireSameNames(`paths of ${name}`, paths, Object.keys(fields));
  for (const [path, { params }] of Object.entries(fields)) {
    const tokenPath = params?.tokenPath;
    if (tokenPath !== undefined && !paths.includes(String(tokenPath))) {
      throw new Error(`${name} has no argument ${tokenPath}, which ${path} references as its token.`);
    }
  }
  for (const [, path = ""] of (sentence ?? "").matchAll(/\{([^}]*)\}/g)) {
    const field = fields[path];
    if (field === undefined || field.visible !== undefined) {
      throw new Error(`${name} shows {${path}} in its sentence but not always in a field.`);
    }
  }
  return {
    intent,
    ...(sentence === undefined ? {} : { interpolatedIntent: sentence }),
    fields: Object.entries(fields).map(([path, display]) => ({ path, ...display })),
  };
}

function withTerms({ terms, fields, ...format }: CallFormat): Format {
  if (terms === undefined) return { ...format, fields };
  requireKnown("terms", terms, Object.keys(TERMS));
  const shown = Object.entries(TERMS).map(([name, display]) => [
    `terms.${name}`,
    terms.includes(name) ? display : { ...display, visible: "never" },
  ]);
  return { ...format, fields: { ...fields, ...Object.fromEntries(shown) } };
}

/** Returns the signature that identifies a function in ERC-7730: canonical types with argument names. */
function formatSignature({ name, inputs }: AbiFunction): string {
  return `${name}(${inputs.map(formatParameter).join(",")})`;
}

function formatParameter(parameter: AbiParameter): string {
  if (!("components" in parameter)) return `${parameter.type} ${parameter.name}`;
  const array = parameter.type.slice("tuple".length);
  return `(${parameter.components.map(formatParameter).join(",")})${array} ${parameter.name}`;
}

function listPaths(parameters: readonly AbiParameter[], prefix = ""): string[] {
  return parameters.flatMap((parameter) => {
    const path = `${prefix}${parameter.name}`;
    if (parameter.type.includes("[")) throw new Error(`${path} is an array, which has no display format.`);
    return "components" in parameter ? listPaths(parameter.components, `${path}.`) : [path];
  });
}

function parseType(type: string): { name: string; fields: string[] } {
  const [, name, members] = /^(\w+)\(([^()]*)\)$/.exec(type) ?? [];
  if (name === undefined || members === undefined) {
    throw new Error(`${type} is not a flat EIP-712 type, the only kind with a display format.`);
  }
  return { name, fields: members.split(",").map((member) => member.split(" ")[1] ?? "") };
}

function requireSameNames(what: string, actual: readonly string[], described: readonly string[]): void {
  requireKnown(what, described, actual);
  const missing = actual.filter((name) => !described.includes(name));
  if (missing.length > 0) throw new Error(`formats.ts does not describe ${what}: ${missing.join(", ")}.`);
}

function requireKnown(what: string, described: readonly string[], actual: readonly string[]): void {
  const unknown = described.filter((name) => !actual.includes(name));
  if (unknown.length > 0) {
    throw new Error(`formats.ts describes ${what} that do not exist: ${unknown.join(", ")}.`);
  }
}
