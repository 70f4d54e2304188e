// Posts to the ledger what is deep enough on chain and what providers have said. Level-triggered: it compares and posts
// the difference, as the database's unique key allows: each once, whoever else is at it (docs/ledger.md).
import { eq, inArray, sql } from "drizzle-orm";
import type { Transaction } from "#core/db/client.ts";
import { isDatabaseAway } from "#core/db/errors.ts";
import { DEEPEST_REORG } from "#core/db/high-water-mark.ts";
import { insertMany } from "#core/db/insert-many.ts";
import { deployment } from "#core/db/schema/deployments.ts";
import { intent } from "#core/db/schema/intents.ts";
import { ledgerPosting } from "#core/db/schema/ledger.ts";
import type { IntentId } from "#core/ids.ts";
import { NOW, scheduleWork } from "#core/work/schedule-work.ts";
import type { Context } from "../runtime/context.ts";
import { finalizedBlock } from "../runtime/finalized-block.ts";
import { Problems } from "../runtime/problems.ts";
import { type Difference, type Findings, findDifferences } from "./differences.ts";
import { BATCH, createUnpostedFinder } from "./find-unposted.ts";

/** Every so many slow polls, what a reorg may have changed behind the mark is looked for. */
const POLLS_UNTIL_LOOK_BACK = 5;

const insertPostings = insertMany(ledgerPosting, [
  "deploymentId",
  "kind",
  "subject",
  "revision",
  "reversed",
  "amount",
  "intentId",
  "payoutId",
  "block",
  "txHash",
]);

type Postings = Pick<Findings, "differences" | "payouts">;

/** What a reorg dropped after the bank had paid is settled again, although its payment is over. */
async function settleAgain(
  tx: Transaction,
  deploymentId: string,
  posted: readonly Difference[],
): Promise<void> {
  const lost = posted.filter(({ kind, reversed }) => kind === "lost" && !reversed);
  if (lost.length === 0) return;
  const ids = lost.map(({ intentId }) => intentId);
  const intents = await tx
    .select({ orderId: intent.orderId, merchantId: intent.merchantId })
    .from(intent)
    .where(inArray(intent.id, ids));
  const work = intents.map((one) => ({ ...one, purpose: "settle", ...NOW }) as const);
  await scheduleWork(tx, deploymentId, work);
}

/** Makes the run. */
export function createPoster(
  context: Context,
  lookBackMs = context.config.pollIntervalMs * POLLS_UNTIL_LOOK_BACK,
): () => Promise<void> {
  const { database, guard, log, deployment: current } = context;
  const findUnposted = createUnpostedFinder(context);
  const problems = new Problems(log);
  let lookBackAt = 0;

  /** @returns those that nobody else was faster with */
  async function write({ differences, payouts }: Postings): Promise<Difference[]> {
    if (differences.length === 0 && payouts.length === 0) return [];
    return database.transaction(async (tx) => {
      const rows = differences.map((difference) => ({ deploymentId: current.id, ...difference }));
      const { rows: written } = await tx.execute<{ kind: string; subject: string }>(
        sql`${insertPostings(rows)} on conflict do nothing returning kind, subject`,
      );
      // One that is at work elsewhere is looked at again: nothing waits here, so nobody waits in a circle.
      await tx.execute(sql`
        with known as (select * from json_to_recordset(${JSON.stringify(payouts)}::json) as k (id text, state text, fee numeric)),
          free as (select id from gateway.payout where id in (select id from known) for no key update skip locked)
        update gateway.payout p set posted_state = known.state from known join free using (id)
        where p.id = known.id and p.fee = known.fee`);
      const made = new Set(written.map(({ kind, subject }) => `${kind} ${subject}`));
      const posted = differences.filter(({ kind, subject }) => made.has(`${kind} ${subject}`));
      await settleAgain(tx, current.id, posted);
      return posted;
    });
  }

  /**
   * All at once; if that cannot be, payment by payment, so that none of them keeps the others from being posted.
   * @returns as `write`, and whether anything is known now that was not
   */
  async function writeWhatCanBe(findings: Postings): Promise<{ written: Difference[]; moved: boolean }> {
    const { differences, payouts } = findings;
    const intents = new Set([...differences, ...payouts].map(({ intentId }) => intentId));
    try {
      const written = await write(findings);
      for (const id of intents) problems.over(`ledger of ${id}`);
      return { written, moved: written.length > 0 || payouts.length > 0 };
    } catch (error) {
      const [only] = intents;
      if (only === undefined || isDatabaseAway(error)) throw error;
      if (intents.size === 1) {
        problems.met(`ledger of ${only}`, error);
        return { written: [], moved: false };
      }
      const of = <T extends { intentId: IntentId }>(rows: T[], id: IntentId) =>
        rows.filter(({ intentId }) => intentId === id);
      const done = { written: [] as Difference[], moved: false };
      for (const id of intents) {
        const one = await writeWhatCanBe({ differences: of(differences, id), payouts: of(payouts, id) });
        done.written.push(...one.written);
        done.moved ||= one.moved;
      }
      return done;
    }
  }

  /** Compares some payments and posts what is missing. @returns whether anything was */
  async function compare(ids: IntentId[], finalized: bigint | undefined): Promise<boolean> {
    const touched = sql`select i.id, i.order_id from gateway.intent i
      where i.id in (select jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb))`;
    const { snapshot, findings } = await findDifferences(context, touched, finalized);
    await guard(snapshot);
    const { written, moved } = await writeWhatCanBe(findings);
    for (const { kind, intentId, subject, amount, reversed } of written) {
      if (kind !== "lost") continue;
      const about = { intent: intentId, settlement: subject, units: amount.toString() };
      if (reversed) log.warn(about, "a loss is made good");
      else
        log.error(
          about,
          "LOSS: a provider took more than was settled, or the chain took the settlement back",
        );
    }
    return moved;
  }

  return async () => {
    const finalized = await finalizedBlock(context);
    const lookBack = Date.now() >= lookBackAt;
    for (;;) {
      const { snapshot, mark, deep, ids } = await findUnposted(lookBack ? DEEPEST_REORG : 0, finalized);
      await guard(snapshot);
      const posted = ids.length > 0 && (await compare(ids, finalized));
      if (ids.length === BATCH) {
        // There may be more. But if none of these can be posted, the mark waits for them, and so do we.
        if (posted) continue;
        return;
      }
      if (deep !== mark) {
        await database
          .update(deployment)
          .set({ ledgerBlock: Math.max(0, deep) })
          .where(eq(deployment.id, current.id));
      }
      break;
    }
    if (lookBack) lookBackAt = Date.now() + lookBackMs;
  };
}
