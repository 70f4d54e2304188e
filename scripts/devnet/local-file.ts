// .data/local.json: what a tool needs to know to use the running gateway.
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

/** There while the gateway runs. */
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
  /** Where the first merchant's login opens the dashboard. */
  dashboard: { url: string; email: string; password: string };
  /** The roles' settings; enough to run one more of them, or its code in a tool. */
  environment: Environment;
}
