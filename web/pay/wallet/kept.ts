// Stores data that must survive a lost connection or a closed page: a signature that was given but not submitted, or a
// transaction that was sent but not reported to the gateway.
import type { Address, Hex } from "viem";
import type { FundingMethod } from "#core/chain/funding-methods.ts";
import type { IntentId } from "#core/ids.ts";
import { storage } from "../../storage.ts";

export type Kept =
  | {
      what: "signature";
      signature: Hex;
      fundingMethod: FundingMethod;
      permitSignature?: Hex;
      payer: Address;
      key: string;
    }
  | { what: "transaction"; hash: Hex };

const nameStorageKey = (id: IntentId): string => `unfinished ${id}`;

export const keep = (id: IntentId, kept: Kept): void =>
  storage.setItem(nameStorageKey(id), JSON.stringify(kept));

export const forget = (id: IntentId): void => storage.removeItem(nameStorageKey(id));

export function loadKept(id: IntentId): Kept | undefined {
  const text = storage.getItem(nameStorageKey(id));
  return text === null ? undefined : (JSON.parse(text) as Kept);
}
