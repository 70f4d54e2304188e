// The merchant's dashboard: payments, settlements, keys, webhooks and the audit log, through the same /v1 as everybody's.
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { mount } from "../ui/mount.tsx";
import { DashboardPage } from "./dashboard-page.tsx";
import { nextRetry } from "./next-retry.ts";

const client = new QueryClient({
  defaultOptions: {
    queries: {
      // What changes is read again when the stream names it (live/), what failed by the interval.
      retry: false,
      refetchInterval: nextRetry,
      refetchOnWindowFocus: false,
      staleTime: 30_000,
      // Without a network it fails like any other, and the page says so.
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
