// A successful request for every POST and PATCH of the API. If a new route is missing from this table, the tests fail.
import { randomBytes } from "node:crypto";
import type { RunningStack } from "../../support/shared-stack.ts";
import type { Client, Intent } from "./client.ts";
import { loadTerms, payDirectly } from "./direct-payment.ts";
import { create, fund, GOOD, HASH_A, newPayer, prove, untilStatus } from "./payments.ts";
import { signIn } from "./session.ts";
import { addEndpoint, sendTest } from "./webhook-endpoints.ts";

/**
 * Keyed by method and path. `other` is a body that makes a different request. `by` is the required caller if a caller
 * with a key is not allowed.
 */
type Prepared = { path: string; body?: object; other: object; by?: Client };
type Prepare = (client: Client, stack: RunningStack) => Promise<Prepared>;

/** A URL where nothing listens. */
const NOBODY = "http://127.0.0.1:9/webhooks";
const LOCKED = { metadata: { releaseType: "MILESTONE_LOCKED" } };
const onIntent = (id: string, path: string, body?: object, other: object = { other: 1 }) => ({
  path: `/payment-intents/${id}/${path}`,
  other,
  ...(body ? { body } : {}),
});
const dispute = (raisedBy: string) => ({ reason: "Nothing came.", raisedBy });

export const EVERY_WRITE: Record<string, Prepare> = {
  "POST /payment-intents": async () => ({
    path: "/payment-intents",
    body: GOOD,
    other: { ...GOOD, amount: "101" },
  }),
  "PATCH /payment-intents/{intentId}": async (client) => ({
    path: `/payment-intents/${(await create(client)).id}`,
    body: { metadata: { orderId: "1" } },
    other: { metadata: { orderId: "2" } },
  }),
  "POST /payment-intents/{intentId}/confirm": async (client) => {
    const payer = newPayer();
    const intent = await create(client);
    const signature = await payer.signTypedData(intent.data.typedData);
    return onIntent(intent.id, "confirm", { signature, payerAddress: payer.address });
  },
  "POST /payment-intents/{intentId}/cancel": async (client) => onIntent((await create(client)).id, "cancel"),
  "POST /payment-intents/{intentId}/settlement/retry": async (client) => {
    const settlementDestination = `fail_once_${randomBytes(6).toString("hex")}`;
    const { id } = await fund(client, { autoRelease: true, settlementDestination });
    await prove(client, id);
    await untilStatus(client, id, "REQUIRES_ACTION");
    return onIntent(id, "settlement/retry");
  },
  "POST /payment-intents/public/{intentId}/confirm": async (client) => {
    const payer = newPayer();
    const intent = await create(client);
    const signature = await payer.signTypedData(intent.data.typedData);
    return onIntent(`public/${intent.id}`, "confirm", { signature, payerAddress: payer.address });
  },
  "POST /payment-intents/public/{intentId}/payer": async (client) =>
    onIntent(`public/${(await create(client)).id}`, "payer", { payerAddress: newPayer().address }),
  "POST /payment-intents/public/{intentId}/transaction-hash": async (client, stack) => {
    const { id } = await create(client);
    const transactionHash = await payDirectly(stack, await loadTerms(stack.databaseUrl, id));
    return onIntent(`public/${id}`, "transaction-hash", { transactionHash });
  },
  "POST /payment-intents/{intentId}/escrow/delivery-proof": async (client) =>
    onIntent((await fund(client)).id, "escrow/delivery-proof", {
      proofHash: HASH_A,
      submittedBy: newPayer().address,
    }),
  "POST /payment-intents/{intentId}/escrow/ship": async (client) =>
    onIntent((await fund(client)).id, "escrow/ship"),
  "POST /payment-intents/{intentId}/escrow/release": async (client) => {
    const { id } = await fund(client);
    await prove(client, id);
    return onIntent(id, "escrow/release");
  },
  "POST /payment-intents/{intentId}/escrow/refund": async (client) =>
    onIntent((await fund(client)).id, "escrow/refund"),
  "POST /payment-intents/{intentId}/escrow/dispute": async (client) => {
    const payer = newPayer();
    return onIntent((await fund(client, {}, payer)).id, "escrow/dispute", dispute(payer.address));
  },
  "POST /payment-intents/{intentId}/escrow/dispute/resolve": async (client) => {
    const payer = newPayer();
    const { id } = await fund(client, {}, payer);
    await client.post(`/payment-intents/${id}/escrow/dispute`, dispute(payer.address));
    return onIntent(id, "escrow/dispute/resolve", { outcome: "BUYER_WON" });
  },
  "POST /payment-intents/{intentId}/escrow/milestones": async (client) =>
    onIntent((await create(client, LOCKED)).id, "escrow/milestones", { milestoneIndex: 0, amount: "1.00" }),
  "POST /payment-intents/{intentId}/escrow/milestones/{milestoneId}/complete": async (client) => {
    const { id } = await fund(client, LOCKED);
    const path = `/payment-intents/${id}/escrow/milestones`;
    const { body } = await client.post<Intent>(path, { milestoneIndex: 0, amount: "1.00" });
    return onIntent(id, `escrow/milestones/${body.id}/complete`, { completedBy: newPayer().address });
  },
  // Advances only one second, because other tests share the gateway.
  "POST /test/clock/advance": async () => ({
    path: "/test/clock/advance",
    body: { seconds: 1 },
    other: { seconds: 2 },
  }),
  "POST /api-keys": async (_, stack) => ({
    path: "/api-keys",
    body: { name: "One" },
    other: { name: "Two" },
    by: await signIn(stack),
  }),
  "POST /api-keys/{keyId}/rotate": async (_, stack) => {
    const by = await signIn(stack);
    const { body } = await by.post<{ id: string }>("/api-keys", {});
    return { path: `/api-keys/${body.id}/rotate`, body: { overlap: 60 }, other: { overlap: 0 }, by };
  },
  "POST /api-keys/{keyId}/revoke": async (_, stack) => {
    const by = await signIn(stack);
    const { body } = await by.post<{ id: string }>("/api-keys", {});
    return { path: `/api-keys/${body.id}/revoke`, other: { other: 1 }, by };
  },
  "POST /webhook-endpoints": async () => ({
    path: "/webhook-endpoints",
    body: { url: NOBODY },
    other: { url: `${NOBODY}/other` },
  }),
  "POST /webhook-endpoints/{endpointId}": async (client) => {
    const { id } = await addEndpoint(client, NOBODY);
    return {
      path: `/webhook-endpoints/${id}`,
      body: { description: "One." },
      other: { description: "Two." },
    };
  },
  "POST /webhook-endpoints/{endpointId}/rotate-secret": async (client) => {
    const { id } = await addEndpoint(client, NOBODY);
    return { path: `/webhook-endpoints/${id}/rotate-secret`, body: { overlap: 60 }, other: { overlap: 0 } };
  },
  "POST /webhook-endpoints/{endpointId}/test": async (client) => {
    const { id } = await addEndpoint(client, NOBODY);
    return { path: `/webhook-endpoints/${id}/test`, other: { other: 1 } };
  },
  "POST /webhook-endpoints/{endpointId}/deliveries/{deliveryId}/redeliver": async (client) => {
    const endpoint = await addEndpoint(client, NOBODY);
    const delivery = await sendTest(client, endpoint);
    return {
      path: `/webhook-endpoints/${endpoint.id}/deliveries/${delivery.id}/redeliver`,
      other: { other: 1 },
    };
  },
};
