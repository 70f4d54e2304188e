// What of a payment can be searched for, as terms: lower-case words, and the hexadecimal of accounts and transactions. The
// index has the first characters of each; what it finds is compared with the payment itself.
import type { Address, Hex } from "viem";
import type { IntentRow, IntentView } from "../db/read-intent.ts";

/** Characters of a term that the index has: of an address more than half. */
const INDEXED_CHARACTERS = 24;
/** Words of one payment that the index has. */
const MOST_WORDS = 24;

/** Begins the term of an address read from its end: people know an address by its last characters, too. */
const FROM_END = "~";
const END_CHARACTERS = 12;

const WORD = /[\p{L}\p{N}]+/gu;

/** Metadata from which the order's terms are made: the same in most payments. */
export const TERMS_METADATA: readonly string[] = [
  "releaseType",
  "timeLockUntil",
  "autoRelease",
  "tokenAddress",
  "contractMerchantId",
];

export const wordsIn = (text: string): string[] => text.normalize("NFKC").toLowerCase().match(WORD) ?? [];

/** The beginning of a term, as the index has it. */
export const indexed = (term: string): string => [...term].slice(0, INDEXED_CHARACTERS).join("");

export const fromEnd = (hex: string): string =>
  FROM_END + [...hex.replace(/^0x/, "")].reverse().slice(0, END_CHARACTERS).join("");

type Described = Pick<IntentRow, "description" | "metadata">;

/** Words of a payment's description and of the values of its metadata. */
export function describedWords({ description, metadata }: Described): string[] {
  const values = Object.entries(metadata).flatMap(([key, value]) =>
    TERMS_METADATA.includes(key) || (typeof value !== "string" && typeof value !== "number") ? [] : [value],
  );
  return [...new Set([description ?? "", ...values].flatMap((value) => wordsIn(String(value))))];
}

/** Terms of what a merchant says of a payment. */
export const describedTerms = (described: Described): string[] => [
  ...new Set(describedWords(described).slice(0, MOST_WORDS).map(indexed)),
];

/** Terms of who paid, and by which transaction. */
export const fundingTerms = (payer: Address, transactionHash: Hex): string[] => [
  indexed(payer.toLowerCase()),
  fromEnd(payer.toLowerCase()),
  indexed(transactionHash.toLowerCase()),
];

/** The accounts, the transaction and the id of a payment, as lower-case hexadecimal after 0x. */
export function hexesOf({ intent, order, transactionHash }: IntentView): string[] {
  const all = [intent.orderId, order?.payer, intent.signer, intent.payer, transactionHash];
  return all.flatMap((hex) => (hex ? [hex.toLowerCase()] : []));
}
