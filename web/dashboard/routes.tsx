// The dashboard's routes. All routes serve the same document, and each page's script is loaded on the first visit.
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import { Loading } from "../ui/skeleton.tsx";
import { NotFoundPage } from "./not-found-page.tsx";
import { PageFailed } from "./page-failed.tsx";
import { createSearchValidator, stringifySearch } from "./parts/search-params.ts";
import { readPaymentsSearch } from "./payments/payments-search-params.ts";
import { Shell } from "./shell.tsx";

const root = createRootRoute({ component: Shell, notFoundComponent: NotFoundPage });
const at = <Path extends string>(path: Path) => ({ getParentRoute: () => root, path });

const home = createRoute({
  ...at("/"),
  component: lazyRouteComponent(() => import("./home/home-page.tsx"), "HomePage"),
});
const payments = createRoute({
  ...at("/payments"),
  validateSearch: readPaymentsSearch,
  component: lazyRouteComponent(() => import("./payments/payments-page.tsx"), "PaymentsPage"),
});
const payment = createRoute({
  ...at("/payments/$id"),
  component: lazyRouteComponent(() => import("./payments/payment-page.tsx"), "PaymentPage"),
});
const settlements = createRoute({
  ...at("/settlements"),
  validateSearch: createSearchValidator("status", "created[gte]", "created[lte]"),
  component: lazyRouteComponent(() => import("./settlements/settlements-page.tsx"), "SettlementsPage"),
});
const settlement = createRoute({
  ...at("/settlements/$id"),
  component: lazyRouteComponent(() => import("./settlements/settlement-page.tsx"), "SettlementPage"),
});
const keys = createRoute({
  ...at("/keys"),
  validateSearch: createSearchValidator(),
  component: lazyRouteComponent(() => import("./keys/keys-page.tsx"), "KeysPage"),
});
const webhooks = createRoute({
  ...at("/webhooks"),
  validateSearch: createSearchValidator(),
  component: lazyRouteComponent(() => import("./webhooks/webhooks-page.tsx"), "WebhooksPage"),
});
const webhook = createRoute({
  ...at("/webhooks/$id"),
  validateSearch: createSearchValidator(),
  component: lazyRouteComponent(() => import("./webhooks/webhook-page.tsx"), "WebhookPage"),
});
const audit = createRoute({
  ...at("/audit"),
  validateSearch: createSearchValidator("actor", "action", "created[gte]"),
  component: lazyRouteComponent(() => import("./audit/audit-page.tsx"), "AuditPage"),
});
// An API operation already uses the path /team (api/dashboard/team-routes.ts).
const team = createRoute({
  ...at("/members"),
  component: lazyRouteComponent(() => import("./team/team-page.tsx"), "TeamPage"),
});
const account = createRoute({
  ...at("/account"),
  component: lazyRouteComponent(() => import("./team/account-page.tsx"), "AccountPage"),
});
const requests = createRoute({
  ...at("/requests"),
  validateSearch: createSearchValidator(),
  component: lazyRouteComponent(() => import("./requests/requests-page.tsx"), "RequestsPage"),
});
const events = createRoute({
  ...at("/events"),
  validateSearch: createSearchValidator("type"),
  component: lazyRouteComponent(() => import("./events/events-page.tsx"), "EventsPage"),
});
const create = createRoute({
  ...at("/payments/new"),
  component: lazyRouteComponent(() => import("./create/create-page.tsx"), "CreatePage"),
});
const start = createRoute({
  ...at("/start"),
  component: lazyRouteComponent(() => import("./create/start-page.tsx"), "StartPage"),
});

export const router = createRouter({
  routeTree: root.addChildren([
    home,
    payments,
    payment,
    settlements,
    settlement,
    keys,
    webhooks,
    webhook,
    audit,
    team,
    account,
    requests,
    events,
    create,
    start,
  ]),
  basepath: "/dashboard",
  // Keeps values as text. The default functions would parse numbers and JSON.
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: stringifySearch,
  search: { strict: true },
  defaultPreload: "intent",
  defaultPendingComponent: () => <Loading lines={6} />,
  defaultErrorComponent: PageFailed,
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
