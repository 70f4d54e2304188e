// What must not be lost when the connection breaks or the page is closed between wallet and gateway: a signature that was
// given and not handed in yet, or a transaction that was sent and not told yet.
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

const placeOf = (id: IntentId): string => `unfinished ${id}`;

export const keep = (id: IntentId, kept: Kept): void => storage.setItem(placeOf(id), JSON.stringify(kept));

export const forget = (id: IntentId): void => storage.removeItem(placeOf(id));

export function keptOf(id: IntentId): Kept | undefined {
  const text = storage.getItem(placeOf(id));
  return text === null ? undefined : (JSON.parse(text) as Kept);
}
