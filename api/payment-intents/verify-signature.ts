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

async function isSignedByKey(
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

/**
 * @param payer checksummed
 * @throws ServiceError 400 `signature_verification_failed`
 */
export async function verifySignature(
  { config, client }: Services,
  view: IntentView,
  signature: string,
  payer: Address,
): Promise<VerifiedSignature> {
  const refused = signatureVerificationFailed(
    "The signature is not payerAddress's over data.typedData. Sign the typed data exactly as it is shown.",
  );
  if (!isHex(signature) || !EVEN_HEX.test(signature) || payer === zeroAddress) throw refused;
  const shown = typedDataOf(view, config) as unknown as TypedDataDefinition;
  if (await isSignedByKey(shown, signature, payer)) return { signature, payerNamed: false };
  if (view.intent.type === "CONDITIONAL") throw refused;
  const named = typedDataOf(view, config, payer) as unknown as TypedDataDefinition;
  if (await isSignedByKey(named, signature, payer)) return { signature, payerNamed: true };
  // A wallet that is a contract answers for itself, and only for a message that names it.
  const code = await askChain(() => client.getCode({ address: payer }));
  if (code && (await askChain(() => client.verifyTypedData({ ...named, address: payer, signature })))) {
    return { signature, payerNamed: true };
  }
  throw refused;
}
