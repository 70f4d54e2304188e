// A short run of `npm run test:faults`. To repeat a failing seed alone, run `npm run test:faults -- --seed N`.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { planOf } from "./plan.ts";
import { simulate } from "./simulate.ts";
import { World } from "./world.ts";

/**
 * In this run, a settlement process is killed, the node reports false blocks and receipts, and there are two reorgs.
 */
const SEEDS = [3];

let world: World;

beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world?.stop());

describe("payments of all kinds, while processes die, the node lies and the bank fails,", () => {
  it.each(SEEDS)("end correctly: seed %d", async (seed) => {
    const { findings } = await simulate(world, planOf(seed));
    expect(findings, `npm run test:faults -- --seed ${seed}`).to.deep.equal([]);
  });
});
