// The merchant's dashboard for payments, settlements, keys, webhooks and the audit log. It uses the public /v1 API.
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { mount } from "../ui/mount.tsx";
import { DashboardPage } from "./dashboard-page.tsx";
import { nextRetry } from "./next-retry.ts";

const client = new QueryClient({
  defaultOptions: {
    queries: {
      // The stream triggers a refetch of changed data (live/); the interval only retries failed queries.
      retry: false,
      refetchInterval: nextRetry,
      refetchOnWindowFocus: false,
      staleTime: 30_000,
      // Without a network connection, a query fails like any other request, and the page reports the error.
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
