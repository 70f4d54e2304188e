// Names that are the same whenever and wherever they are made.
import { createHash } from "node:crypto";
import type { Deployment } from "./deployment.ts";

/** A UUID that stands for a name: version 8 on SHA-256 (RFC 9562, B.2). */
export function uuidOf(name: string): string {
  const bytes = createHash("sha256").update(name).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/**
 * By what the provider knows a payout: chain, genesis, contract, order, settlement and attempt, folded into a UUID
 * because providers limit the length. All parts are columns: deployment, payout.settlement_id, payout.attempt.
 * @param settlementId `<orderId>-<n>`
 */
export function payoutReference(
  { chainId, genesisHash, contract }: Pick<Deployment, "chainId" | "genesisHash" | "contract">,
  settlementId: string,
  attempt: number,
): string {
  return uuidOf([chainId, genesisHash, contract.toLowerCase(), settlementId, attempt].join(":"));
}
