// The full gateway on one machine: Postgres, chain, contracts, indexer, API and settlement under one supervisor.
import { join } from "node:path";
import { privateKeyToAddress } from "viem/accounts";
import { type SimulatedProvider, startProvider } from "#scripts/provider/provider.ts";
import { migrate } from "../shared/migrate.ts";
import { paths } from "../shared/paths.ts";
import { ensurePagesBuilt } from "./build-pages.ts";
import { type Chain, startChain } from "./chain.ts";
import type { Child } from "./child.ts";
import { ensureCompiled } from "./compile-contracts.ts";
import type { LocalFile } from "./local-file.ts";
import { type Postgres, startPostgres } from "./postgres.ts";
import { ProblemWatch } from "./problems.ts";
import {
  type Environment,
  ROLES,
  type Role,
  type RolePorts,
  roleProcessReady,
  startRoleProcess,
  webhookUrl,
} from "./roles.ts";
import { notice, step } from "./screen.ts";
import type { Secrets } from "./secrets.ts";
import { setUpGateway } from "./set-up-gateway.ts";
import type { Running, Service, Supervisor } from "./supervisor.ts";

/** The ports are fixed for the gateway's lifetime, so that a restarted service has the same port. */
export interface Ports extends RolePorts {
  rpc: number;
  postgres: number;
}

const DATABASE = "gateway";

/** Shutdown order: services that accept work first, the database last. */
export const STOP_ORDER = ["api", "settlement", "indexer", "chain", "postgres"] as const;

export class LocalGateway {
  readonly #supervisor: Supervisor;
  readonly #secrets: Secrets;
  readonly #ports: Ports;
  /** Runs in this process, because its payments exist only as long as the chain that they belong to. */
  readonly #provider: SimulatedProvider;
  #postgres: Postgres | undefined;
  #chain: Chain | undefined;
  #environment: Environment = {};
  #local: LocalFile | undefined;

  constructor(supervisor: Supervisor, secrets: Secrets, ports: Ports) {
    this.#supervisor = supervisor;
    this.#secrets = secrets;
    this.#ports = ports;
    this.#provider = startProvider({
      webhookUrl: webhookUrl(ports.webhooks),
      walletAddress: privateKeyToAddress(secrets.offRamp),
    });
  }

  /** Starts all services and returns the data that tools need. */
  async start(onNewChain: (local: LocalFile) => void): Promise<LocalFile> {
    const database = step("Postgres and its tables", async () => {
      await this.#supervisor.start(this.#postgresService());
      await migrate(await this.#server().createDatabase(DATABASE));
    });
    const contracts = step("Contracts compiled", () => ensureCompiled(this.#log("compiler")));
    const pages = step("Payment page and dashboard built", ensurePagesBuilt);
    await waitForAll([database, contracts, pages]);
    await step("Chain, contracts and tokens deployed", () =>
      this.#supervisor.start(this.#chainService(onNewChain)),
    );
    await waitForAll(
      ROLES.map((role) => step(`${role} ready`, () => this.#supervisor.start(this.#roleService(role)))),
    );
    return this.#facts();
  }

  #postgresService(): Service {
    return {
      name: "postgres",
      start: async () => {
        this.#postgres = await startPostgres({
          folder: paths.postgres,
          log: this.#log("postgres"),
          port: this.#ports.postgres,
        });
        const { keeper, stop } = this.#postgres;
        return { ...running(keeper), stop, force: () => keeper.signal("SIGQUIT") };
      },
    };
  }

  /** The chain is in memory: if it exits, it restarts as a different chain, and everything on it is created again. */
  #chainService(onNewChain: (local: LocalFile) => void): Service {
    return {
      name: "chain",
      start: async () => {
        // The roles are paused so that they do not mistake the new chain for the old one.
        await Promise.all(ROLES.map((role) => this.#supervisor.pause(role)));
        this.#chain = await startChain({
          log: this.#log("chain"),
          port: this.#ports.rpc,
        });
        return running(this.#chain.node, async () => onNewChain(await this.#settleOnChain()));
      },
      onReturn: async () => {
        notice(
          "The chain was in memory, so this is a new chain with new contracts. The roles will restart on it.",
        );
        for (const role of ROLES) this.#supervisor.resume(role);
      },
    };
  }

  #roleService(role: Role): Service {
    return {
      name: role,
      start: async () => {
        const environment = this.#environment;
        const child = await startRoleProcess(role, environment, this.#log(role));
        return running(child, async () => {
          await roleProcessReady(child, environment);
          // Errors logged before this point are caused by waiting for the other services.
          const problems = new ProblemWatch(this.#log(role), notice);
          problems.start();
          void child.exited.then(() => problems.stop());
        });
      },
    };
  }

  /** Deploys to the chain that just started, and records it in the database. */
  async #settleOnChain(): Promise<LocalFile> {
    const chain = this.#chain;
    if (!chain) throw new Error("No chain is running to deploy to.");
    const databaseUrl = this.#server().url(DATABASE);
    const { environment, local, replaced } = await setUpGateway({
      databaseUrl,
      chain,
      secrets: this.#secrets,
      ports: this.#ports,
    });
    if (replaced.changed) {
      notice(
        "This is a new chain. Merchants and keys are kept; payment intents of the old chain are read-only.",
      );
      if (replaced.orphaned > 0) {
        notice(`${replaced.orphaned} of them are unfinished and will not be processed.`);
      }
    }
    const testClock = { TEST_CLOCK: process.env.TEST_CLOCK || "on" };
    this.#environment = { ...environment, ...this.#provider.environment, ...testClock };
    this.#local = { ...local, environment: this.#environment };
    return this.#local;
  }

  #server(): Postgres {
    if (!this.#postgres) throw new Error("Postgres was not started.");
    return this.#postgres;
  }

  #facts(): LocalFile {
    if (!this.#local) throw new Error("The contracts are not deployed yet.");
    return this.#local;
  }

  #log(name: string): string {
    return join(paths.logs, `${name}.log`);
  }
}

function running(child: Child, ready: () => Promise<void> = async () => undefined): Running {
  const { pid, started, exited } = child;
  return { pid, started, exited, ready, stop: () => child.stop(), force: () => child.signal("SIGKILL") };
}

/** Waits for all promises even if one rejects, so that no work continues after the error. */
async function waitForAll(works: Promise<unknown>[]): Promise<void> {
  const results = await Promise.allSettled(works);
  const failed = results.find((result) => result.status === "rejected");
  if (failed) throw failed.reason;
}
