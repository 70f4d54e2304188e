// Links to the network's explorer, if one is configured (EIP-3091).
import type { Network } from "./checkout.ts";

export const addressLink = ({ explorerUrl }: Network, address: string): string | undefined =>
  explorerUrl === null ? undefined : `${explorerUrl}/address/${address}`;

export const transactionLink = ({ explorerUrl }: Network, hash: string): string | undefined =>
  explorerUrl === null ? undefined : `${explorerUrl}/tx/${hash}`;
