// Every documented provider state, and each sequence of two states, as each adapter interprets it. A payout follows the
// provider's state, unknown states are never final, and nothing is ordered again.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { inArray, sql } from "drizzle-orm";
import type { ProviderApi } from "#core/config/off-ramp-config.ts";
import type { Database } from "#core/db/client.ts";
import { type PayoutState, payout } from "#core/db/schema/payouts.ts";
import type { ApiTransfer } from "#settlement/off-ramp/bridge/api.ts";
import { toTransfer } from "#settlement/off-ramp/bridge/transfer.ts";
import { isDead, isOpen, type Quote, readQuote } from "#settlement/off-ramp/bvnk/quote.ts";
import type { OffRamp, Transfer } from "#settlement/off-ramp/off-ramp.ts";
import { createPayoutHandler } from "#settlement/payouts/pay-out.ts";
import { gullibleBank } from "./support/gullible-bank.ts";
import { insertPayout } from "./support/payouts.ts";
import { makeWorld, PAYER, type World } from "./support/world.ts";

type Reading = Pick<Transfer, "state" | "refunded" | "awaitsFunds" | "canceled">;
type Adapter = {
  /** The provider's states and how the adapter should interpret them. */
  states: Record<string, Reading>;
  read(state: string, reference: string): Transfer;
};

const NOW = new Date().toISOString();

const bridge = (state: string, reference: string): Transfer =>
  toTransfer({
    ...{ id: `transfer ${reference}`, client_reference_id: reference, state, amount: "100.00" },
    ...{ source: { currency: "usdc" }, created_at: NOW, updated_at: NOW },
  } satisfies ApiTransfer);

/** `state` is a payoutStatus, or `quote:` with a quoteStatus from before the payment to the bank has started. */
const quoteIn = (state: string, reference: string): Quote => ({
  ...{ uuid: `quote ${reference}`, reference, from: "USDC", to: "USD", amountIn: "100.00", fee: "0.00" },
  ...(state.startsWith("quote:")
    ? { quoteStatus: state.slice("quote:".length), payoutStatus: null }
    : { quoteStatus: "PAYMENT_OUT_PROCESSING", payoutStatus: state }),
  ...{ dateCreated: NOW, dateCompleted: state === "COMPLETED" ? NOW : null },
});

const pending = { state: "pending" } as const;
const [awaiting, funded] = [true, false].map((awaitsFunds) => ({ ...pending, awaitsFunds }) as const);
const completed = { state: "completed" } as const;
const [lost, kept] = [false, true].map((refunded) => ({ state: "failed", refunded }) as const);
const canceled = { state: "failed", refunded: true, canceled: true } as const;
const [returned, refunded] = [false, true].map((back) => ({ state: "returned", refunded: back }) as const);
if (!(awaiting && funded && lost && kept && returned && refunded)) throw new Error("Unreachable.");

const ADAPTERS: Record<ProviderApi, Adapter> = {
  bridge: {
    read: bridge,
    states: {
      ...{
        awaiting_funds: awaiting,
        in_review: awaiting,
        funds_received: funded,
        payment_submitted: funded,
      },
      ...{ payment_processed: completed, undeliverable: lost, returned, refunded, canceled },
      // States that need investigation, including an undocumented one.
      ...{ error: pending, of_tomorrow: pending },
    },
  },
  bvnk: {
    read: (state, reference) => readQuote(quoteIn(state, reference)),
    states: {
      ...{ "quote:ACCEPTED": awaiting, "quote:PAYMENT_IN_PROCESSING": awaiting },
      ...{ "quote:PAYMENT_IN_PROCESSED": funded, "quote:PAYMENT_IN_FAILED": kept },
      ...{ "quote:CONVERSION_PROCESSING": funded, "quote:CONVERSION_PROCESSED": funded },
      ...{ "quote:CONVERSION_FAILED": kept, "quote:PAYMENT_OUT_PROCESSING": funded },
      ...{ "quote:PAYMENT_OUT_FAILED": kept, "quote:OF_TOMORROW": pending },
      ...{ PENDING_APPROVAL: funded, PROCESSING: funded, COMPLETED: completed, FAILED: kept },
      ...{ CANCELLED: canceled, RETURNED: refunded, OF_TOMORROW: funded },
    },
  },
};

/** The payout's state after one response. */
const AFTER: Record<Transfer["state"], PayoutState> = {
  ...{ pending: "submitted", completed: "completed", failed: "failed", returned: "returned" },
};

