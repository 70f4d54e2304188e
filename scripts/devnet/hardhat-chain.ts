// The local chain as viem requires it. Viem's own list of chains would load hundreds of them.
import { defineChain } from "viem";
import { privateKeyToAccount } from "viem/accounts";

export const hardhatChain = defineChain({
  id: 31_337,
  name: "Hardhat",
  nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
  rpcUrls: { default: { http: ["http://127.0.0.1:8545"] } },
});

/** The first of the accounts that every Hardhat node starts with; everybody knows its key. */
export const firstAccount = privateKeyToAccount(
  "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
);
