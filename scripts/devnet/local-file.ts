// The content of .data/local.json, with which tools use the running gateway.
import type { Address, Hex } from "viem";
import type { LocalCurrency } from "#core/money.ts";
import type { Environment } from "./roles.ts";

export interface Wallet {
  address: Address;
  privateKey: Hex;
}

export interface LocalMerchant {
  merchantId: string;
  apiKey: string;
  account: Address;
  privateKey: Hex;
}

/** The file exists while the gateway is running. */
export interface LocalFile {
  /** Ends in /api/v1. */
  baseUrl: string;
  paymentPageUrl: string;
  rpcUrl: string;
  chainId: number;
  contractAddress: Address;
  tokens: Record<LocalCurrency, Address>;
  databaseUrl: string;
  merchants: LocalMerchant[];
  payer: Wallet;
  oracle: Wallet;
  /** The first merchant's dashboard login. */
  dashboard: { url: string; email: string; password: string };
  /** The roles' settings, sufficient to run another instance of a role, or its code in a tool. */
  environment: Environment;
}
