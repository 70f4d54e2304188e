// Advances the test clock, which is the time of a local chain, so that a test need not wait for a lock or a
// window to expire.
import { setTimeout as delay } from "node:timers/promises";
import type { Static } from "@sinclair/typebox";
import { and, eq, isNotNull } from "drizzle-orm";
import { createTestClient, http, publicActions } from "viem";
import { askChain } from "#core/chain/client.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { invalidRequest, unknownRoute } from "#core/errors.ts";
import { dueNow } from "#core/payouts/due-now.ts";
import type { Call } from "../http/request-context.ts";
import type { Services } from "../services.ts";
import type { AdvanceTestClockBody, TestClock } from "./schemas.ts";

/**
 * The end of the year 2099. Until well after this date, formatted dates keep their length and timestamps fit the
 * integers of the contract.
 */
const LATEST = 4_102_444_799;
const LONGEST_WAIT_MS = 8_000;
const STEP_MS = 25;

const isInReturnWindow = and(eq(payout.state, "completed"), isNotNull(payout.nextAttemptAt));

export const latestTime = () =>
  invalidRequest("Invalid seconds: the test clock cannot go past the year 2099.", "seconds");

/** @throws ServiceError 404 on every network except a local one with TEST_CLOCK=on */
export function requireTestClock({ config }: Services, { request, url }: Call): void {
  if (!config.testClock) throw unknownRoute(request.method, url.pathname);
}

/**
 * Resolves when the indexer has reached this time, or after 8 s. Does not fail, because the time of the chain
 * has already advanced, and a retry would advance it again.
 */
async function untilIndexed({ reader }: Services, time: number): Promise<void> {
  const giveUpAt = performance.now() + LONGEST_WAIT_MS;
  while (performance.now() < giveUpAt) {
    const head = await reader.head().catch(() => undefined);
    if (head && head.timestamp >= time) return;
    await delay(STEP_MS);
  }
}

export async function advanceTestClock(
  services: Services,
  call: Call,
  { seconds }: Static<typeof AdvanceTestClockBody>,
): Promise<Static<typeof TestClock>> {
  requireTestClock(services, call);
  const { client, config, database } = services;
  const node = createTestClient({
    mode: "hardhat",
    chain: client.chain,
    transport: http(config.chain.rpcUrl),
  }).extend(publicActions);
  const time = await askChain(async () => {
    const { timestamp } = await node.getBlock();
    if (Number(timestamp) + seconds > LATEST) throw latestTime();
    await node.increaseTime({ seconds });
    await node.mine({ blocks: 1 });
    return Number((await node.getBlock()).timestamp);
  });
  await untilIndexed(services, time);
  return database.transaction(async (tx) => {
    // Return windows may have ended, which banks do not report.
    await tx.update(payout).set(dueNow).where(isInReturnWindow);
    return call.answer(tx, { object: "test_clock" as const, livemode: false, time });
  });
}
