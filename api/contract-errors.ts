// Maps what the contract would reject to the spec's errors, before anything is sent (design, section 3).
import { type Address, BaseError, ContractFunctionRevertedError } from "viem";
import type { FundingMethod } from "#core/chain/funding-methods.ts";
import {
  invalidRequest,
  invalidStateTransition,
  invalidStatus,
  type ServiceError,
  signatureVerificationFailed,
} from "#core/errors.ts";

/** The name of the contract's custom error, or `Error` for a revert string; undefined if the contract did not revert. */
export function decodeRevertName(error: unknown): string | undefined {
  if (!(error instanceof BaseError)) return undefined;
  const reverted = error.walk((cause) => cause instanceof ContractFunctionRevertedError);
  if (!(reverted instanceof ContractFunctionRevertedError)) return undefined;
  return reverted.data?.errorName ?? "Error";
}

/** What the payer needs in addition to the signature, by funding method. */
const NEEDS: Record<FundingMethod, (escrow: Address) => string> = {
  ALLOWANCE: (escrow) => `own it and approve the escrow contract ${escrow} for it`,
  ERC_2612: () => "own it, and the token must take its permit",
  DAI_PERMIT: () => "own it, and the token must take its permit",
  ERC_3009: () =>
    "own it, and the token must take its authorization, which can be used or canceled only once",
  PERMIT2: () => "own it and approve Permit2 for it",
};

/**
 * Why a payment cannot be funded. A rejection by the token concerns the payer's balance or allowance.
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
      return signatureVerificationFailed("The signature is not the payer's over this intent's typed data.");
    case "OrderExists":
      return invalidStateTransition("This payment intent is funded already.");
    case "OutsideTime":
      return invalidStateTransition("The time in which this payment intent could be funded is over.");
    case "RoleNotAllowed":
      return invalidRequest("This address cannot be the payer of this payment.", "payerAddress");
    case "TokenNotListed":
      return invalidStateTransition("The escrow takes no new payments in this token right now.");
    default:
      return invalidRequest(
        `The payer's balance or allowance does not cover ${price}: payerAddress must ${NEEDS[method](escrow)}. ` +
          "Nothing was changed; confirm again then.",
        "payerAddress",
      );
  }
}

/** Why an escrow operation is not possible now. */
export function operationRefused(error: unknown): ServiceError | undefined {
  switch (decodeRevertName(error)) {
    case undefined:
      return undefined;
    case "OrderNotFound":
      return invalidStatus("The escrow order is not funded yet.");
    case "StatusNotAllowed":
      return invalidStatus("The escrow order's status does not allow this.");
    case "ProofAlreadyValid":
      return invalidStatus("The escrow order has a valid delivery proof already.");
    case "OutsideTime":
      return invalidStatus("The escrow order's deadline does not allow this.");
    case "ExitVested":
      return invalidStatus(
        "One of the parties can take this order's funds already: nobody else can change that.",
      );
    case "NothingToRelease":
      return invalidStatus("This much is released already.");
    case "ProofMissing":
      return invalidStatus("The escrow order has no valid delivery proof.");
    case "DisputeAlreadyRaised":
      return invalidRequest("A dispute was raised for this escrow order already.");
    default:
      return invalidRequest("The escrow contract refuses this operation.");
  }
}
