// The off-ramp provider's variables. An account must be configured completely or not at all.
import { createPublicKey, type KeyObject } from "node:crypto";
import { type Static, Type } from "@sinclair/typebox";
import { ConfigError } from "./config-error.ts";

/** `0.25`, `0.1%` or `0.25+0.1%`: a fixed amount in the currency's unit, a share of the amount, or both. */
const Fee = Type.String({
  pattern:
    "^(\\d{1,9}(\\.\\d{1,2})?|\\d{1,2}(\\.\\d{1,2})?%|\\d{1,9}(\\.\\d{1,2})?\\+\\d{1,2}(\\.\\d{1,2})?%)$",
  default: "0",
});

/** An amount above zero in the currency's unit, such as `1` or `1.00`. */
const Minimum = Type.String({
  pattern: "^(?!0+(\\.0+)?$)\\d{1,9}(\\.\\d{1,2})?$",
  default: "1.00",
});

export const OffRampVariables = Type.Object({
  /** For example https://api.bridge.xyz/v0. */
  OFF_RAMP_API_URL: Type.Optional(Type.String({ pattern: "^https?://" })),
  OFF_RAMP_API_KEY: Type.Optional(Type.String()),
  /** Our customer id and our wallet at the provider. The wallet's address is OFF_RAMP_ADDRESS. */
  OFF_RAMP_CUSTOMER_ID: Type.Optional(Type.String({ pattern: "^[\\w-]{1,64}$" })),
  OFF_RAMP_WALLET_ID: Type.Optional(Type.String({ pattern: "^[\\w-]{1,64}$" })),
  /** The public key (PEM, RSA) that verifies the provider's webhooks. Line breaks may be written as `\n`. */
  OFF_RAMP_WEBHOOK_KEY: Type.Optional(Type.String()),
  /** Time limit for all provider requests of one payout step. It is shorter than a worker's timeout. */
  OFF_RAMP_TIMEOUT_MS: Type.Integer({ minimum: 100, maximum: 4_500, default: 4_000 }),
  /**
   * Additional accounts, as JSON (core/config/off-ramp-accounts.ts). The JSON contains keys, so use
   * OFF_RAMP_ACCOUNTS_FILE.
   */
  OFF_RAMP_ACCOUNTS: Type.Optional(Type.String()),
  /** The provider's fee for each transfer. */
  OFF_RAMP_RTP_FEE: Fee,
  OFF_RAMP_BANK_FEE: Fee,
  /** The provider's minimum transfer amount. */
  OFF_RAMP_RTP_MINIMUM: Minimum,
  OFF_RAMP_BANK_MINIMUM: Minimum,
});

type Variables = Static<typeof OffRampVariables>;

const ACCOUNT = [
  "OFF_RAMP_API_URL",
  "OFF_RAMP_API_KEY",
  "OFF_RAMP_CUSTOMER_ID",
  "OFF_RAMP_WALLET_ID",
  "OFF_RAMP_WEBHOOK_KEY",
] as const;

/** The providers whose APIs an account can use. Each has an adapter (settlement/off-ramp/open-off-ramps.ts). */
export const PROVIDER_APIS = ["bridge", "bvnk"] as const;
export type ProviderApi = (typeof PROVIDER_APIS)[number];

/** Our account with the provider of real transfers. */
export type Provider = {
  /** The provider whose API the account uses. */
  api: ProviderApi;
  /** Without a trailing slash. */
  url: string;
  apiKey: string;
  customerId: string;
  walletId: string;
  webhookKey: KeyObject;
  timeoutMs: number;
};

/** `fixed` in hundredths of the currency's unit, `share` in hundredths of a percent. */
export type Fee = { fixed: bigint; share: bigint };

export const parseHundredths = (text = "0"): bigint => {
  const [integer = "0", fraction = ""] = text.split(".");
  return BigInt(integer + fraction.padEnd(2, "0"));
};

function parseFee(text: string): Fee {
  const parts = text.split("+");
  const share = parts.find((part) => part.endsWith("%"))?.slice(0, -1);
  return {
    fixed: parseHundredths(parts.find((part) => !part.endsWith("%"))),
    share: parseHundredths(share),
  };
}

export function parseWebhookKey(pem: string): KeyObject {
  let key: KeyObject | undefined;
  try {
    key = createPublicKey(pem.replaceAll("\\n", "\n"));
  } catch {
    // Reported below.
  }
  if (key?.asymmetricKeyType === "rsa") return key;
  throw new ConfigError(
    "The off-ramp webhook key (OFF_RAMP_WEBHOOK_KEY) must be an RSA public key in PEM format.",
  );
}

/** An API key is never sent unencrypted, except to the local machine. */
export function requireSafeUrl(text: string): string {
  const { protocol, hostname } = new URL(text);
  if (protocol !== "https:" && !["localhost", "127.0.0.1", "[::1]"].includes(hostname)) {
    throw new ConfigError("OFF_RAMP_API_URL must start with https://.");
  }
  return text.replace(/\/+$/, "");
}

/**
 * @returns undefined if no provider is configured
 * @throws ConfigError if the provider is only partly configured
 */
export function readProvider(env: Variables): Provider | undefined {
  const missing = ACCOUNT.filter((name) => env[name] === undefined);
  if (missing.length === ACCOUNT.length) return undefined;
  const { OFF_RAMP_API_URL: url, OFF_RAMP_API_KEY: apiKey, OFF_RAMP_WEBHOOK_KEY: webhookKey } = env;
  const { OFF_RAMP_CUSTOMER_ID: customerId, OFF_RAMP_WALLET_ID: walletId } = env;
  if (!(url && apiKey && webhookKey && customerId && walletId)) {
    throw new ConfigError(
      `The off-ramp provider is only partly configured. Also set ${missing.join(", ")}, or unset all of ${ACCOUNT.join(", ")}.`,
    );
  }
  return {
    api: "bridge",
    url: requireSafeUrl(url),
    apiKey,
    customerId,
    walletId,
    webhookKey: parseWebhookKey(webhookKey),
    timeoutMs: env.OFF_RAMP_TIMEOUT_MS,
  };
}

export const readFees = (env: Variables) => ({
  OFF_RAMP_TO_RTP: parseFee(env.OFF_RAMP_RTP_FEE),
  OFF_RAMP_TO_BANK: parseFee(env.OFF_RAMP_BANK_FEE),
});

/** In hundredths of the currency's unit. */
export const readMinimums = (env: Variables) => ({
  OFF_RAMP_TO_RTP: parseHundredths(env.OFF_RAMP_RTP_MINIMUM),
  OFF_RAMP_TO_BANK: parseHundredths(env.OFF_RAMP_BANK_MINIMUM),
});
