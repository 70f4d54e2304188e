// Test fixtures: the published files, and an order.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { getAddress, zeroAddress, zeroHash } from "viem";
import type { Terms } from "#core/chain/terms.ts";
import { root } from "../../shared/paths.ts";
import type { DescriptorFile } from "./schema.ts";

export const readPublished = (name: string) =>
  JSON.parse(readFileSync(join(root, "contracts/abi", name), "utf8"));

export const calls: DescriptorFile = readPublished("calldata-DeliveryVsPayment.json");
export const messages: DescriptorFile = readPublished("eip712-DeliveryVsPayment.json");

const account = (last: string) => getAddress(`0x${last.padStart(40, "0")}`);

export const chainId = 31337;
export const contract = account("e5c70");
export const payer = account("904");

export const terms: Terms = {
  salt: zeroHash,
  operator: account("901"),
  arbiter: account("902"),
  deliveryOracle: zeroAddress,
  payee: account("905"),
  payer: zeroAddress,
  offRamp: account("903"),
  token: account("70c30"),
  amount: 123_456_789n,
  fundingDeadline: 1_800_604_800,
  deliveryPeriod: 2_592_000,
  disputeWindow: 86_400,
  timeLockUntil: 0,
  releaseType: 0,
  autoReleaseOnProof: true,
  expectedDeliveryHash: zeroHash,
};
