// Signs a payment intent with the payer's viem or ethers wallet.
import { GatewayError } from "./http/errors.ts";
import type { Schemas } from "./types/operations.ts";

type Address = `0x${string}`;

/** A viem wallet client or local account. */
export type ViemSigner = {
  signTypedData(parameters: never): Promise<Address>;
  address?: Address;
  account?: { address: Address } | undefined;
  getAddresses?(): Promise<readonly Address[]>;
};

/** An ethers 6 wallet or a provider's signer. */
export type EthersSigner = {
  getAddress(): Promise<string>;
  signTypedData(domain: never, types: never, message: never): Promise<string>;
};

export type IntentSigner = ViemSigner | EthersSigner;

/** A payment intent from the API, public or not. */
export type SignableIntent = { data: { typedData: Schemas["TypedData"] | null } };

/** The body of `confirm`. */
export type SignedIntent = { signature: Address; payerAddress: Address };

const isEthers = (signer: IntentSigner): signer is EthersSigner =>
  typeof (signer as EthersSigner).getAddress === "function";

async function findAddress(signer: IntentSigner): Promise<Address> {
  if (isEthers(signer)) return (await signer.getAddress()) as Address;
  const address = signer.address ?? signer.account?.address ?? (await signer.getAddresses?.())?.[0];
  if (address === undefined) throw new GatewayError("The wallet has no account to sign with.");
  return address;
}

/**
 * Signs the intent's typed data (EIP-712) with the payer's address filled in, as smart accounts require.
 * @returns the body of `confirm`
 */
export async function signIntent(intent: SignableIntent, signer: IntentSigner): Promise<SignedIntent> {
  const { typedData } = intent.data;
  if (!typedData) throw new GatewayError("The payment intent has nothing to sign.");
  const payerAddress = await findAddress(signer);
  const { domain, types, primaryType } = typedData;
  const message =
    "payer" in typedData.message ? { ...typedData.message, payer: payerAddress } : typedData.message;
  if (isEthers(signer)) {
    const { EIP712Domain: _, ...own } = types;
    const sign = signer.signTypedData.bind(signer) as (...args: unknown[]) => Promise<string>;
    return { signature: (await sign(domain, own, message)) as Address, payerAddress };
  }
  const sign = signer.signTypedData.bind(signer) as (parameters: object) => Promise<Address>;
  // A wallet client without its own account requires this parameter; a local account ignores it.
  const account = signer.account ?? payerAddress;
  return { signature: await sign({ account, domain, types, primaryType, message }), payerAddress };
}
