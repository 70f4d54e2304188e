// Checks a payer's signature over the intent's typed data, in both forms of `payer` (EIP-712, ERC-1271).
import {
  type Address,
  type Hex,
  isHex,
  recoverTypedDataAddress,
  type TypedDataDefinition,
  zeroAddress,
} from "viem";
import { askChain } from "#core/chain/client.ts";
import type { IntentView } from "#core/db/read-intent.ts";
import { signatureVerificationFailed } from "#core/errors.ts";
import { typedDataOf } from "#core/intent/show-intent.ts";
import type { Services } from "../services.ts";

export type VerifiedSignature = { signature: Hex; payerNamed: boolean };

const EVEN_HEX = /^0x([0-9a-fA-F]{2})+$/;

export const isSignature = (text: string): text is Hex => isHex(text) && EVEN_HEX.test(text);

export async function isSignedByKey(
  typedData: TypedDataDefinition,
  signature: Hex,
  payer: Address,
): Promise<boolean> {
  if (signature.length !== 132 && signature.length !== 130) return false;
  try {
    return (await recoverTypedDataAddress({ ...typedData, signature })) === payer;
  } catch {
    // 65 bytes that are no point on the curve: not a signature of anybody's.
    return false;
  }
}

/** By its key; or a wallet that is a contract answers for itself. @param payer checksummed */
export async function isSignedBy(
  { client }: Pick<Services, "client">,
  typedData: TypedDataDefinition,
  signature: Hex,
  payer: Address,
): Promise<boolean> {
  if (await isSignedByKey(typedData, signature, payer)) return true;
  const code = await askChain(() => client.getCode({ address: payer }));
  if (!code) return false;
  return askChain(() => client.verifyTypedData({ ...typedData, address: payer, signature }));
}

/**
 * @param payer checksummed
 * @throws ServiceError 400 `signature_verification_failed`
 */
export async function verifySignature(
  services: Services,
  view: IntentView,
  signature: string,
  payer: Address,
): Promise<VerifiedSignature> {
  const refused = signatureVerificationFailed(
    "The signature is not payerAddress's over data.typedData. Sign the typed data exactly as it is shown.",
  );
  if (!isSignature(signature) || payer === zeroAddress) throw refused;
  const shown = typedDataOf(view, services.config) as unknown as TypedDataDefinition;
  if (await isSignedByKey(shown, signature, payer)) return { signature, payerNamed: false };
  if (view.intent.type === "CONDITIONAL") throw refused;
  // A contract's word counts only for a message that names it.
  const named = typedDataOf(view, services.config, payer) as unknown as TypedDataDefinition;
  if (await isSignedBy(services, named, signature, payer)) return { signature, payerNamed: true };
  throw refused;
}
