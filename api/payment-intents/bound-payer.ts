// A payment whose terms name a payer accepts no other payer (`payerAddress` of create; docs/funding-methods.md).
import { type Address, isAddressEqual, zeroAddress } from "viem";
import { invalidRequest } from "#core/errors.ts";
import type { IntentView } from "#core/intent/read-intent.ts";

/** @throws ServiceError 400 with param `payerAddress` */
export function requireBoundPayer({ terms }: IntentView, payer: Address): void {
  if (terms.payer === zeroAddress || isAddressEqual(terms.payer, payer)) return;
  throw invalidRequest(
    "Invalid payerAddress: only the payer that this payment was created for can pay it.",
    "payerAddress",
  );
}
