// The operations whose cost must not grow with the tables: a merchant's requests, by path.
import { randomUUID } from "node:crypto";

export type Operation = { name: string; method: "GET" | "POST"; path: string; body?: object; key?: string };

/** A merchant's request for a payment. */
export const NEW = {
  amount: "100.00",
  currency: "USDC",
  type: "DELIVERY_VS_PAYMENT",
  settlementMethod: "OFF_RAMP_MOCK",
  settlementDestination: "bank_account_123",
  metadata: { orderId: "A1" },
};

/** An intent, and when it was created (Unix seconds). */
export type Payment = { id: string; created: number };

const reads = (of: Payment): Record<string, string> => ({
  retrieve: `/payment-intents/${of.id}`,
  "retrieve with escrow and settlements": `/payment-intents/${of.id}?expand[]=escrow&expand[]=settlements`,
  "list with escrow and settlements": "/payment-intents?expand[]=escrow&expand[]=settlements",
  "retrieve without a key": `/payment-intents/public/${of.id}`,
  list: "/payment-intents",
  "list a second page": `/payment-intents?starting_after=${of.id}`,
  "list the page before": `/payment-intents?ending_before=${of.id}`,
  "list the page before by status": `/payment-intents?ending_before=${of.id}&status=CANCELED`,
  "list by status": "/payment-intents?status=CANCELED",
  "list by a status that none has": "/payment-intents?status=REQUIRES_ACTION",
  "list by status and currency": "/payment-intents?status=FINAL&currency=USDT",
  "list by status and a currency that none has": "/payment-intents?status=FINAL&currency=DAI",
  "list by status and metadata": "/payment-intents?status=FINAL&metadata[orderId]=past-502",
  "list by status and time": `/payment-intents?status=FINAL&created[lte]=${of.created - 400}`,
  "list by currency": "/payment-intents?currency=USDT",
  "list by a currency that none has": "/payment-intents?currency=DAI",
  "list by metadata": "/payment-intents?metadata[orderId]=past-500",
  "list by metadata that none has": "/payment-intents?metadata[orderId]=none",
  "list by merchant status": "/payment-intents?merchantStatus=CANCELED",
  "list by a merchant status that none has": "/payment-intents?merchantStatus=DISPUTED",
  "search for half an id": `/payment-intents?query=${of.id.slice(0, 39)}`,
  "search for half an address": "/payment-intents?query=0x70997970C51812dc3A01",
  "search for an address's end": "/payment-intents?query=%E2%80%A617dc79C8",
  "search for a word that one has": "/payment-intents?query=past-500",
  "search for a word that all have": "/payment-intents?query=order",
  "search for words that none has": "/payment-intents?query=order+unheard",
  "list by time": `/payment-intents?created[lte]=${of.created - 400}`,
  "list by time, before all": "/payment-intents?created[lte]=1",
  "retrieve the escrow": `/payment-intents/${of.id}/escrow`,
  "list delivery proofs": `/payment-intents/${of.id}/escrow/delivery-proofs`,
  "list milestones": `/payment-intents/${of.id}/escrow/milestones`,
  "list events": "/events",
  "list events by type": "/events?type=payment_intent.canceled",
  "list events of a payment": `/events?paymentIntentId=${of.id}`,
  "list events by metadata": "/events?metadata[orderId]=past-500",
  "list events by time": `/events?created[lte]=${of.created - 400}`,
  "list events by time, before all": "/events?created[lte]=1",
  "list the audit log": "/audit-logs",
  "list the audit log of a payment": `/audit-logs?paymentIntentId=${of.id}`,
  "list the audit log by metadata": "/audit-logs?metadata[orderId]=past-500",
  "list the audit log by action": "/audit-logs?action=payment_intent.cancel",
  "list the audit log by an actor without entries": "/audit-logs?actor=key_unknown",
  "list the audit log by a type of actor without entries": "/audit-logs?actor=arbiter",
  "list the audit log by time": `/audit-logs?created[lte]=${of.created - 400}`,
  "list the audit log by time, before all": "/audit-logs?created[lte]=1",
  "list webhook endpoints": "/webhook-endpoints",
  // Unlike the other paths, the dashboard is not under /v1 or /api.
  "the dashboard's home": "/../../dashboard/home",
});

/** @param of a payment that has milestones */
export const operations = (of: Payment): Operation[] => [
  ...Object.entries(reads(of)).map(([name, path]): Operation => ({ name, method: "GET", path })),
  { name: "create", method: "POST", path: "/payment-intents", body: NEW },
  { name: "create with an Idempotency-Key", method: "POST", path: "/payment-intents", body: NEW, key: "new" },
  {
    name: "attach a payer",
    method: "POST",
    path: `/payment-intents/public/${of.id}/payer`,
    body: { payerAddress: `0x${"12".repeat(20)}` },
  },
];

/** Sends an operation's request and reads the response. @throws Error unless the response is 200 */
export async function send(
  baseUrl: string,
  apiKey: string,
  { name, method, path, body, key }: Operation,
): Promise<unknown> {
  const response = await fetch(baseUrl + path, {
    method,
    headers: {
      "x-api-key": apiKey,
      ...(body ? { "content-type": "application/json" } : {}),
      ...(key ? { "idempotency-key": `${key}-${randomUUID()}` } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${name} responded with ${response.status}: ${text}`);
  return JSON.parse(text);
}

/** Creates a payment on which every operation can be run. */
export const createPayment = async (baseUrl: string, apiKey: string): Promise<Payment> =>
  (await send(baseUrl, apiKey, {
    name: "create",
    method: "POST",
    path: "/payment-intents",
    body: { ...NEW, metadata: { releaseType: "MILESTONE_LOCKED" } },
  })) as Payment;
