// What integration tests share in one run: a Postgres, in which each makes databases of its own, and a chain.
import { join } from "node:path";
import { startChain } from "../local/chain.ts";
import { startPostgres } from "../local/postgres.ts";
import type { TestFolder } from "../local/test-folder.ts";

export interface Services {
  /** Tells the tests (test/support/stack.ts) where they are. */
  environment: Record<string, string>;
  stop(): Promise<void>;
}

/** Starts them; the contracts are compiled by now. */
export async function startServices({ postgres: folder, logs }: TestFolder): Promise<Services> {
  const [postgres, chain] = await Promise.all([
    startPostgres({ folder, log: join(logs, "postgres.log"), durable: false }),
    startChain({ log: join(logs, "chain.log"), blockIntervalMs: 200 }),
  ]);
  return {
    environment: {
      TEST_DATABASE_ADMIN_URL: postgres.url("postgres"),
      TEST_RPC_URL: chain.rpcUrl,
      TEST_CONTRACTS_COMPILED: "1",
    },
    async stop() {
      await chain.stop();
      await postgres.stop();
    },
  };
}
