// Every operation of the OpenAPI document has a method that sends the documented request, and every error code
// has a class.
import { describe, it } from "bun:test";
import { expect } from "chai";
import document from "../../docs/openapi.json";
import { ERROR_CLASSES, Gateway, type OperationId } from "./index.ts";

/**
 * One call per operation. Each id is the name of its path parameter, so that the sent path matches the
 * documented one.
 */
const CALLS: Record<OperationId, (gateway: Gateway) => PromiseLike<unknown>> = {
  createPaymentIntent: ({ paymentIntents }) => paymentIntents.create({} as never),
  listPaymentIntents: ({ paymentIntents }) => paymentIntents.list(),
  retrievePaymentIntent: ({ paymentIntents }) => paymentIntents.retrieve("intentId"),
  updatePaymentIntent: ({ paymentIntents }) => paymentIntents.update("intentId", {}),
  confirmPaymentIntent: ({ paymentIntents }) => paymentIntents.confirm("intentId", {} as never),
  cancelPaymentIntent: ({ paymentIntents }) => paymentIntents.cancel("intentId"),
  retrySettlement: ({ paymentIntents }) => paymentIntents.retrySettlement("intentId"),
  retrievePublicPaymentIntent: ({ publicPaymentIntents }) => publicPaymentIntents.retrieve("intentId"),
  attachPayer: ({ publicPaymentIntents }) => publicPaymentIntents.attachPayer("intentId", {} as never),
  confirmPublicPaymentIntent: ({ publicPaymentIntents }) =>
    publicPaymentIntents.confirm("intentId", {} as never),
  reportTransactionHash: ({ publicPaymentIntents }) =>
    publicPaymentIntents.reportTransactionHash("intentId", {} as never),
  retrieveCheckout: ({ publicPaymentIntents }) => publicPaymentIntents.retrieveCheckout("intentId"),
  retrieveEscrow: ({ escrow }) => escrow.retrieve("intentId"),
  submitDeliveryProof: ({ escrow }) => escrow.submitDeliveryProof("intentId", {} as never),
  listDeliveryProofs: ({ escrow }) => escrow.listDeliveryProofs("intentId"),
  markShipped: ({ escrow }) => escrow.markShipped("intentId"),
  releaseEscrow: ({ escrow }) => escrow.release("intentId"),
  refundEscrow: ({ escrow }) => escrow.refund("intentId"),
  raiseDispute: ({ escrow }) => escrow.raiseDispute("intentId", {} as never),
  resolveDispute: ({ escrow }) => escrow.resolveDispute("intentId", {} as never),
  createMilestone: ({ milestones }) => milestones.create("intentId", {} as never),
  listMilestones: ({ milestones }) => milestones.list("intentId"),
  retrieveMilestone: ({ milestones }) => milestones.retrieve("intentId", "milestoneId"),
  completeMilestone: ({ milestones }) => milestones.complete("intentId", "milestoneId", {} as never),
  listEvents: ({ events }) => events.list(),
  retrieveEvent: ({ events }) => events.retrieve("eventId"),
  listSettlements: ({ settlements }) => settlements.list(),
  retrieveSettlement: ({ settlements }) => settlements.retrieve("payoutId"),
  retrieveBalance: ({ balance }) => balance.retrieve(),
  createWebhookEndpoint: ({ webhookEndpoints }) => webhookEndpoints.create({} as never),
  listWebhookEndpoints: ({ webhookEndpoints }) => webhookEndpoints.list(),
  retrieveWebhookEndpoint: ({ webhookEndpoints }) => webhookEndpoints.retrieve("endpointId"),
  updateWebhookEndpoint: ({ webhookEndpoints }) => webhookEndpoints.update("endpointId", {}),
  deleteWebhookEndpoint: ({ webhookEndpoints }) => webhookEndpoints.delete("endpointId"),
  rotateWebhookSecret: ({ webhookEndpoints }) => webhookEndpoints.rotateSecret("endpointId"),
  sendTestEvent: ({ webhookEndpoints }) => webhookEndpoints.sendTestEvent("endpointId"),
  listWebhookDeliveries: ({ webhookEndpoints }) => webhookEndpoints.listDeliveries("endpointId"),
  redeliverWebhook: ({ webhookEndpoints }) => webhookEndpoints.redeliver("endpointId", "deliveryId"),
  retrieveAccount: ({ account }) => account.retrieve(),
  createApiKey: ({ apiKeys }) => apiKeys.create({} as never),
  listApiKeys: ({ apiKeys }) => apiKeys.list(),
  rotateApiKey: ({ apiKeys }) => apiKeys.rotate("keyId"),
  revokeApiKey: ({ apiKeys }) => apiKeys.revoke("keyId"),
  listAuditLogs: ({ auditLogs }) => auditLogs.list(),
  retrieveTestClock: ({ testClock }) => testClock.retrieve(),
  advanceTestClock: ({ testClock }) => testClock.advance(60),
};

type Operation = { operationId: string; parameters?: ({ $ref: string } | { name: string })[] };

const OPERATIONS = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods as Record<string, Operation>).map(([method, operation]) => ({
    ...operation,
    sent: `${method.toUpperCase()} ${path.replaceAll(/[{}]/g, "")}`,
    takesKey:
      operation.parameters?.some((one) => "$ref" in one && one.$ref.endsWith("/Idempotency-Key")) ?? false,
  })),
);

describe("the SDK", () => {
  it("has a method for each documented operation, which sends its HTTP method, path and Idempotency-Key", async () => {
    const seen: { operationId: string; sent: string; takesKey: boolean }[] = [];
    for (const [operationId, call] of Object.entries(CALLS)) {
      const gateway = new Gateway({
        baseUrl: "https://pay.example.com/v1",
        apiKey: "sk_test_key",
        fetch: async (url, init) => {
          const takesKey = new Headers(init.headers).has("idempotency-key");
          seen.push({ operationId, sent: `${init.method} ${new URL(url).pathname}`, takesKey });
          return Response.json({ data: [] });
        },
      });
      await call(gateway);
    }
    const byId = (a: { operationId: string }, b: { operationId: string }) =>
      a.operationId.localeCompare(b.operationId);
    expect(seen.sort(byId)).to.deep.equal(
      OPERATIONS.map(({ operationId, sent, takesKey }) => ({ operationId, sent, takesKey })).sort(byId),
    );
  });

  it("has no undocumented methods", () => {
    const names = Object.values(CALLS).map((call) => /(\w+)\.(\w+)\(/.exec(String(call))?.slice(1).join("."));
    const gateway = new Gateway();
    const methods = Object.entries(gateway)
      .filter(([resource]) => resource !== "webhooks")
      .flatMap(([resource, value]) =>
        Object.getOwnPropertyNames(Object.getPrototypeOf(value))
          .filter((name) => name !== "constructor")
          .map((name) => `${resource}.${name}`),
      );
    const own = ["paymentIntents.exportCsv", "paymentIntents.waitFor", "settlements.exportCsv"];
    expect(methods.filter((name) => !names.includes(name)).sort()).to.deep.equal(own);
  });

  it("has a class for each documented error code", () => {
    const codes = Object.keys(document.components.schemas)
      .filter((name) => name.startsWith("Error."))
      .map((name) => name.slice("Error.".length));
    expect(Object.keys(ERROR_CLASSES).sort()).to.deep.equal(codes.sort());
  });
});
