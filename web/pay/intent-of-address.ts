// Reads the payment from the page's URL: {payment_page_url}/?intent=<id>.
import { type IntentId, isIntentId } from "#core/ids.ts";

export function intentOfAddress(search: string): IntentId | undefined {
  const id = new URLSearchParams(search).get("intent")?.trim() ?? "";
  return isIntentId(id) ? id : undefined;
}
