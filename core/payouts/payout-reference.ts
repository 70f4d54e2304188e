// The reference of a payout at its provider: a deterministic name, which is identical in every process and at any time.
import { createHash } from "node:crypto";
import type { Deployment } from "../deployment/deployment.ts";
import { type IntentId, orderIdOfIntent, toFactId } from "../ids.ts";

/** A UUID derived from a name: version 8 with SHA-256 (RFC 9562, B.2). */
export function hashToUuid(name: string): string {
  const bytes = createHash("sha256").update(name).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** A payout's identity: settlements count from 1 within the order, parts from 0, attempts from 1. */
type Paid = { intentId: IntentId; settlementNumber: number; part: number; attempt: number };

/**
 * Builds the name by which the provider knows a payout, from chain, genesis, contract, order, settlement, part and
 * attempt. It is a UUID, because providers limit its length. All inputs are columns of deployment and payout.
 */
export function payoutReference(
  { chainId, genesisHash, contract }: Pick<Deployment, "chainId" | "genesisHash" | "contract">,
  { intentId, settlementNumber, part, attempt }: Paid,
): string {
  const settlementId = toFactId(orderIdOfIntent(intentId), settlementNumber);
  const settlement = part === 0 ? settlementId : `${settlementId}.${part}`;
  return hashToUuid([chainId, genesisHash, contract.toLowerCase(), settlement, attempt].join(":"));
}
