// The merchant's dashboard: payments, settlements, keys, webhooks and the audit log, through the same /v1 as everybody's.
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { Unreachable } from "../ui/api.ts";
import { mount } from "../ui/mount.tsx";
import { DashboardPage } from "./dashboard-page.tsx";

const client = new QueryClient({
  defaultOptions: {
    // What was refused will be refused again.
    queries: { retry: (failures, error) => error instanceof Unreachable && failures < 3, staleTime: 2_000 },
  },
});

mount(
  <QueryClientProvider client={client}>
    <DashboardPage />
  </QueryClientProvider>,
);
