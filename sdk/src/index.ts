// The package's public API.

export { Gateway } from "./gateway.ts";
export * from "./http/errors.ts";
export type { Fetch, GatewayOptions, RequestOptions } from "./http/options.ts";
export { List, type Page, type PageQuery } from "./resources/list.ts";
export type { PaymentIntentStatus, WaitOptions } from "./resources/wait-for.ts";
export {
  type EthersSigner,
  type IntentSigner,
  type SignableIntent,
  type SignedIntent,
  signIntent,
  type ViemSigner,
} from "./sign-intent.ts";
export type { Answer, Body, OperationId, Query, Schemas } from "./types/operations.ts";
export { type VerifyOptions, verifyWebhook, type WebhookHeaders, webhooks } from "./webhooks.ts";
