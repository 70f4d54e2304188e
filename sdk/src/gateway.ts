// The API client, with a property for each resource. Create one instance per API key.
import { GatewayError } from "./http/errors.ts";
import type { GatewayOptions } from "./http/options.ts";
import { Transport } from "./http/transport.ts";
import { ApiKeys } from "./resources/api-keys.ts";
import { Escrow } from "./resources/escrow.ts";
import { Events } from "./resources/events.ts";
import { Account, AuditLogs, Balance } from "./resources/merchant.ts";
import { Milestones } from "./resources/milestones.ts";
import { PaymentIntents } from "./resources/payment-intents.ts";
import { PublicPaymentIntents } from "./resources/public-payment-intents.ts";
import { Settlements } from "./resources/settlements.ts";
import { TestClock } from "./resources/test-clock.ts";
import { WebhookEndpoints } from "./resources/webhook-endpoints.ts";
import { webhooks } from "./webhooks.ts";

/** Detects a page or a web worker. Other runtimes have neither a `document` nor a browser's user agent. */
function isBrowser(): boolean {
  const { document, navigator, importScripts } = globalThis as {
    document?: unknown;
    navigator?: { userAgent?: string };
    importScripts?: unknown;
  };
  if (document !== undefined) return true;
  return importScripts !== undefined && /^Mozilla\//.test(navigator?.userAgent ?? "");
}

/**
 * @example
 * const gateway = new Gateway({ apiKey: process.env.GATEWAY_KEY, baseUrl: "https://pay.example.com/v1" });
 * const intent = await gateway.paymentIntents.create({ amount: "100.00", currency: "USDC", … });
 */
export class Gateway {
  readonly paymentIntents: PaymentIntents;
  /** Operations for payers and checkout pages. They require no API key and can be called from any origin. */
  readonly publicPaymentIntents: PublicPaymentIntents;
  readonly escrow: Escrow;
  readonly milestones: Milestones;
  readonly events: Events;
  readonly settlements: Settlements;
  readonly balance: Balance;
  readonly account: Account;
  readonly webhookEndpoints: WebhookEndpoints;
  readonly apiKeys: ApiKeys;
  readonly auditLogs: AuditLogs;
  readonly testClock: TestClock;
  readonly webhooks = webhooks;

  /** @throws GatewayError if a secret key is used in a browser without `dangerouslyAllowBrowser` */
  constructor(options: GatewayOptions = {}) {
    if (options.apiKey !== undefined && !options.dangerouslyAllowBrowser && isBrowser()) {
      throw new GatewayError(
        "A secret key does not belong in a browser: anyone who opens the page can read it. Call your own server, or " +
          "the public operations without a key. If nobody else can open the page, set dangerouslyAllowBrowser.",
      );
    }
    const transport = new Transport(options);
    this.paymentIntents = new PaymentIntents(transport);
    this.publicPaymentIntents = new PublicPaymentIntents(transport);
    this.escrow = new Escrow(transport);
    this.milestones = new Milestones(transport);
    this.events = new Events(transport);
    this.settlements = new Settlements(transport);
    this.balance = new Balance(transport);
    this.account = new Account(transport);
    this.webhookEndpoints = new WebhookEndpoints(transport);
    this.apiKeys = new ApiKeys(transport);
    this.auditLogs = new AuditLogs(transport);
    this.testClock = new TestClock(transport);
  }
}
