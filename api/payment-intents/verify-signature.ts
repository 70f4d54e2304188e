// Checks a payer's signature over the intent's typed data, in both forms of `payer` (EIP-712, ERC-1271).
import {
  type Address,
  concat,
  type Hex,
  hashTypedData,
  hexToNumber,
  isHex,
  parseAbi,
  recoverTypedDataAddress,
  size,
  slice,
  type TypedDataDefinition,
  toHex,
  zeroAddress,
} from "viem";
import { askChain, callIfSupported } from "#core/chain/client.ts";
import type { IntentView } from "#core/db/read-intent.ts";
import { signatureVerificationFailed } from "#core/errors.ts";
import { buildTypedData } from "#core/intent/show-intent.ts";
import type { Services } from "../services.ts";

export type VerifiedSignature = { signature: Hex; payerNamed: boolean };

const EVEN_HEX = /^0x([0-9a-fA-F]{2})+$/;

const isSignature = (text: string): text is Hex => isHex(text) && EVEN_HEX.test(text);

/**
 * What the question to a wallet that is a contract may use: more than paying by it may. viem hands it on to the node.
 */
const LIMITED = { gas: 1_000_000n };

/** What a contract says of a signature that is its own (ERC-1271). */
const ERC1271_MAGIC = "0x1626ba7e";

const erc1271Abi = parseAbi([
  "function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)",
]);

/** @returns the signature as contracts take it: its last byte is 27 or 28, where some wallets write 0 or 1 */
export async function signedByKey(
  typedData: TypedDataDefinition,
  text: string,
  payer: Address,
): Promise<Hex | undefined> {
  const signature = parseKeySignature(text);
  if (!signature) return undefined;
  try {
    return (await recoverTypedDataAddress({ ...typedData, signature })) === payer ? signature : undefined;
  } catch {
    // 65 bytes that are no point on the curve: not a signature of anybody's.
    return undefined;
  }
}

/** A signature of 65 bytes (r, s, v) with v as contracts take it; undefined if it is no such signature. */
export function parseKeySignature(text: string): Hex | undefined {
  if (!isSignature(text) || size(text) !== 65) return undefined;
  const v = hexToNumber(slice(text, 64));
  return concat([slice(text, 0, 64), toHex(v < 27 ? v + 27 : v, { size: 1 })]);
}

/**
 * By its key; or a wallet that is a contract answers for itself, to the call with which the escrow will ask it.
 * @param payer checksummed
 * @returns the signature as the contract takes it
 * @throws ServiceError 400 `signature_verification_failed` for a wallet that is not deployed yet
 */
export async function signedBy(
  { client }: Pick<Services, "client">,
  typedData: TypedDataDefinition,
  text: string,
  payer: Address,
): Promise<Hex | undefined> {
  if (!isSignature(text) || payer === zeroAddress) return undefined;
  const byKey = await signedByKey(typedData, text, payer);
  if (byKey) return byKey;
  if (!(await askChain(() => client.getCode({ address: payer })))) {
    if (size(text) === 65) return undefined;
    // Another form is a contract wallet's (ERC-6492 among them), and the escrow asks the code that is there.
    throw signatureVerificationFailed(
      "payerAddress has no code, and the signature is not one of 65 bytes. If it is a smart wallet's, deploy the wallet first, then confirm.",
    );
  }
  const answer = await callIfSupported(() =>
    client.readContract({
      address: payer,
      abi: erc1271Abi,
      functionName: "isValidSignature",
      args: [hashTypedData(typedData), text],
      ...LIMITED,
    }),
  );
  return answer === ERC1271_MAGIC ? text : undefined;
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
  if (payer === zeroAddress) throw refused;
  const shown = buildTypedData(view, services.config) as unknown as TypedDataDefinition;
  const bound = view.terms.payer !== zeroAddress;
  const escrow = view.intent.type !== "CONDITIONAL";
  const byKey = await signedByKey(shown, signature, payer);
  if (byKey) return { signature: byKey, payerNamed: bound && escrow };
  // A contract's signature counts only where the message or the order's terms name it.
  if (!escrow && !bound) throw refused;
  const named = buildTypedData(view, services.config, payer) as unknown as TypedDataDefinition;
  const byNamed = await signedBy(services, named, signature, payer);
  if (byNamed) return { signature: byNamed, payerNamed: escrow };
  throw refused;
}
