// The configured off-ramp provider accounts: the account in the OFF_RAMP_… variables, and those in OFF_RAMP_ACCOUNTS.
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { getAddress } from "viem";
import { ConfigError } from "./config-error.ts";
import type { OffRampAccount } from "./off-ramp-account.ts";
import {
  PROVIDER_APIS,
  type Provider,
  parseHundredths,
  parseWebhookKey,
  requireSafeUrl,
} from "./off-ramp-config.ts";

const Decimal = Type.String({ pattern: "^(?!0+(\\.0+)?$)\\d{1,12}(\\.\\d{1,2})?$" });
const Id = Type.String({ pattern: "^[\\w-]{1,64}$" });
const Currencies = Type.Array(Type.String(), { minItems: 1, uniqueItems: true });
const Method = Type.Union([Type.Literal("OFF_RAMP_TO_RTP"), Type.Literal("OFF_RAMP_TO_BANK")]);
const strict = { additionalProperties: false };

const Account = Type.Object(
  {
    /** Default: bridge. */
    api: Type.Optional(Type.Union(PROVIDER_APIS.map((api) => Type.Literal(api)))),
    url: Type.String({ pattern: "^https?://" }),
    apiKey: Type.String({ minLength: 1 }),
    customerId: Id,
    webhookKey: Type.String({ minLength: 1 }),
    methods: Type.Array(Method, { minItems: 1, uniqueItems: true }),
    /** Default: every currency of the network. */
    currencies: Type.Optional(Currencies),
    /** Limits of one transfer, in the currency's unit. */
    minimum: Type.Optional(Decimal),
    maximum: Type.Optional(Decimal),
    step: Type.Optional(Decimal),
    wallets: Type.Array(
      Type.Object(
        {
          id: Id,
          address: Type.String({ pattern: "^0x[0-9a-fA-F]{40}$" }),
          /** Default: every currency of the account. */
          currencies: Type.Optional(Currencies),
        },
        strict,
      ),
      { minItems: 1 },
    ),
  },
  strict,
);
const Accounts = Type.Array(Account);

/**
 * Builds the name of an account. The customer id, which the provider assigns, identifies the account even when keys
 * change. Only part of the URL is used, because the URL may contain credentials.
 */
export function nameAccount({ api, url, customerId }: Pick<Provider, "api" | "url" | "customerId">): string {
  const { host, pathname } = new URL(url);
  return `${api} ${host}${pathname.replace(/\/$/, "")} ${customerId}`;
}

function toAccount(account: Static<typeof Account>, timeoutMs: number): OffRampAccount {
  const {
    api = "bridge",
    methods,
    currencies = null,
    minimum = "1.00",
    maximum,
    step = "0.01",
    wallets,
  } = account;
  const url = requireSafeUrl(account.url);
  const limits = {
    minimum: parseHundredths(minimum),
    maximum: maximum === undefined ? null : parseHundredths(maximum),
    step: parseHundredths(step),
  };
  const [first] = wallets;
  if (!first) throw new ConfigError("OFF_RAMP_ACCOUNTS: each account requires at least one wallet.");
  const { apiKey, customerId } = account;
  const webhookKey = parseWebhookKey(account.webhookKey);
  return {
    name: nameAccount({ api, url, customerId }),
    provider: { api, url, apiKey, customerId, walletId: first.id, webhookKey, timeoutMs },
    limits: Object.fromEntries(methods.map((method) => [method, limits])),
    currencies,
    wallets: wallets.map(({ id, address, currencies = null }) => ({
      id,
      address: getAddress(address),
      currencies,
    })),
  };
}

/** @throws ConfigError, which never contains the text, because the text includes keys */
export function readAccounts(text: string | undefined, timeoutMs: number): OffRampAccount[] {
  if (text === undefined) return [];
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    throw new ConfigError("OFF_RAMP_ACCOUNTS must be a JSON array of accounts.");
  }
  if (!Value.Check(Accounts, given)) {
    const problems = [...Value.Errors(Accounts, given)].map(({ path, message }) => `  ${path}: ${message}`);
    throw new ConfigError(`OFF_RAMP_ACCOUNTS is invalid:\n${[...new Set(problems)].join("\n")}`);
  }
  return given.map((account) => toAccount(account, timeoutMs));
}

/** @throws ConfigError if two entries name the same account, which could then be drained and active at once */
export function requireDistinct(accounts: readonly OffRampAccount[]): void {
  const twice = accounts.find(({ name }, i) => accounts.findIndex((other) => other.name === name) < i);
  if (twice) throw new ConfigError(`The off-ramp account "${twice.name}" is configured twice.`);
}
