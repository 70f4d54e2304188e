// One run: many concurrent payments during faults, a period without faults, the remaining time with other faults,
// another period without faults, and the comparison.
import { until } from "#scripts/shared/wait.ts";
import { Actor, type Met } from "./actor.ts";
import { compare } from "./compare.ts";
import { type DoubleSpend, type Injected, inject } from "./inject.ts";
import { LOST, type Plan, type PlannedPayment } from "./plan.ts";
import { Random } from "./random.ts";
import { act, create, end, finish, LATEST_S, later, loseLater } from "./stories.ts";
import { sum, trueTransfers } from "./truth.ts";
import { watch } from "./watch.ts";
import { TIMEOUT_MS, type World } from "./world.ts";

export type Outcome = {
  seed: number;
  tookMs: number;
  findings: string[];
  faults: Injected[];
  payments: readonly PlannedPayment[];
  /** The final statuses of the payments. */
  ends: Record<string, number>;
  met: Met[];
  /** Number of answered polls by the merchant's watcher. */
  looks: number;
  /** The gateway's permanent losses in this run, in the smallest units of their currencies. */
  losses: bigint;
};

function doubleSpendOf(actor: Actor): DoubleSpend {
  const { world, plan, payer } = actor;
  return {
    pay: async () => void (await actor.send(payer, "createOrder")),
    async isPaidOut() {
      // The database may be unavailable as well.
      const transfers = await trueTransfers(world).catch(() => []);
      return transfers.some(({ destination }) => destination === plan.destination);
    },
    sent: () => actor.sent,
  };
}

/** Waits for all promises even if one fails, so that no work continues after the error. */
async function all(works: Iterable<Promise<unknown>>): Promise<void> {
  const failed = (await Promise.allSettled(works)).filter((result) => result.status === "rejected");
  const messages = failed.map(({ reason }) => (reason instanceof Error ? reason.message : String(reason)));
  if (messages.length > 0) throw new Error(messages.join("\n    "));
}

export async function simulate(world: World, plan: Plan): Promise<Outcome> {
  const began = Date.now();
  world.random = new Random(plan.seed + 1);
  world.proxy.raw.clear();
  const merchant = await world.newMerchant(world.random.word());
  await merchant.client.post("/webhook-endpoints", { url: world.receiver.url });
  const actors = plan.payments.map((payment) => new Actor(world, merchant, payment));
  await Promise.all(actors.map(({ payer }) => world.giveGas(payer.address)));
  const lostBefore = sum(world.losses.values());
  const faults: Injected[] = [];
  const watching = watch(merchant.client);
  const spender = actors.find((actor) => actor.plan.story === "double_spend");
  const lost = actors.filter(({ plan: { story } }) => LOST.includes(story));
  const honest = actors.filter((actor) => actor !== spender && !lost.includes(actor));
  const lose = () => all(lost.map(loseLater));
  if (spender) {
    await create(spender);
    await spender.knowTerms();
  }
  const inTime = async (actor: Actor) => {
    await Bun.sleep(actor.plan.at);
    await act(actor);
  };
  let problem: unknown;
  try {
    const spend = spender && doubleSpendOf(spender);
    await all([...honest.map(inTime), inject(world, plan.faults, faults, { actors: honest, spend })]);
    // Repeats steps that a reorg removed and that only the actor can repeat.
    await world.untilCaughtUp();
    await all(honest.map(act));
    await world.jump(LATEST_S);
    await all([...honest.map(later), inject(world, plan.laterFaults, faults, { actors: honest, lose })]);
    await world.untilCaughtUp();
    const everybody = [...honest, ...lost];
    await all(everybody.map(act));
    await all(everybody.map(later));
    await all(everybody.map(finish));
    await all(everybody.map(end));
    // One returned part ends a payment although another part may still be in progress.
    await until(async () => (await trueTransfers(world)).every(({ state }) => state !== "pending"), {
      ...{ what: "The end of every transfer", timeoutMs: TIMEOUT_MS },
    });
  } catch (error) {
    problem = error;
  }
  await watching.stop();
  const findings = problem ? [problem instanceof Error ? problem.message : String(problem)] : [];
  const run = { actors, faults, watch: watching };
  // Compares in any case: other findings may explain why a payment did not end.
  const compared = await compare(world, run).catch((error: unknown) => [
    `it could not be compared: ${error}`,
  ]);
  const ends: Record<string, number> = {};
  for (const { id } of actors) {
    const last = watching.seen.get(id)?.at(-1)?.status ?? "never seen";
    ends[last] = (ends[last] ?? 0) + 1;
  }
  return {
    seed: plan.seed,
    tookMs: Date.now() - began,
    findings: [...findings, ...compared],
    ...{ faults, ends, payments: plan.payments },
    met: actors.map(({ met }) => met),
    looks: watching.answers(),
    losses: sum(world.losses.values()) - lostBefore,
  };
}
