// Verifies a payer's signature of the intent's typed data (EIP-712, ERC-1271), with or without the payer's
// address in the message.
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

/**
 * Gas limit for a call to a contract wallet. It exceeds the gas limit of a funding transaction. viem passes it
 * to the node.
 */
const LIMITED = { gas: 1_000_000n };

/** The ERC-1271 return value for a valid signature. */
const ERC1271_MAGIC = "0x1626ba7e";

const erc1271Abi = parseAbi([
  "function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)",
]);

/**
 * @returns the signature in the format that contracts expect, with 27 or 28 as the last byte; some wallets use 0
 * or 1
 */
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
    // The 65 bytes are not a valid signature if they do not represent a point on the curve.
    return undefined;
  }
}

/** Parses a 65-byte signature (r, s, v) and normalizes v for contracts. Returns undefined if it is malformed. */
export function parseKeySignature(text: string): Hex | undefined {
  if (!isSignature(text) || size(text) !== 65) return undefined;
  const v = hexToNumber(slice(text, 64));
  return concat([slice(text, 0, 64), toHex(v < 27 ? v + 27 : v, { size: 1 })]);
}

/**
 * Verifies the signature with the payer's key or, if the payer is a contract wallet, with the same call that the
 * escrow will make.
 * @param payer checksummed
 * @returns the signature in the contract's format
 * @throws ServiceError 400 `signature_verification_failed` for a contract wallet that is not deployed yet
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
    // Signatures of any other length are those of contract wallets (including ERC-6492), which must be deployed
    // because the escrow calls them.
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
  // The signature of a contract is only valid if the message or the order's terms contain its address.
  if (!escrow && !bound) throw refused;
  const named = buildTypedData(view, services.config, payer) as unknown as TypedDataDefinition;
  const byNamed = await signedBy(services, named, signature, payer);
  if (byNamed) return { signature: byNamed, payerNamed: escrow };
  throw refused;
}