/**
 * Returns the payout's state after a second response. A final state is not queried again, and an arrived payout counts
 * as returned only when the provider reports the return.
 */
function afterBoth(first: Reading, second: Reading): PayoutState {
  if (first.state === "failed" || first.state === "returned") return AFTER[first.state];
  if (first.state === "completed" && second.state === "pending") return "completed";
  return AFTER[second.state];
}

let world: World;
let ordered = 0;
/** The provider's response for each reference. */
const said = new Map<string, Transfer>();

const scripted = (database: Database): OffRamp => ({
  ...gullibleBank(database),
  account: "scripted",
  lookUp: async (reference) => said.get(reference),
  async create() {
    ordered++;
    throw new Error("It was ordered again.");
  },
});

beforeAll(async () => {
  world = await makeWorld({
    offRamps: (database) => {
      const offRamp = scripted(database);
      return () => offRamp;
    },
  });
  await world.chain.head(40);
});
afterAll(() => world.close());

describe.each(Object.entries(ADAPTERS))("the states of %s", (api, { states, read }) => {
  it.each(Object.entries(states))(
    "%s is read as %o",
    (state, { state: as, refunded: back, awaitsFunds, canceled }) => {
      const transfer = read(state, "a reference");
      expect(transfer.state).to.equal(as);
      expect(transfer.refunded).to.equal(back);
      expect(transfer.awaitsFunds).to.equal(awaitsFunds);
      expect(transfer.canceled).to.equal(canceled);
      // Unknown states and states that wait for a person are reported.
      const isReported = /tomorrow|error|approval/i.test(state);
      if (as === "pending") expect(transfer.failure !== null).to.equal(isReported);
    },
  );

  it("each pair of them leads to the provider's state, without another order", async () => {
    const { database } = world.context;
    const names = Object.keys(states);
    const made = await world.addIntent();
    await world.chain.fund(made.orderId, made.terms, 1, PAYER);
    await world.chain.settle(made.orderId, made.terms, 10);
    const pairs = names.flatMap((first) => names.map((second) => ({ first, second })));
    const rows = await Promise.all(
      pairs.map(async (pair, part) => {
        const reference = `${api} ${pair.first} ${pair.second}`;
        return { ...pair, reference, id: await insertPayout(database, made, { reference, part }) };
      }),
    );
    const pay = createPayoutHandler(world.context, () => undefined);
    const ids = rows.map(({ id }) => id);
    const stateOf = async () => {
      const found = await database.select().from(payout).where(inArray(payout.id, ids));
      return new Map(found.map(({ id, state, awaitsFunds }) => [id, { state, awaitsFunds }]));
    };
    const meaning = (state: string): Reading => states[state] ?? pending;
    for (const { reference, first } of rows) said.set(reference, read(first, reference));
    await pay(ids);
    const once = await stateOf();
    for (const { id, first } of rows) {
      const { state, awaitsFunds = state === "pending" } = meaning(first);
      expect(once.get(id), first).to.deep.equal({ state: AFTER[state], awaitsFunds });
    }
    for (const { reference, second } of rows) said.set(reference, read(second, reference));
    await database
      .update(payout)
      .set({ nextAttemptAt: sql`clock_timestamp()` })
      .where(sql`${inArray(payout.id, ids)} and ${payout.nextAttemptAt} is not null`);
    await pay(ids);
    const twice = await stateOf();
    for (const { id, first, second } of rows) {
      const state = afterBoth(meaning(first), meaning(second));
      const { state: firstState, awaitsFunds: before = firstState === "pending" } = meaning(first);
      const { awaitsFunds: reported = before } = meaning(second);
      expect(twice.get(id), `${first}, ${second}`).to.deep.equal({
        state,
        awaitsFunds: state === "submitted" && reported,
      });
    }
    expect(ordered).to.equal(0);
  });
});

describe("an unaccepted quote", () => {
  it.each(["ESTIMATE", "PENDING"])("%s is open, and is not a transfer", (status) => {
    const quote = quoteIn(`quote:${status}`, "a reference");
    expect({ open: isOpen(quote), dead: isDead(quote) }).to.deep.equal({ open: true, dead: false });
  });

  it.each(["EXPIRED", "CANCELLED"])("%s is dead", (status) => {
    const quote = quoteIn(`quote:${status}`, "a reference");
    expect({ open: isOpen(quote), dead: isDead(quote) }).to.deep.equal({ open: false, dead: true });
  });
});
