// Verifies a payer's signature of the intent's typed data, in both forms of `payer` (EIP-712, ERC-1271).
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
import { signatureVerificationFailed } from "#core/errors.ts";
import type { IntentView } from "#core/intent/read-intent.ts";
import { buildTypedData } from "#core/intent/show-intent.ts";
import type { Services } from "../services.ts";

export type VerifiedSignature = { signature: Hex; payerNamed: boolean };

const EVEN_HEX = /^0x([0-9a-fA-F]{2})+$/;

const isSignature = (text: string): text is Hex => isHex(text) && EVEN_HEX.test(text);

/** Gas limit for calling a contract wallet: more than paying with it may use. viem passes it on to the node. */
const LIMITED = { gas: 1_000_000n };

/** The ERC-1271 return value for a valid signature. */
const ERC1271_MAGIC = "0x1626ba7e";

const erc1271Abi = parseAbi([
  "function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)",
]);

/** @returns the signature in the contracts' format: its last byte is 27 or 28, while some wallets write 0 or 1 */
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
    // 65 bytes that are not a point on the curve are nobody's signature.
    return undefined;
  }
}

/** A 65-byte signature (r, s, v) with v as contracts expect it; undefined if it is malformed. */
export function parseKeySignature(text: string): Hex | undefined {
  if (!isSignature(text) || size(text) !== 65) return undefined;
  const v = hexToNumber(slice(text, 64));
  return concat([slice(text, 0, 64), toHex(v < 27 ? v + 27 : v, { size: 1 })]);
}

/**
 * Verifies by the payer's key; or a contract wallet verifies it, with the same call that the escrow will make.
 * @param payer checksummed
 * @returns the signature in the contract's format
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
    // Any other form belongs to a contract wallet (including ERC-6492), and the escrow calls the deployed code.
    throw signatureVerificationFailed(
      "payerAddress has no code, and the signature does not have 65 bytes. If payerAddress is a smart wallet, deploy the wallet first, then confirm.",
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
    "The signature is not payerAddress's signature over data.typedData. Sign the typed data without changes.",
  );
  if (payer === zeroAddress) throw refused;
  const shown = buildTypedData(view, services.config) as unknown as TypedDataDefinition;
  const bound = view.terms.payer !== zeroAddress;
  const escrow = view.intent.type !== "CONDITIONAL";
  const byKey = await signedByKey(shown, signature, payer);
  if (byKey) return { signature: byKey, payerNamed: bound && escrow };
  // A contract's signature is valid only if the message or the order's terms name it.
  if (!escrow && !bound) throw refused;
  const named = buildTypedData(view, services.config, payer) as unknown as TypedDataDefinition;
  const byNamed = await signedBy(services, named, signature, payer);
  if (byNamed) return { signature: byNamed, payerNamed: escrow };
  throw refused;
}
