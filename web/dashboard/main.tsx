// The merchant's dashboard: payments, settlements, keys, webhooks and the audit log, through the public /v1
// API.
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { mount } from "../ui/mount.tsx";
import { DashboardPage } from "./dashboard-page.tsx";
import { nextRetry } from "./next-retry.ts";

const client = new QueryClient({
  defaultOptions: {
    queries: {
      // Changed data is refetched when the stream names it (live/), failed queries by the interval.
      retry: false,
      refetchInterval: nextRetry,
      refetchOnWindowFocus: false,
      staleTime: 30_000,
      // Without a network a query fails like any other, and the page reports it.
      networkMode: "always",
      refetchOnReconnect: true,
    },
  },
});

mount(
  <QueryClientProvider client={client}>
    <DashboardPage />
  </QueryClientProvider>,
);
