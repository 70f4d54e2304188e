// Runs planned faults at their scheduled times, and reports which of them had an effect.
import { setTimeout as delay } from "node:timers/promises";
import type { Role } from "#scripts/devnet/roles.ts";
import type { ProviderFaults, SimulatedProvider } from "#scripts/provider/provider.ts";
import type { Actor } from "./actor.ts";
import { failOver } from "./failover.ts";
import { changeAccount, retryAll, startWithWrongTokens, useKillSwitch } from "./people.ts";
import type { FaultKind, PlannedFault } from "./plan.ts";
import { type Reorg, reorganise } from "./reorg.ts";
import { NO_FAULTS, type RpcFaults } from "./rpc-proxy.ts";
import type { World } from "./world.ts";

/** An executed fault: its start and end in Unix milliseconds, and the number of effects. */
export type Injected = { kind: FaultKind; from: number; to: number; hits: number; reorg?: Reorg };

/** The steps of a payment that a deep reorg removes permanently. */
export type DoubleSpend = {
  pay: () => Promise<void>;
  isPaidOut: () => Promise<boolean>;
  sent: () => readonly `0x${string}`[];
};

/** Slower than usual: even thirty blocks later, the indexer must not consider payouts made in the meantime final. */
const DEEP_PACE_MS = 200;
/** Sometimes longer than the timeout of the node's or the provider's client. */
const SLOWEST_RPC_MS = 1_500;
const SLOWEST_PROVIDER_MS = 2_500;

type Hits = { hits: number; reorg?: Reorg };
/** The targets that faults can affect. */
export type Targets = {
  actors: readonly Actor[];
  spend?: DoubleSpend | undefined;
  /** Makes the payments that a failover loses completely. */
  lose?: () => Promise<void>;
};
type Act = (world: World, fault: PlannedFault, targets: Targets) => Promise<Hits>;

const kill =
  (role: Role): Act =>
  async (world) => {
    const { roles } = world;
    world.settlementDied ||= role === "settlement";
    const before = roles[role].restarts;
    roles[role].kill();
    await roles[role].untilReturned(before);
    return { hits: 1 };
  };

/** Applies `change` to the node proxy for the fault's duration. `hit` is the counter of affected requests. */
const rpc =
  (hit: keyof RpcFaults, change: (fault: PlannedFault) => number): Act =>
  async ({ proxy }, fault) => {
    const before = proxy.hits[hit];
    proxy.faults[hit] = change(fault);
    await delay(fault.forMs);
    proxy.faults[hit] = NO_FAULTS[hit];
    return { hits: proxy.hits[hit] - before };
  };

/** Changes the provider's behavior for the fault's duration. `count` counts the affected requests. */
const provider =
  (
    count: (provider: SimulatedProvider) => number,
    begin: (faults: ProviderFaults) => void,
    end: (faults: ProviderFaults) => void,
  ): Act =>
  async ({ stack }, { forMs }) => {
    const before = count(stack.provider);
    begin(stack.provider.faults);
    await delay(forMs);
    end(stack.provider.faults);
    return { hits: count(stack.provider) - before };
  };

const requests = (provider: SimulatedProvider) => provider.requests();
const webhooksSent = ({ deliveries }: SimulatedProvider) => deliveries.length;

const ACTS: Record<FaultKind, Act> = {
  kill_api: kill("api"),
  kill_settlement: kill("settlement"),
  kill_indexer: kill("indexer"),
  async kill_postgres(world) {
    await world.crashPostgres();
    return { hits: 1 };
  },
  rpc_fails: rpc("fails", ({ share }) => share),
  rpc_slow: rpc("delayMs", ({ share }) => Math.ceil(share * SLOWEST_RPC_MS)),
  rpc_lags: rpc("lag", ({ size }) => size),
  rpc_lies_logs: rpc("hidesLogs", ({ share }) => share),
  rpc_lies_receipt: rpc("liesReceipts", ({ share }) => share),
  async rpc_lies_block({ proxy }, { size, forMs }) {
    const before = proxy.hits.fork;
    await proxy.lieAboutBlocks(size, forMs);
    return { hits: proxy.hits.fork - before };
  },
  async reorg(world, { size, share }) {
    const reorg = await reorganise(world, { depth: size, share });
    return { hits: reorg.depth, reorg };
  },
  async deep_reorg(world, { size, share }, { spend }) {
    if (!spend) throw new Error("A deep reorg takes away a payment, and there is none.");
    const { pay: begun, isPaidOut: until, sent: forgets } = spend;
    const reorg = await reorganise(world, {
      depth: size,
      share,
      paceMs: DEEP_PACE_MS,
      begun,
      until,
      forgets,
    });
    return { hits: reorg.depth, reorg };
  },
  provider_down: provider(
    requests,
    (faults) => Object.assign(faults, { down: true }),
    (faults) => Object.assign(faults, { down: false }),
  ),
  provider_slow: provider(
    requests,
    (faults) => Object.assign(faults, { delayMs: SLOWEST_PROVIDER_MS }),
    (faults) => Object.assign(faults, { delayMs: 0 }),
  ),
  provider_loses_answers: provider(
    requests,
    (faults) => Object.assign(faults, { losesAnswers: true }),
    (faults) => Object.assign(faults, { losesAnswers: false }),
  ),
  webhooks_repeated: provider(
    webhooksSent,
    ({ webhooks }) => Object.assign(webhooks, { copies: 3 }),
    ({ webhooks }) => Object.assign(webhooks, { copies: 1 }),
  ),
  webhooks_reversed: provider(
    webhooksSent,
    ({ webhooks }) => Object.assign(webhooks, { reversed: true }),
    ({ webhooks }) => Object.assign(webhooks, { reversed: false }),
  ),
  webhooks_forged: provider(
    webhooksSent,
    ({ webhooks }) => Object.assign(webhooks, { forged: true }),
    ({ webhooks }) => Object.assign(webhooks, { forged: false }),
  ),
  webhooks_silent: provider(
    requests,
    ({ webhooks }) => Object.assign(webhooks, { silent: true }),
    ({ webhooks }) => Object.assign(webhooks, { silent: false }),
  ),
  async clock_jumps(world, { size }) {
    await world.jump(size);
    return { hits: 1 };
  },
  kill_switch: async (world, { size, forMs }) => ({ hits: await useKillSwitch(world, size, forMs) }),
  merchant_retries: async (_, { forMs }, { actors }) => ({ hits: await retryAll(actors, forMs) }),
  wrong_tokens: async (world) => ({ hits: await startWithWrongTokens(world) }),
  other_account: async (world, { forMs }) => ({ hits: await changeAccount(world, forMs) }),
  async failover(world, { forMs }, { lose }) {
    if (!lose) throw new Error("A failover loses payments, and there are none.");
    return { hits: await failOver(world, forMs, lose) };
  },
};

/**
 * Runs all faults, and resolves when they have ended and every process is ready again.
 * @param happened receives each fault when it has ended
 */
export async function inject(
  world: World,
  faults: readonly PlannedFault[],
  happened: Injected[],
  targets: Targets,
): Promise<void> {
  await Promise.all(
    faults.map(async (fault) => {
      await delay(fault.at);
      const from = Date.now();
      const { hits, reorg } = await ACTS[fault.kind](world, fault, targets);
      happened.push({ kind: fault.kind, from, to: Date.now(), hits, ...(reorg && { reorg }) });
    }),
  );
  await world.untilReady();
}
