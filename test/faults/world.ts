// A full gateway for fault injection: all of its processes, its database, and a proxy between the gateway and its node.
// It serves several runs, each with a separate merchant.
import { join } from "node:path";
import { type Address, erc20Abi, type Hex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { freePort } from "#scripts/devnet/ports.ts";
import type { Role } from "#scripts/devnet/roles.ts";
import { ensureMerchant } from "#scripts/shared/merchants.ts";
import { until } from "#scripts/shared/wait.ts";
import { Client } from "#test/api/support/client.ts";
import { createChainClient, type LocalChain, mineEvery } from "#test/api/support/payments.ts";
import { CrashablePostgres } from "#test/support/crashable-postgres.ts";
import { type Stack, startStack } from "#test/support/stack.ts";
import { Receiver } from "#test/webhooks/support/receiver.ts";
import { Random } from "./random.ts";
import { RpcProxy } from "./rpc-proxy.ts";
import { SupervisedRole } from "./supervised-role.ts";

export const BLOCK_MS = 200;
/**
 * Timeout for everything that a healthy gateway does without intervention, longer than the leases that a killed
 * settlement process leaves behind.
 */
export const TIMEOUT_MS = 90_000;

/** Short intervals and timeouts that let a payment end within seconds. */
const ENVIRONMENT = {
  RETURN_WINDOW: "2",
  STUCK_AFTER_MS: "2000",
  POLL_INTERVAL_MS: "500",
  OFF_RAMP_TIMEOUT_MS: "2000",
  // Otherwise, a process that logs a problem on every pass would fill the disk.
  LOG_REQUESTS: "false",
  WEBHOOK_RETRY_MS: "200,400,800,1600,3200,3200,3200,3200,3200,3200",
  WEBHOOK_TIMEOUT_MS: "2000",
};

export type Merchant = { client: Client; account: ReturnType<typeof privateKeyToAccount> };

export class World {
  readonly chain: LocalChain;
  readonly roles: Record<Role, SupervisedRole>;
  /** A second replica of the settlement role, if the world has one. */
  readonly secondSettlement: SupervisedRole | undefined;
  /** The settings of the settlement role. Operators may change them during a run. */
  readonly settlementEnvironment: Stack["environment"];
  readonly startedAt = Date.now();
  /** The gateway's permanent losses so far, by currency: payouts whose settlement was reorged afterwards. */
  readonly losses = new Map<string, bigint>();
  /** Whether a settlement process or its database was killed while it may have been in use. */
  settlementDied = false;
  /** The random numbers of the current run. */
  random = new Random(0);
  readonly #chainWork: { last: Promise<unknown> } = { last: Promise.resolve() };

  private constructor(
    readonly stack: Stack,
    readonly postgres: CrashablePostgres,
    readonly proxy: RpcProxy,
    readonly receiver: Receiver,
    randomOf: { get: () => Random },
    secondPorts: Record<string, string> | undefined,
  ) {
    this.chain = createChainClient(stack.rpcUrl);
    const { environment, logs } = stack;
    this.settlementEnvironment = { ...environment };
    const supervise = (role: Role, its = environment) =>
      new SupervisedRole(role, its, join(logs, `${role}.log`));
    this.roles = {
      api: supervise("api"),
      settlement: supervise("settlement", this.settlementEnvironment),
      indexer: supervise("indexer"),
    };
    this.secondSettlement =
      secondPorts &&
      new SupervisedRole("settlement", { ...environment, ...secondPorts }, join(logs, "settlement-2.log"));
    randomOf.get = () => this.random;
  }

  /** All processes, including replicas. */
  get processes(): SupervisedRole[] {
    return [...Object.values(this.roles), ...(this.secondSettlement ? [this.secondSettlement] : [])];
  }

  static async start({ settlements = 1 }: { settlements?: 1 | 2 } = {}): Promise<World> {
    const stack = await startStack({
      roles: [],
      ownPostgres: true,
      node: "hardhat",
      blockIntervalMs: BLOCK_MS,
      env: ENVIRONMENT,
    });
    const postgres = await CrashablePostgres.at(stack.databaseUrl);
    const randomOf = { get: () => new Random(0) };
    const proxy = new RpcProxy(stack.rpcUrl, () => randomOf.get());
    stack.environment.RPC_URL = proxy.url;
    const secondPorts =
      settlements === 2
        ? { SETTLEMENT_PORT: String(await freePort()), WEBHOOK_PORT: String(await freePort()) }
        : undefined;
    const world = new World(stack, postgres, proxy, new Receiver(), randomOf, secondPorts);
    // Interval mining only, with all pending transactions in each block, as on a real network.
    await world.chain.setAutomine(false);
    await world.letTimePass();
    await world.untilReady();
    return world;
  }

  async untilReady(): Promise<void> {
    await Promise.all(this.processes.map((process) => process.untilReady()));
  }

  async stop(): Promise<void> {
    await Promise.all(this.processes.map((process) => process.stop()));
    await this.proxy.stop();
    await this.stack.stop();
    await this.receiver.stop();
  }

  /** Creates a merchant that no other run uses. */
  async newMerchant(key: Hex): Promise<Merchant> {
    const account = privateKeyToAccount(key);
    const known = await ensureMerchant(this.stack.databaseUrl, {
      name: `Merchant ${account.address}`,
      account: account.address,
    });
    await this.giveGas(account.address);
    return { client: new Client(this.stack.baseUrl, known.apiKey), account };
  }

  giveGas(address: Address): Promise<void> {
    return this.chain.setBalance({ address, value: 10n ** 20n });
  }

  /** Runs work one at a time, because a step that changes blocks or time requires exclusive access. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#chainWork.last.then(work);
    this.#chainWork.last = next.catch(() => undefined);
    return next;
  }

  letTimePass(): Promise<void> {
    return mineEvery(this.chain, BLOCK_MS);
  }

  stopTime(): Promise<void> {
    return mineEvery(this.chain, 0);
  }

  /** Resolves when the gateway has indexed the chain's current block. */
  async untilCaughtUp(): Promise<void> {
    const block = await this.chain.getBlockNumber({ cacheTime: 0 });
    await until(
      async () => {
        const [row] = await this.query<{ head: string | null }>(
          "select max(substr(latest_checkpoint, 27, 16)) as head from chain._ponder_checkpoint",
        ).catch(() => []);
        return BigInt(row?.head ?? 0) >= block;
      },
      { what: `The indexer having come to block ${block}`, timeoutMs: TIMEOUT_MS },
    );
  }

  /** Returns the latest block's timestamp, in seconds. */
  async chainTime(): Promise<number> {
    return Number((await this.chain.getBlock({ blockTag: "latest" })).timestamp);
  }

  jump(seconds: number): Promise<void> {
    return this.alone(async () => {
      await this.chain.increaseTime({ seconds });
      await this.chain.mine({ blocks: 1 });
    });
  }

  balanceOf(token: Address, account: Address): Promise<bigint> {
    return this.chain.readContract({
      address: token,
      abi: erc20Abi,
      functionName: "balanceOf",
      args: [account],
    });
  }

  /** Queries the database on a separate connection. */
  query<T extends object>(text: string, values: unknown[] = []): Promise<T[]> {
    return this.postgres.query<T>(text, values);
  }

  async crashPostgres(): Promise<void> {
    this.settlementDied = true;
    await this.postgres.crash();
  }
}
