// Maps the contract's errors in simulations, before a transaction is sent, to the errors of the spec.
import { type Address, BaseError, ContractFunctionRevertedError } from "viem";
import type { FundingMethod } from "#core/chain/funding-methods.ts";
import {
  invalidRequest,
  invalidStateTransition,
  invalidStatus,
  type ServiceError,
  signatureVerificationFailed,
} from "#core/errors.ts";

/** Returns the name of the contract's custom error, `Error` for a revert string, or undefined if nothing reverted. */
export function decodeRevertName(error: unknown): string | undefined {
  if (!(error instanceof BaseError)) return undefined;
  const reverted = error.walk((cause) => cause instanceof ContractFunctionRevertedError);
  if (!(reverted instanceof ContractFunctionRevertedError)) return undefined;
  return reverted.data?.errorName ?? "Error";
}

/** The requirements for the payer in addition to the signature, by funding method. */
const NEEDS: Record<FundingMethod, (escrow: Address) => string> = {
  ALLOWANCE: (escrow) => `hold this amount and approve the escrow contract ${escrow} to spend it`,
  ERC_2612: () => "hold this amount, and the token must accept the permit",
  DAI_PERMIT: () => "hold this amount, and the token must accept the permit",
  ERC_3009: () =>
    "hold this amount, and the token must accept the authorization, which can be used or canceled only once",
  PERMIT2: () => "hold this amount and approve Permit2 to spend it",
};

/**
 * Returns the reason why a payment cannot be funded. If the token rejects the transfer, the cause is the payer's
 * balance or allowance.
 * @param price such as `100.00 USDC`
 */
export function fundingRefused(
  error: unknown,
  price: string,
  { method, escrow }: { method: FundingMethod; escrow: Address },
): ServiceError | undefined {
  switch (decodeRevertName(error)) {
    case undefined:
      return undefined;
    case "SignatureNotValid":
      return signatureVerificationFailed(
        "The signature is not the payer's signature over this payment intent's typed data.",
      );
    case "OrderExists":
      return invalidStateTransition("This payment intent is already funded.");
    case "OutsideTime":
      return invalidStateTransition("The funding deadline of this payment intent has passed.");
    case "RoleNotAllowed":
      return invalidRequest("This address cannot pay this payment intent.", "payerAddress");
    case "TokenNotListed":
      return invalidStateTransition("The escrow does not currently accept new payments in this token.");
    default:
      return invalidRequest(
        `The payer's balance or allowance does not cover ${price}. payerAddress must ${NEEDS[method](escrow)}. ` +
          "Nothing was changed. Confirm again afterwards.",
        "payerAddress",
      );
  }
}

/** Maps the contract's rejection of a signature to the parameter that contains it, for `relayOperation`. */
export const signatureRefused =
  (message: string, param: string) =>
  (error: unknown): ServiceError | undefined =>
    decodeRevertName(error) === "SignatureNotValid" ? signatureVerificationFailed(message, param) : undefined;

/** Returns the reason why an escrow operation is currently not possible. */
export function operationRefused(error: unknown): ServiceError | undefined {
  switch (decodeRevertName(error)) {
    case undefined:
      return undefined;
    case "OrderNotFound":
      return invalidStatus("The escrow order is not funded yet.");
    case "StatusNotAllowed":
      return invalidStatus("The escrow order's status does not allow this operation.");
    case "ProofAlreadyValid":
      return invalidStatus("The escrow order already has a valid delivery proof.");
    case "OutsideTime":
      return invalidStatus("The escrow order's deadline does not allow this operation.");
    case "ExitVested":
      return invalidStatus(
        "One of the parties can already claim this order's funds, so this operation is no longer allowed.",
      );
    case "NothingToRelease":
      return invalidStatus("This amount has already been released.");
    case "ProofMissing":
      return invalidStatus("The escrow order has no valid delivery proof.");
    case "DisputeAlreadyRaised":
      return invalidRequest("A dispute has already been raised for this escrow order.");
    default:
      return invalidRequest("The escrow contract rejects this operation.");
  }
}
