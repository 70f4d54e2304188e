// The filters that the URL of the list of payments can contain.
import { createSearchValidator } from "../parts/search-params.ts";

const read = createSearchValidator("query", "merchantStatus", "currency", "created[gte]", "created[lte]");
const METADATA = /^metadata\[(.*)\]$/;

export type PaymentsSearch = ReturnType<typeof read> & { [name: `metadata[${string}]`]: string };

export function readPaymentsSearch(search: Record<string, unknown>): PaymentsSearch {
  const metadata = Object.entries(search).filter(
    ([name, value]) => METADATA.test(name) && typeof value === "string",
  );
  return { ...read(search), ...Object.fromEntries(metadata) };
}

/** Returns the metadata key and value that a search filters by. */
export function showMetadata(search: PaymentsSearch): { key: string; value: string } {
  const [name = "", value = ""] = Object.entries(search).find(([name]) => METADATA.test(name)) ?? [];
  return { key: METADATA.exec(name)?.[1] ?? "", value };
}
