// viem's definition of the local chain. Importing viem's own list would load hundreds of chains.
import { defineChain } from "viem";
import { privateKeyToAccount } from "viem/accounts";

export const hardhatChain = defineChain({
  id: 31_337,
  name: "Hardhat",
  nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
  rpcUrls: { default: { http: ["http://127.0.0.1:8545"] } },
});

/** The first of Hardhat's default accounts; its key is public. */
export const firstAccount = privateKeyToAccount(
  "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
);
