// All operations of /v1: what the application serves, and what its OpenAPI document tells.
import { apiKeyOperations } from "./api-keys/routes.ts";
import { auditLogOperations } from "./audit-logs/routes.ts";
import { balanceOperations } from "./balance/routes.ts";
import { checkoutOperations } from "./checkout/routes.ts";
import { escrowOperations } from "./escrow/routes.ts";
import { eventOperations } from "./events/routes.ts";
import type { Operation } from "./http/operation.ts";
import { milestoneOperations } from "./milestones/routes.ts";
import { paymentIntentOperations } from "./payment-intents/routes.ts";
import { settlementOperations } from "./settlements/routes.ts";
import { webhookEndpointOperations } from "./webhook-endpoints/routes.ts";

export const OPERATIONS: readonly Operation[] = [
  ...paymentIntentOperations,
  ...checkoutOperations,
  ...escrowOperations,
  ...milestoneOperations,
  ...eventOperations,
  ...settlementOperations,
  ...balanceOperations,
  ...webhookEndpointOperations,
  ...apiKeyOperations,
  ...auditLogOperations,
];
