// The merchant's dashboard: payments, settlements, keys, webhooks and the audit log, through the same /v1 as everybody's.
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { mount } from "../ui/mount.tsx";
import { DashboardPage } from "./dashboard-page.tsx";
import { nextPoll } from "./next-poll.ts";

const client = new QueryClient({
  defaultOptions: {
    queries: {
      // A query that failed is sent again by its interval.
      retry: false,
      refetchInterval: (query) => nextPoll(query),
      staleTime: 2_000,
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
