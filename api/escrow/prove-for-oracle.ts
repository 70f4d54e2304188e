// Submits a delivery proof on the oracle's behalf through the local node (docs/decisions/0004-delivery-proofs.md).
import { type Address, isAddressEqual } from "viem";
import { askChain } from "#core/chain/client.ts";
import { hasIndependentOracle } from "#core/chain/terms.ts";
import type { OrderRow } from "#core/db/chain.ts";
import type { IntentView } from "#core/intent/read-intent.ts";
import { operationRefused } from "../contract-errors.ts";
import type { Call } from "../http/request-context.ts";
import type { Services } from "../services.ts";
import { sendProofAs } from "./impersonate-oracle.ts";
import { type ProofBody, type ProofEnvelope, recordProof } from "./record-delivery-proof.ts";
import { untilIndexed } from "./until-indexed.ts";

/**
 * Whether the local node is allowed to act for the oracle. This is allowed if the oracle is a third party, which
 * has no client of its own on the local network, or the merchant, whose API key authorizes the request. It is
 * not allowed if the oracle is the payer, because the merchant must not prove delivery in the payer's name, or
 * one of the gateway's accounts.
 */
export const canProveFor = ({ terms }: IntentView, { payer }: OrderRow, oracle: Address): boolean =>
  hasIndependentOracle(terms, payer) || isAddressEqual(oracle, terms.payee);

/** Sends the oracle's transaction through the local node, records the proof, and waits until it is indexed. */
export async function proveForOracle(
  services: Services,
  call: Call,
  view: IntentView,
  body: ProofBody,
  oracle: Address,
): Promise<ProofEnvelope> {
  try {
    const hash = await askChain(() =>
      sendProofAs(services, oracle, [view.terms, body.proofHash, body.proofURI ?? ""]),
    );
    const answer = await recordProof(services, call, view, body, hash);
    await untilIndexed(services, view, hash);
    return answer;
  } catch (error) {
    throw operationRefused(error) ?? error;
  }
}
