// An additional API process of a running gateway, with a different configuration, for tests that depend only on the
// API's configuration.
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { freePort } from "#scripts/devnet/ports.ts";
import { type Environment, publicUrls, roleProcessReady, startRoleProcess } from "#scripts/devnet/roles.ts";
import type { SharedStack } from "./shared-stack.ts";

/** Starts an API process. @returns the gateway as served by this process, once it is ready */
export async function startAnotherApi(
  stack: SharedStack,
  changes: Environment,
): Promise<SharedStack & { pid: number }> {
  const port = await freePort();
  const { baseUrl, paymentPageUrl, dashboardUrl: url } = publicUrls(port);
  const own = { PORT: String(port), BASE_URL: baseUrl, PAYMENT_PAGE_URL: paymentPageUrl };
  const environment = { ...stack.environment, DATABASE_URL: stack.servingUrl, ...own, ...changes };
  const log = join(stack.logs, `api-${randomBytes(3).toString("hex")}.log`);
  const child = await startRoleProcess("api", environment, log);
  try {
    await roleProcessReady(child, environment);
  } catch (error) {
    await child.stop();
    throw error;
  }
  return {
    ...stack,
    pid: child.pid,
    environment,
    baseUrl,
    paymentPageUrl,
    dashboard: { ...stack.dashboard, url },
    async stop() {
      await child.stop();
      await stack.stop();
    },
  };
}
