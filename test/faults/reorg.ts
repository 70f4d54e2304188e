// Reorgs blocks like a network that finds a longer chain: their transactions are pending again, and most are mined
// again.
import { setTimeout as delay } from "node:timers/promises";
import type { Hex } from "viem";
import { BLOCK_MS, type World } from "./world.ts";

export type Reorg = {
  /** When it happened, in Unix milliseconds. */
  at: number;
  /** Number of reorged blocks. */
  depth: number;
  /** Number of their transactions, and of those that the network forgot. */
  dropped: number;
  forgotten: number;
};

export type ReorgPlan = {
  /** Maximum number of blocks. */
  depth: number;
  /** The share of transactions that the network still knows. */
  share: number;
  /** Milliseconds between blocks. Default: the chain's. */
  paceMs?: number;
  /** Called when everything from now on will be reorged. */
  begun?: () => Promise<void>;
  /** Stops waiting for more blocks to reorg. */
  until?: () => Promise<boolean>;
  /** Transactions that are never mined again. */
  forgets?: () => readonly Hex[];
};

/** Mines blocks one by one as time passes, and reorgs all of them at once. */
export function reorganise(world: World, plan: ReorgPlan): Promise<Reorg> {
  return world.alone(async () => {
    const { chain } = world;
    await world.stopTime();
    try {
      const snapshot = await chain.snapshot();
      const first = await chain.getBlockNumber({ cacheTime: 0 });
      await plan.begun?.();
      for (let mined = 0; mined < plan.depth; mined++) {
        await delay(plan.paceMs ?? BLOCK_MS);
        await chain.mine({ blocks: 1 });
        if (await plan.until?.()) break;
      }
      return await world.proxy.behindClosedDoors(() => takeBack(world, plan, snapshot, first));
    } finally {
      await world.letTimePass();
    }
  });
}

async function takeBack(world: World, plan: ReorgPlan, snapshot: Hex, first: bigint): Promise<Reorg> {
  const { chain, proxy, random } = world;
  const last = await chain.getBlockNumber({ cacheTime: 0 });
  const depth = Number(last - first);
  const dropped: Hex[] = [];
  for (let number = first + 1n; number <= last; number++) {
    dropped.push(...(await chain.getBlock({ blockNumber: number })).transactions);
  }
  const forgotten = plan.forgets?.() ?? [];
  const waiting = [...proxy.raw.keys()].filter(
    (hash) => !dropped.includes(hash) && !forgotten.includes(hash),
  );
  await chain.revert({ id: snapshot });
  // Otherwise empty blocks of the same second would be identical.
  await proxy.ask("hardhat_setPrevRandao", [random.word()]);
  const known = dropped.filter((hash) => !forgotten.includes(hash) && random.happens(plan.share));
  for (const hash of [...known, ...waiting]) {
    const serializedTransaction = proxy.raw.get(hash);
    // Transactions that the new chain already has, or has no room for, are rejected.
    if (serializedTransaction)
      await chain.sendRawTransaction({ serializedTransaction }).catch(() => undefined);
  }
  for (let mined = 0; mined <= depth; mined++) await chain.mine({ blocks: 1 });
  return { at: Date.now(), depth, dropped: dropped.length, forgotten: dropped.length - known.length };
}
