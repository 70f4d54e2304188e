// The local gateway's keys: made once, kept in .data, so that they survive restarts.
import type { Hex } from "viem";
import { generatePrivateKey, privateKeyToAddress } from "viem/accounts";
import { newKey } from "#core/api-keys.ts";
import { readJson, writeJson } from "./json-file.ts";
import type { LocalMerchant, Wallet } from "./local-file.ts";

export interface Secrets {
  merchants: DemoMerchant[];
  payer: Hex;
  oracle: Hex;
  /** The gateway's wallet at the off-ramp. */
  offRamp: Hex;
}

export interface DemoMerchant {
  name: string;
  privateKey: Hex;
  apiKey: string;
}

/** The keys in this file; new ones if there is none. */
export function loadSecrets(file: string): Secrets {
  const known = readJson<Secrets>(file);
  if (known) return known;
  const secrets = newSecrets();
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
    offRamp: generatePrivateKey(),
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
