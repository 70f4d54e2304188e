// The local gateway's keys: generated once and kept in .data, so that they survive restarts.
import { randomBytes } from "node:crypto";
import type { Hex } from "viem";
import { generatePrivateKey, privateKeyToAddress } from "viem/accounts";
import { newKey } from "#core/api-keys/api-keys.ts";
import { readJson, writeJson } from "../shared/json-file.ts";
import type { LocalMerchant, Wallet } from "./local-file.ts";

export interface Secrets {
  merchants: DemoMerchant[];
  payer: Hex;
  oracle: Hex;
  /** Key of the account that decides disputes. */
  arbiter: Hex;
  /** Key of the account that delists tokens. */
  guardian: Hex;
  /** Key of the gateway's wallet at the off-ramp. */
  offRamp: Hex;
  /** The secret that signs the dashboard's sessions, and the first merchant's password. */
  dashboard: { secret: string; password: string };
}

export interface DemoMerchant {
  name: string;
  privateKey: Hex;
  apiKey: string;
}

/** Reads the keys from this file, and generates the missing ones. */
export function loadSecrets(file: string): Secrets {
  const known = readJson<Partial<Secrets>>(file);
  const secrets = { ...newSecrets(), ...known };
  writeJson(file, secrets);
  return secrets;
}

export function newSecrets(): Secrets {
  return {
    merchants: ["Demo merchant", "Second demo merchant"].map((name) => ({
      name,
      privateKey: generatePrivateKey(),
      apiKey: newKey("sk_test_"),
    })),
    payer: generatePrivateKey(),
    oracle: generatePrivateKey(),
    arbiter: generatePrivateKey(),
    guardian: generatePrivateKey(),
    offRamp: generatePrivateKey(),
    dashboard: {
      secret: randomBytes(32).toString("hex"),
      password: randomBytes(12).toString("base64url"),
    },
  };
}

export function wallet(privateKey: Hex): Wallet {
  return { address: privateKeyToAddress(privateKey), privateKey };
}

export function localMerchant(
  merchant: DemoMerchant,
  known: { merchantId: string; apiKey: string },
): LocalMerchant {
  return { ...known, account: privateKeyToAddress(merchant.privateKey), privateKey: merchant.privateKey };
}
