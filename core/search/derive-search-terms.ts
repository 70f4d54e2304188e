// The searchable terms of a payment: lower-case words, and accounts and transactions as hexadecimal. The index contains
// the first characters of each term; matches are verified against the payment itself.
import type { Address, Hex } from "viem";
import { orderIdOfIntent } from "../ids.ts";
import type { IntentRow, IntentView } from "../intent/read-intent.ts";

/** Number of indexed characters per term: more than half of an address. */
const INDEXED_CHARACTERS = 24;
/** Maximum number of indexed words per payment. */
const MOST_WORDS = 24;

/** Prefix of an address's reversed term, because people also recognize an address by its last characters. */
const FROM_END = "~";
const END_CHARACTERS = 12;

const WORD = /[\p{L}\p{N}]+/gu;

/** Metadata keys from which the order's terms are derived. Their values are the same in most payments. */
export const TERMS_METADATA: readonly string[] = [
  "releaseType",
  "timeLockUntil",
  "autoRelease",
  "tokenAddress",
  "contractMerchantId",
];

export const wordsIn = (text: string): string[] => text.normalize("NFKC").toLowerCase().match(WORD) ?? [];

/** The indexed prefix of a term. */
export const indexed = (term: string): string => [...term].slice(0, INDEXED_CHARACTERS).join("");

export const fromEnd = (hex: string): string =>
  FROM_END + [...hex.replace(/^0x/, "")].reverse().slice(0, END_CHARACTERS).join("");

type Described = Pick<IntentRow, "description" | "metadata">;

/** Returns the words of a payment's description and metadata values. */
export function describedWords({ description, metadata }: Described): string[] {
  const values = Object.entries(metadata).flatMap(([key, value]) =>
    TERMS_METADATA.includes(key) || (typeof value !== "string" && typeof value !== "number") ? [] : [value],
  );
  return [...new Set([description ?? "", ...values].flatMap((value) => wordsIn(String(value))))];
}

/** Returns the search terms of the merchant's own data: the description and the metadata. */
export const describedTerms = (described: Described): string[] => [
  ...new Set(describedWords(described).slice(0, MOST_WORDS).map(indexed)),
];

/** Returns the search terms of the payer and the transaction. */
export const fundingTerms = (payer: Address, transactionHash: Hex): string[] => [
  indexed(payer.toLowerCase()),
  fromEnd(payer.toLowerCase()),
  indexed(transactionHash.toLowerCase()),
];

/** The accounts, the transaction and the id of a payment, as lower-case hexadecimal with 0x. */
export function collectHexes({ intent, order, transactionHash }: IntentView): string[] {
  const all = [orderIdOfIntent(intent.id), order?.payer, intent.signer, intent.payer, transactionHash];
  return all.flatMap((hex) => (hex ? [hex.toLowerCase()] : []));
}
