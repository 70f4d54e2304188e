// The settings of a deployment: one JSON file per network, validated before the chain is contacted.
import { existsSync, readFileSync, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { type Address, getAddress, type Hex, isAddress, zeroAddress, zeroHash } from "viem";
import { ConfigError } from "#core/config/config-error.ts";
import { readTokens as readTokensVariable } from "#core/config/token-config.ts";
import type { Currency } from "#core/money.ts";
import { UserError } from "../../shared/errors.ts";
import { root } from "../../shared/paths.ts";

const AddressText = Type.String({ pattern: "^0x[0-9a-fA-F]{40}$" });
// A value that fits on a single line of the environment file.
const Line = Type.String({ pattern: "^[^\\r\\n]+$" });
const Url = Type.String({ pattern: "^https?://\\S+$" });
const strict = { additionalProperties: false };

const Token = Type.Object(
  {
    address: AddressText,
    decimals: Type.Integer({ minimum: 0, maximum: 255 }),
    symbol: Type.String({ minLength: 1 }),
  },
  strict,
);

const File = Type.Object(
  {
    /** The network's name on the payment page. */
    name: Line,
    chainId: Type.Integer({ minimum: 1 }),
    /** Seconds between blocks. */
    blockTime: Type.Number({ minimum: 0.01 }),
    nativeCurrency: Type.String({ pattern: "^[A-Z]{2,6}$", default: "ETH" }),
    /** Block explorer for the payment page's links. */
    explorerUrl: Type.Optional(Url),
    /** A public node for wallets. */
    publicRpcUrl: Type.Optional(Url),
    /** The address of each currency's token; `test` deploys test tokens, only on a development node. */
    tokens: Type.Union([
      Type.Literal("test"),
      Type.Record(Type.String({ pattern: "^[A-Za-z][A-Za-z0-9.]{1,11}$" }), Token, {
        ...strict,
        minProperties: 1,
      }),
    ]),
    owner: Type.Optional(AddressText),
    guardian: Type.Optional(AddressText),
    /** With a different salt, the same deployer deploys a separate contract at a different address. */
    salt: Type.Optional(Type.String({ pattern: "^0x[0-9a-fA-F]{64}$" })),
    /** Explorers that verify the source. */
    verify: Type.Array(
      Type.Object(
        { service: Type.Union([Type.Literal("etherscan"), Type.Literal("sourcify")]), url: Url },
        strict,
      ),
      { default: [] },
    ),
    /** Additional variables of the gateway's environment file, if they are already known. */
    gateway: Type.Optional(
      Type.Object(
        {
          arbiter: Type.Optional(AddressText),
          offRamp: Type.Optional(AddressText),
          baseUrl: Type.Optional(Url),
          paymentPageUrl: Type.Optional(Url),
        },
        strict,
      ),
    ),
  },
  strict,
);

export type NamedToken = { address: Address; decimals: number; symbol: string };

export type Settings = Omit<Static<typeof File>, "tokens" | "owner" | "guardian" | "salt"> & {
  tokens: Record<Currency, NamedToken> | "test";
  owner: Address;
  guardian: Address | undefined;
  salt: Hex;
};

/** Values that override those in the file. */
export type Overrides = { owner?: string | undefined; guardian?: string | undefined };

/** @param network a file in deploy/networks without its extension, or a path */
export function readSettings(network: string, overrides: Overrides): Settings {
  const path = findFile(network);
  const problems: string[] = [];
  const file = parse(path, { ...readObject(path), ...dropUndefined(overrides) }, problems);
  const address = (name: string, text: string): Address => {
    if (!isAddress(text)) problems.push(`${name}: ${text} has a wrong checksum`);
    return text as Address;
  };
  const settings: Settings = {
    ...file,
    owner: address("owner", file.owner ?? zeroAddress),
    guardian: file.guardian === undefined ? undefined : address("guardian", file.guardian),
    salt: (file.salt ?? zeroHash) as Hex,
    tokens:
      file.tokens === "test"
        ? "test"
        : readTokens(file.tokens as Record<Currency, NamedToken>, address, problems),
  };
  for (const [name, text] of Object.entries({
    arbiter: file.gateway?.arbiter,
    offRamp: file.gateway?.offRamp,
  })) {
    if (text !== undefined) address(`gateway.${name}`, text);
  }
  if (settings.owner === zeroAddress) {
    problems.push(
      "owner: missing. Set the account that will list tokens, preferably a multisig, in the file or with --owner",
    );
  }
  refuseProblems(path, problems);
  return { ...settings, owner: getAddress(settings.owner) };
}

function readTokens(
  tokens: Record<Currency, NamedToken>,
  address: (name: string, text: string) => Address,
  problems: string[],
): Record<Currency, NamedToken> {
  for (const [currency, { address: text }] of Object.entries(tokens))
    address(`tokens.${currency}.address`, text);
  try {
    readTokensVariable(JSON.stringify(tokens));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    problems.push(error.message);
  }
  return tokens;
}

const dropUndefined = (overrides: Overrides): object =>
  Object.fromEntries(Object.entries(overrides).filter(([, value]) => value !== undefined));

function findFile(network: string): string {
  const path = network.endsWith(".json") ? network : join("deploy/networks", `${network}.json`);
  const file = isAbsolute(path) ? path : join(root, path);
  if (existsSync(file) && statSync(file).isFile()) return file;
  throw new UserError(
    `Unknown network ${network}: the file ${path} does not exist. deploy/networks has examples.`,
  );
}

function readObject(path: string): object {
  const text = readFileSync(path, "utf8");
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null) return value;
  } catch (cause) {
    throw new UserError(`${path} is not JSON.`, { cause });
  }
  throw new UserError(`${path} must be a JSON object.`);
}

function parse(path: string, value: object, problems: string[]): Static<typeof File> {
  const filled = Value.Default(File, value);
  for (const { path: where, message } of Value.Errors(File, filled)) {
    problems.push(`${where.slice(1).replaceAll("/", ".")}: ${message}`);
  }
  refuseProblems(path, problems);
  return filled as Static<typeof File>;
}

function refuseProblems(path: string, problems: readonly string[]): void {
  if (problems.length === 0) return;
  throw new UserError(
    `${path} is invalid:\n${[...new Set(problems)].map((problem) => `  ${problem}`).join("\n")}`,
  );
}
