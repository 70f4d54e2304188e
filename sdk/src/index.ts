// The package's public API.
export * from "./errors.ts";
export { Gateway } from "./gateway.ts";
export { List, type Page, type PageQuery } from "./list.ts";
export type { Answer, Body, OperationId, Query, Schemas } from "./operations.ts";
export type { Fetch, GatewayOptions, RequestOptions } from "./options.ts";
export {
  type EthersSigner,
  type IntentSigner,
  type SignableIntent,
  type SignedIntent,
  signIntent,
  type ViemSigner,
} from "./sign-intent.ts";
export type { PaymentIntentStatus, WaitOptions } from "./wait-for.ts";
export { type VerifyOptions, verifyWebhook, type WebhookHeaders, webhooks } from "./webhooks.ts";
