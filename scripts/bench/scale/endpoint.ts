// Creates a webhook endpoint for the first merchant only, so that half of the payments have webhooks.
import type { Stack } from "#test/support/stack.ts";
import { send } from "../shared/operations.ts";

export function createEndpoint() {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("ok") });
  return {
    async register({ baseUrl, merchants }: Stack): Promise<void> {
      const path = "/webhook-endpoints";
      const body = { url: `http://127.0.0.1:${server.port}/` };
      await send(baseUrl, merchants[0]?.apiKey ?? "", { name: "endpoint", method: "POST", path, body });
    },
    stop: () => server.stop(true),
  };
}
