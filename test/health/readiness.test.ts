// The response of an API that is not ready.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { createServices } from "#api/create-services.ts";
import { healthRoutes } from "#api/health/routes.ts";
import { connectChain } from "#core/chain/client.ts";
import { readConfig } from "#core/config/config.ts";
import { connect } from "#core/db/client.ts";
import { deployment } from "#core/db/schema/deployments.ts";
import { createLog } from "#core/log.ts";
import { type SharedStack, sharedStack } from "#test/support/shared-stack.ts";

let stack: SharedStack;

beforeAll(async () => {
  stack = await sharedStack();
});
afterAll(() => stack?.stop());

describe("readiness", () => {
  it.each([
    [{ RPC_URL: "http://127.0.0.1:9" }, ["chain", "indexer"]],
    [{ DATABASE_URL: "postgres://nobody@127.0.0.1:9/none" }, ["database", "indexer"]],
  ])("returns 503 and names missing dependencies, but not their addresses: %p", async (change, missing) => {
    const config = readConfig({ ...stack.environment, ...change });
    const log = createLog("test", "silent");
    const database = connect(config.databaseUrl, { application: "test" });
    const client = connectChain(config);
    const there = connect(stack.databaseUrl, { application: "test" });
    const [deployed] = await there.select().from(deployment);
    await there.$client.end();
    if (!deployed) throw new Error("No deployment is recorded.");
    const services = createServices({ config, database, reads: database, deployment: deployed, log });
    try {
      const answer = await healthRoutes({ ...services, client }).handle(
        new Request("http://localhost/ready"),
      );
      const text = await answer.text();
      expect(answer.status, text).to.equal(503);
      expect(JSON.parse(text)).to.deep.include({ status: "not ready", missing });
      expect(text).not.to.match(/127\.0\.0\.1|postgres|http/);
    } finally {
      await services.stop();
      await database.$client.end();
    }
  });
});
