// Builds the contract call that a confirmation authorizes: the function of the chosen funding method with the
// required signatures. Each signature is verified before the call is simulated.
import type { Static } from "@sinclair/typebox";
import { type Address, erc20Abi, type Hex, hexToNumber, slice, type TypedDataDefinition } from "viem";
import { authorizationAbi } from "#core/chain/abi/authorization.ts";
import { askChain } from "#core/chain/client.ts";
import {
  type Authorized,
  daiPermitTypedData,
  erc2612TypedData,
  erc3009TypedData,
  type FundingDomain,
  type FundingMethod,
  permit2TypedData,
} from "#core/chain/funding-methods.ts";
import { invalidRequest, signatureVerificationFailed } from "#core/errors.ts";
import { orderIdOfIntent } from "#core/ids.ts";
import type { IntentView } from "#core/intent/read-intent.ts";
import type { Services } from "../services.ts";
import type { ConfirmBody } from "./bodies.ts";
import { parseKeySignature, signedBy, signedByKey, verifySignature } from "./verify-signature.ts";

type Body = Static<typeof ConfirmBody>;

export type FundingCall = { method: FundingMethod; functionName: string; args: readonly unknown[] };

async function findDomain(
  { offers }: Services,
  view: IntentView,
  method: FundingMethod,
): Promise<FundingDomain> {
  const found = (await offers.of(view.terms.token)).find((offer) => offer.method === method);
  if (found) return found.domain;
  throw invalidRequest(
    `${view.intent.currency} does not support ${method}: expected one of the checkout's fundingMethods.`,
    "fundingMethod",
  );
}

const buildAuthorized = ({ config }: Services, { intent, terms }: IntentView): Authorized => ({
  contract: config.chain.contract,
  orderId: orderIdOfIntent(intent.id),
  terms,
});

/**
 * @returns the signature in the contract's format
 * @throws ServiceError 400 `signature_verification_failed`
 */
async function requireSigned(
  services: Services,
  typedData: TypedDataDefinition,
  { signature }: Body,
  payer: Address,
): Promise<Hex> {
  const signed = await signedBy(services, typedData, signature, payer);
  if (signed) return signed;
  throw signatureVerificationFailed(
    `The signature is not payerAddress's signature over this payment's ${typedData.primaryType} (see fundingMethod).`,
  );
}

async function byAllowance(services: Services, view: IntentView, { signature }: Body, payer: Address) {
  const verified = await verifySignature(services, view, signature, payer);
  const args = [view.terms, payer, verified.payerNamed, verified.signature];
  return { functionName: "createOrderFor", args };
}

type PermitMethod = keyof typeof PERMITS;

const PERMITS = {
  ERC_2612: erc2612TypedData,
  DAI_PERMIT: (domain: FundingDomain, authorized: Authorized, payer: Address, nonce: bigint) =>
    daiPermitTypedData(domain, authorized, payer, nonce, { allowed: true }),
};

const isPermitMethod = (method: FundingMethod): method is PermitMethod => method in PERMITS;

async function byPermit(
  method: PermitMethod,
  services: Services,
  view: IntentView,
  body: Body,
  payer: Address,
) {
  const { permitSignature } = body;
  if (permitSignature === undefined) {
    throw invalidRequest(
      `${method} requires permitSignature, the payer's signature over Permit.`,
      "permitSignature",
    );
  }
  const domain = await findDomain(services, view, method);
  const order = await byAllowance(services, view, body, payer);
  const { client } = services;
  const authorized = buildAuthorized(services, view);
  const { terms, contract } = authorized;
  const [nonce, allowance] = await askChain(() =>
    Promise.all([
      client.readContract({
        address: terms.token,
        abi: authorizationAbi,
        functionName: "nonces",
        args: [payer],
      }),
      client.readContract({
        address: terms.token,
        abi: erc20Abi,
        functionName: "allowance",
        args: [payer, contract],
      }),
    ]),
  );
  const typedData = PERMITS[method](domain, authorized, payer, nonce) as unknown as TypedDataDefinition;
  // If someone else has already submitted the permit, the payment can still use it.
  const allowed = allowance >= terms.amount;
  const signed = allowed
    ? parseKeySignature(permitSignature)
    : await signedByKey(typedData, permitSignature, payer);
  if (!signed) {
    throw signatureVerificationFailed(
      "The permitSignature is not payerAddress's signature over Permit with the token's next nonce.",
      "permitSignature",
    );
  }
  // DAI's permit has no value, and the contract passes the deadline as its expiry.
  const permit = {
    value: terms.amount,
    deadline: BigInt(terms.fundingDeadline),
    r: slice(signed, 0, 32),
    s: slice(signed, 32, 64),
    v: hexToNumber(slice(signed, 64)),
  };
  return { functionName: "createOrderForWithPermit", args: [...order.args, permit] };
}

async function byErc3009(services: Services, view: IntentView, body: Body, payer: Address) {
  const domain = await findDomain(services, view, "ERC_3009");
  const typedData = erc3009TypedData(domain, buildAuthorized(services, view), payer);
  const signed = await requireSigned(services, typedData as unknown as TypedDataDefinition, body, payer);
  const { validAfter, validBefore } = typedData.message;
  const args = [view.terms, payer, BigInt(validAfter), BigInt(validBefore), signed];
  return { functionName: "createOrderWithAuthorization", args };
}

async function byPermit2(services: Services, view: IntentView, body: Body, payer: Address) {
  const domain = await findDomain(services, view, "PERMIT2");
  const typedData = permit2TypedData(domain, buildAuthorized(services, view), payer);
  const signed = await requireSigned(services, typedData as unknown as TypedDataDefinition, body, payer);
  const { nonce, deadline } = typedData.message;
  const args = [view.terms, payer, BigInt(nonce), BigInt(deadline), signed];
  return { functionName: "createOrderWithPermit2", args };
}

type FundingWay = (
  ...args: [services: Services, view: IntentView, body: Body, payer: Address]
) => Promise<Omit<FundingCall, "method">>;

/** Each calls the function of contracts/parts/Funding.sol for its funding method. */
const WAYS: Record<FundingMethod, FundingWay> = {
  ALLOWANCE: byAllowance,
  ERC_2612: (...args) => byPermit("ERC_2612", ...args),
  DAI_PERMIT: (...args) => byPermit("DAI_PERMIT", ...args),
  ERC_3009: byErc3009,
  PERMIT2: byPermit2,
};

/**
 * @param payer checksummed
 * @throws ServiceError 400 `signature_verification_failed` if the payer did not sign the method's data,
 * `invalid_request` if the token does not support the method
 */
export async function buildFundingCall(
  services: Services,
  view: IntentView,
  body: Body,
  payer: Address,
): Promise<FundingCall> {
  const { fundingMethod: method = "ALLOWANCE", permitSignature } = body;
  if (permitSignature !== undefined && !isPermitMethod(method)) {
    throw invalidRequest(
      "permitSignature requires the fundingMethod ERC_2612 or DAI_PERMIT.",
      "permitSignature",
    );
  }
  return { method, ...(await WAYS[method](services, view, body, payer)) };
}
