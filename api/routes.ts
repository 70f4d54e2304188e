// All routes of /v1.
import { Elysia } from "elysia";
import { accountRoutes } from "./account/routes.ts";
import { apiKeyRoutes } from "./api-keys/routes.ts";
import { auditLogRoutes } from "./audit-logs/routes.ts";
import { balanceRoutes } from "./balance/routes.ts";
import { checkoutRoutes } from "./checkout/routes.ts";
import { escrowRoutes } from "./escrow/routes.ts";
import { eventRoutes } from "./events/routes.ts";
import { routeMacros } from "./http/route-macros.ts";
import { milestoneRoutes } from "./milestones/routes.ts";
import { paymentIntentReadRoutes } from "./payment-intents/read/routes.ts";
import { paymentIntentRoutes } from "./payment-intents/routes.ts";
import type { Services } from "./services.ts";
import { settlementRoutes } from "./settlements/routes.ts";
import { testClockRoutes } from "./test-clock/routes.ts";
import { webhookEndpointRoutes } from "./webhook-endpoints/routes.ts";

const RESOURCES = [
  paymentIntentRoutes,
  paymentIntentReadRoutes,
  checkoutRoutes,
  escrowRoutes,
  milestoneRoutes,
  eventRoutes,
  settlementRoutes,
  balanceRoutes,
  webhookEndpointRoutes,
  accountRoutes,
  apiKeyRoutes,
  auditLogRoutes,
  testClockRoutes,
];

/** @param services only used when a request arrives */
export function routes(prefix: string, services: Services) {
  const shared = routeMacros(services);
  const app = new Elysia({ prefix, normalize: false });
  for (const resource of RESOURCES) app.use(resource(shared) as never);
  return app;
}
