// Reorgs blocks like a network that finds a longer chain: their transactions become pending again, and most are mined
// again.
import { setTimeout as delay } from "node:timers/promises";
import type { Hex } from "viem";
import { BLOCK_MS, type World } from "./world.ts";

export type Reorg = {
  /** Time of the reorg, in Unix milliseconds. */
  at: number;
  /** Number of reorged blocks. */
  depth: number;
  /** Number of transactions in the reorged blocks, and how many of them the network forgot. */
  dropped: number;
  forgotten: number;
};

export type ReorgPlan = {
  /** Maximum number of reorged blocks. */
  depth: number;
  /** The share of transactions that the network still knows. */
  share: number;
  /** Milliseconds between blocks. Default: the chain's interval. */
  paceMs?: number;
  /** Called once every later block will be reorged. */
  begun?: () => Promise<void>;
  /** Stops waiting for more blocks to reorg when it returns true. */
  until?: () => Promise<boolean>;
  /** Transactions that are never mined again. */
  forgets?: () => readonly Hex[];
};

/** Mines blocks one by one, and then reorgs all of them at once. */
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
  // Otherwise, empty blocks with the same timestamp would be identical to the removed ones.
  await proxy.ask("hardhat_setPrevRandao", [random.word()]);
  const known = dropped.filter((hash) => !forgotten.includes(hash) && random.happens(plan.share));
  for (const hash of [...known, ...waiting]) {
    const serializedTransaction = proxy.raw.get(hash);
    // The node rejects transactions that the new chain already contains or has no room for.
    if (serializedTransaction)
      await chain.sendRawTransaction({ serializedTransaction }).catch(() => undefined);
  }
  for (let mined = 0; mined <= depth; mined++) await chain.mine({ blocks: 1 });
  return { at: Date.now(), depth, dropped: dropped.length, forgotten: dropped.length - known.length };
}
