// Reconciliation reports every difference between the ledger, the contract, the payouts and the provider.
import { afterAll, beforeAll, beforeEach, describe, it } from "bun:test";
import { expect } from "chai";
import { desc, eq, sql } from "drizzle-orm";
import { Registry } from "prom-client";
import {
  type Address,
  encodeFunctionResult,
  type Hex,
  hexToNumber,
  isAddressEqual,
  numberToHex,
  toFunctionSelector,
} from "viem";
import { deliveryVsPaymentAbi } from "#core/chain/abi/delivery-vs-payment.ts";
import * as chain from "#core/db/chain.ts";
import { intent } from "#core/db/schema/intents.ts";
import { ledgerBalance, ledgerPosting } from "#core/db/schema/ledger.ts";
import { reconciliationDifference } from "#core/db/schema/operations.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { reconciliation } from "#core/db/schema/reconciliations.ts";
import { listDifferences } from "#scripts/cli/ops/acknowledge-difference.ts";
import { ask } from "#scripts/cli/ops/approve.ts";
import { CONTROLLED } from "#scripts/cli/ops/controlled.ts";
import { until } from "#scripts/shared/wait.ts";
import { openMockBank } from "#settlement/off-ramp/mock.ts";
import type { OffRamp } from "#settlement/off-ramp/off-ramp.ts";
import { writeControl } from "#settlement/payouts/read-controls.ts";
import type { DiscrepancyKind } from "#settlement/reconciliation/discrepancy.ts";
import { keepDifferences } from "#settlement/reconciliation/known-differences.ts";
import { reportLedger } from "#settlement/reconciliation/metrics.ts";
import { createScheduledReconciler } from "#settlement/reconciliation/on-schedule.ts";
import { reconcile } from "#settlement/reconciliation/reconcile.ts";
import { blockAt } from "#test/settlement/support/fake-rpc.ts";
import type { TestIntent } from "#test/settlement/support/intents.ts";
import { CONTRACT, PAYER, USDC } from "#test/settlement/support/world.ts";
import { type Books, openBooks } from "./support/books.ts";

const BALANCE_OF = toFunctionSelector("balanceOf(address)");
const CREDIT_OF = toFunctionSelector("creditOf(address,address)");
const PLENTY = 10n ** 30n;
const NEVER_FUNDED = {
  ...{
    payer: `0x${"0".repeat(40)}` as Hex,
    deliveryDeadline: 0,
    disputeDeadline: 0,
    status: 0,
    proven: false,
  },
  ...{ statusBeforeDispute: 0, disputeSide: 0, disputedByPayer: false, disputedByMerchant: false },
  ...{ withdrawn: false, released: 0n, disbursed: 0n, refunded: 0n },
} as const;

/**
 * What the simulated chain returns: the contract's token balance, each account's credit in it, and each wallet's
 * balance.
 */
const onChain = { contract: 0n, credit: 0n, wallet: PLENTY };

function answer([call]: unknown[]): Hex {
  const { to, data } = call as { to: Address; data: Hex };
  const word = (value: bigint) => numberToHex(value, { size: 32 });
  if (data.startsWith(CREDIT_OF)) return word(onChain.credit);
  if (data.startsWith(BALANCE_OF)) {
    if (!data.includes(CONTRACT.slice(2).toLowerCase())) return word(onChain.wallet);
    // All orders use USDC.
    return word(isAddressEqual(to, USDC) ? onChain.contract : 0n);
  }
  return encodeFunctionResult({ abi: deliveryVsPaymentAbi, functionName: "getOrder", result: NEVER_FUNDED });
}

const answerBlock = ([number]: unknown[]) => blockAt(hexToNumber(number as Hex));

let books: Books;
let bank: OffRamp;
let merchantId: string;

beforeAll(async () => {
  books = await openBooks({ answers: { eth_call: answer, eth_getBlockByNumber: answerBlock } });
  bank = await openMockBank({ pool: books.database.$client, minMs: 0, maxMs: 0, rules: true });
  books.context.offRamps = () => bank;
});
beforeEach(async () => {
  merchantId = await books.begin();
});
afterAll(() => books.close());

const since = new Date(Date.now() - 60_000);

/** Returns the findings about the test's merchant, as `kind about`. */
const found = async (): Promise<string[]> =>
  (await reconcile(books.context, { since, merchantId }, 0)).map(({ kind, about }) => `${kind} ${about}`);

/** Returns descriptions of all findings. */
const said = async (): Promise<string[]> =>
  (await reconcile(books.context, { since }, 0)).map(({ kind, says }) => `${kind}: ${says}`);

const orderAt = (made: TestIntent, destination = "bank_account_123") => ({
  ...{ method: "OFF_RAMP_MOCK" as const, amount: made.terms.amount, currency: "USDC" as const },
  ...{ wallet: null, beneficiary: "Merchant", destination },
});

/** Creates a payment that is paid out completely and has no differences. */
async function paid(): Promise<TestIntent & { reference: string; payoutId: string }> {
  const made = await books.settled(10);
  const reference = `ref_${made.id}`;
  await bank.create({ ...orderAt(made), reference });
  const payoutId = await books.payOut(made, "completed", { reference });
  await books.postAt(14);
  return { ...made, reference, payoutId };
}

describe("there is no difference", () => {
  it("if the ledger, the chain and the provider agree on payments that are funded, being paid out, paid out or returned", async () => {
    await paid();
    const returned = await books.settled(10);
    await bank.create({ ...orderAt(returned, "returned_at_once"), reference: "ref_returned" });
    await books.payOut(returned, "returned", { reference: "ref_returned" });
    const under = await books.settled(11);
    await bank.create({ ...orderAt(under, "slow_one"), reference: "ref_under_way" });
    await books.payOut(under, "submitted", { reference: "ref_under_way", block: 11 });
    await books.funded(12);
    await books.postAt(16);
    onChain.contract = 100_000_000n;
    expect(await said()).to.deep.equal([]);
    expect(await found()).to.deep.equal([]);
  });

  it("for a foreign order, or for an unclaimed credit", async () => {
    const { orderId, terms } = await books.funded(1);
    const stranger: Hex = `0x${"ab".repeat(32)}`;
    await books.chain.fund(stranger, { ...terms, amount: 7n }, books.at(2), PAYER);
    await books.database
      .insert(chain.credit)
      .values({ id: `${PAYER}-${terms.token}`, account: PAYER, token: terms.token, amount: 3n });
    await books.chain.refund(orderId, terms.amount, books.at(3), { status: 5 });
    await books.postAt(7);
    onChain.credit = 3n;
    onChain.contract = 100_000_010n;
    expect(await said()).to.deep.equal([]);
    await books.database.delete(chain.credit);
    await books.chain.removeOrder(stranger);
    onChain.contract = 100_000_000n;
  });
});

describe("differences in the ledger", () => {
  it("a missing posting, and a posting with a wrong amount", async () => {
    const made = await books.settled(10);
    await books.head(14);
    expect(await found()).to.deep.equal([
      `missing_posting funded ${made.id}`,
      `missing_posting settled ${made.id} 1`,
    ]);
    await books.post();
    await books.payOut(made, "completed", { reference: "ref_never_ordered" });
    expect(await found()).to.include(`missing_posting paid ${made.id} 1.0.1`);
    const other = await books.funded(5);
    await books.database.execute(sql`insert into gateway.ledger_posting
      (deployment_id, kind, subject, revision, reversed, amount, intent_id, block)
      values (0, 'funded', '', 1, false, 250000000, ${sql.param(other.id, ledgerPosting.intentId)}, 1)`);
    const [says] = (await said()).filter((line) => line.includes(other.id));
    expect(says).to.equal(
      `missing_posting: The ledger has an incorrect posting: 150.00 USDC was paid into the escrow (funded, ${other.id}).`,
    );
    await books.database.update(payout).set({ state: "failed" }).where(eq(payout.intentId, made.id));
    await books.post();
  });

  it("a balance that differs from the sum of its postings", async () => {
    await paid();
    await books.database.transaction(async (tx) => {
      await tx.execute(sql`set local session_replication_role = replica`);
      await tx.execute(
        sql`update gateway.ledger_balance set amount = 5 where ${eq(ledgerBalance.merchantId, merchantId)} and account = 'paid'`,
      );
    });
    const [line] = (await said()).filter((text) => text.startsWith("wrong_balance"));
    expect(line).to.equal(
      `wrong_balance: Account paid of merchant ${merchantId} has the balance 0.000005 USDC, but its postings add up to 100.00 USDC.`,
    );
  });
});

describe("differences at the contract", () => {
  it("a wrong balance, and the affected orders", async () => {
    const held = await books.database.execute<{ custody: string }>(
      sql`select sum(amount)::text as custody from gateway.ledger_balance where account = 'custody'`,
    );
    const before = BigInt(held.rows[0]?.custody ?? 0);
    const made = await books.funded(1);
    await books.postAt(5);
    onChain.contract = before;
    const lines = (await said()).filter((line) => /^(contract_shortfall|escrow_order)/.test(line));
    expect(lines[0]).to.match(
      /^contract_shortfall: Contract 0x\w+ holds .*, but should hold .*: 100.00 USDC is missing, unless a reorg explains it\.$/,
    );
    expect(lines.find((line) => line.includes(made.id))).to.include(
      "the ledger has 100.00 USDC in custody, but the contract holds 0.00 USDC",
    );
    onChain.contract = before + 100_000_001n;
    const more = (await said()).find((line) => line.startsWith("contract_surplus"));
    expect(more).to.include("0.000001 USDC was sent to it without an order");
    onChain.contract = before + 100_000_000n;
    expect((await said()).filter((line) => line.startsWith("contract_"))).to.deep.equal([]);
  });

  it("a wallet that lacks funds for payouts", async () => {
    const made = await books.settled(10);
    await books.payOut(made, "created");
    await books.postAt(14);
    onChain.wallet = 40_000_000n;
    expect((await said()).find((line) => line.startsWith("wallet_shortfall"))).to.include(
      "60.00 USDC is missing",
    );
    onChain.wallet = PLENTY;
  });
});

describe("differences at the provider", () => {
  it("a transfer that does not belong to any payout", async () => {
    const made = await books.settled(10);
    const { providerId } = await bank.create({ ...orderAt(made), reference: "ref_of_nobody" });
    const line = (await said()).find((text) => text.startsWith("unknown_transfer"));
    expect(line).to.include(providerId).and.include("100.00 USDC").and.include("ref_of_nobody");
  });

  it("a payout without a transfer, or whose transfer has a different amount or outcome", async () => {
    const unknown = await books.settled(10);
    const unknownId = await books.payOut(unknown, "completed", { reference: "ref_unknown" });
    const less = await paid();
    await books.database.execute(
      sql`update mock_bank.transfer set amount = 99000000 where reference = ${less.reference}`,
    );
    const back = await paid();
    await books.database.execute(
      sql`update mock_bank.transfer set returns_at = now() where reference = ${back.reference}`,
    );
    await books.post();
    expect(await found()).to.have.members([
      `missing_transfer ${unknownId}`,
      `different_transfer ${less.payoutId}`,
      `different_transfer ${back.payoutId}`,
    ]);
  });

  it("a second transfer for a payout, a transfer other than the recorded one, and an unnoticed transfer", async () => {
    const transfers = books.context.offRamps;
    const twice = await paid();
    const other = await paid();
    await books.database.update(payout).set({ providerId: "another" }).where(eq(payout.id, other.payoutId));
    const unnoticed = await paid();
    await books.database
      .update(payout)
      .set({ state: "quarantined" })
      .where(eq(payout.id, unnoticed.payoutId));
    const listing: OffRamp = {
      ...bank,
      async *transfers(asked) {
        for await (const transfer of bank.transfers(asked)) {
          const isOld = transfer.reference === unnoticed.reference;
          yield isOld ? { ...transfer, createdAt: new Date(Date.now() - 3_600_000) } : transfer;
          if (transfer.reference === twice.reference) yield { ...transfer, providerId: "second" };
        }
      },
    };
    books.context.offRamps = () => listing;
    const differences = (await found()).filter((line) => line.startsWith("different_transfer"));
    books.context.offRamps = transfers;
    await books.becomes(unnoticed.payoutId, "completed");
    expect(differences).to.have.members(
      [twice, other, unnoticed].map(({ payoutId }) => `different_transfer ${payoutId}`),
    );
  });

  it("a transfer at an account other than its payout's, but not a payout at an account that is not configured", async () => {
    const here = await paid();
    const elsewhere = await books.settled(10);
    await books.payOut(elsewhere, "completed", { reference: "ref_elsewhere", account: "another bank" });
    await books.database.update(payout).set({ account: "another bank" }).where(eq(payout.id, here.payoutId));
    await books.postAt(14);
    expect(await found()).to.deep.equal([`different_transfer ${here.payoutId}`]);
  });

  it("a payment whose settlements are not fully paid out", async () => {
    const made = await books.settled(10);
    const half = { amount: 50_000_000n, reference: "ref_half" };
    await bank.create({ ...orderAt(made), ...half });
    await books.payOut(made, "completed", half);
    await books.postAt(14);
    expect(await found()).to.deep.equal([`unplanned_payout ${made.id}`]);
  });

  it("payouts that exceed what remains of the settlements, unless they failed", async () => {
    const settled = 100_000_000n;
    const made = await books.settled(10);
    const part = { amount: settled, reference: `${made.id}-1`, part: 1 };
    await bank.create({ ...orderAt(made), reference: "ref_all" });
    await books.payOut(made, "completed", { reference: "ref_all" });
    const open = await books.payOut(made, "created", part);
    await books.postAt(14);
    expect(await found()).to.deep.equal([`unplanned_payout ${made.id}`]);
    await books.becomes(open, "failed");
    await books.post();
    expect(await found()).to.deep.equal([]);
  });
});

it("only one of two replicas stores the result of a scheduled reconciliation, which the metrics report", async () => {
  const registry = new Registry();
  reportLedger(books.database, registry);
  const differences = async () =>
    (await registry.metrics()).split("\n").filter((line) => line.startsWith("ledger_differences"));
  expect(await differences()).to.deep.equal([]);
  const replicas = [1, 2].map(() => createScheduledReconciler(books.context, 0));
  await Promise.all(replicas.map((run) => run()));
  const rows = await books.database.select().from(reconciliation).orderBy(desc(reconciliation.id));
  expect(rows).to.have.length(1);
  expect(rows[0]?.differences).to.include({ unknown_transfer: 1 });
  expect(await differences()).to.include('ledger_differences{kind="unknown_transfer"} 1');
  const text = await registry.metrics();
  expect(text)
    .to.match(/ledger_loss{currency="USDC"} 0/)
    .and.match(/ledger_blocks_behind 4/);
});

describe("an acknowledged difference (S4)", () => {
  const run = () => createScheduledReconciler(books.context, 0)();
  const lastCounts = async () => {
    const [last] = await books.database
      .select()
      .from(reconciliation)
      .orderBy(desc(reconciliation.id))
      .limit(1);
    return last?.differences ?? {};
  };
  const again = async () => {
    await books.database.execute(
      sql`update gateway.reconciliation set created_at = created_at - interval '2 days'`,
    );
    await run();
    return lastCounts();
  };
  const acknowledge = (id: number, by = "Ada", reason = "made before the restore") =>
    ask(
      {
        ...{ database: books.database, offRamps: async () => books.context.offRamps },
        ...{ feeBearer: "merchant", chain: async () => books.context },
      },
      CONTROLLED,
      "acknowledge",
      {
        ...{ subject: String(id), arguments: { reason }, by },
      },
    );

  it("no longer alerts, stays in the report, and alerts again when it changes", async () => {
    const made = await books.settled(10);
    const { providerId } = await bank.create({
      ...orderAt(made, "slow_restored"),
      reference: "ref_before_restore",
    });
    const before = (await again()).unknown_transfer ?? 0;
    const known = async () =>
      (await listDifferences(books.database)).filter(({ about }) => about === providerId);
    const [difference] = await known();
    expect(difference).to.include({ kind: "unknown_transfer", amount: 100_000_000n, acknowledgedBy: null });
    expect(await acknowledge(difference?.id ?? 0)).to.include({ waits: false });
    expect((await again()).unknown_transfer ?? 0).to.equal(before - 1);
    expect(await said()).to.include(`unknown_transfer: ${difference?.says}`);
    expect(await known()).to.have.length(1);
    const registry = new Registry();
    reportLedger(books.database, registry);
    expect(await registry.metrics()).to.include('ledger_differences_acknowledged{kind="unknown_transfer"} 1');
    await books.database.execute(
      sql`update mock_bank.transfer set outcome = 'canceled' where reference = 'ref_before_restore'`,
    );
    expect((await again()).unknown_transfer ?? 0).to.equal(before);
    expect((await known()).map(({ acknowledgedBy }) => acknowledgedBy)).to.deep.equal([null]);
  });

  it("is recognized by its facts even if the wording changes, and never by its wording alone", async () => {
    const [row] = await books.database.select().from(reconciliationDifference).limit(1);
    if (!row) throw new Error("No difference is stored.");
    const { about, identity, says } = row;
    const kind = row.kind as DiscrepancyKind;
    const [reworded, changed] = await keepDifferences(books.database, [
      { kind, about, identity, says: "The same in other words." },
      { kind, about, identity: `${identity} and more`, says },
    ]);
    expect(reworded?.id).to.equal(row.id);
    expect(changed?.id).not.to.equal(row.id);
    await again();
  });

  it("requires a reason, an existing difference and, above the limit, a second person", async () => {
    await writeControl(books.database, "approval", "99", "Ada");
    const [open] = await listDifferences(books.database);
    expect(await acknowledge(open?.id ?? 0)).to.include({ waits: true });
    await writeControl(books.database, "approval", undefined, "Ada");
    const unexplained = await acknowledge(open?.id ?? 0, "Ada", " ").catch((error: Error) => error.message);
    expect(unexplained).to.include("--reason must explain why");
    const refusal = await acknowledge(999_999).catch((error: Error) => error.message);
    expect(refusal).to.include("No such difference: '999999'");
  });
});

describe("reconciling on schedule", () => {
  /** Backdates all stored reconciliations by this interval. */
  const age = (interval: string) =>
    books.database.execute(
      sql`update gateway.reconciliation set created_at = created_at - ${interval}::interval`,
    );
  const rows = () => books.database.select().from(reconciliation).orderBy(desc(reconciliation.id));

  it("is retried soon after a failure, not only when the next run is due", async () => {
    await age("1 hour");
    const before = (await rows()).length;
    const run = createScheduledReconciler(books.context, 0, 50);
    const offRamps = books.context.offRamps;
    books.context.offRamps = () => ({
      ...bank,
      // biome-ignore lint/correctness/useYield: a provider that is down
      async *transfers() {
        throw new Error("The provider is down.");
      },
    });
    const errorOf = (work: Promise<void>) =>
      work.then(
        () => "none",
        (error: Error) => error.message,
      );
    expect(await errorOf(run())).to.equal("The provider is down.");
    expect(await errorOf(run())).to.equal("The provider is down.");
    expect(await rows()).to.have.length(before);
    books.context.offRamps = offRamps;
    await until(async () => (await errorOf(run())) === "none", { what: "Another run", timeoutMs: 5_000 });
    const [last] = await rows();
    expect(await rows()).to.have.length(before + 1);
    expect(last?.differences).not.to.equal(null);
  });

  it("is interrupted at the next page if its process has to stop, and is resumed by another process", async () => {
    await age("1 hour");
    const before = (await rows()).length;
    const stopping = new AbortController();
    const offRamps = books.context.offRamps;
    let listed = 0;
    books.context.offRamps = () => ({
      ...bank,
      // An endless list of transfers.
      async *transfers() {
        const [one] = await Array.fromAsync(bank.transfers({ since }));
        if (!one) throw new Error("The bank has no transfer.");
        for (;;) {
          if (++listed === 1_000) stopping.abort(new Error("Stopped."));
          yield one;
        }
      },
    });
    const said = await createScheduledReconciler(
      books.context,
      0,
    )(stopping.signal).catch((error: Error) => error.message);
    books.context.offRamps = offRamps;
    expect(said).to.equal("Stopped.");
    expect(listed).to.be.below(2_000);
    expect(await rows()).to.have.length(before);
    await createScheduledReconciler(books.context, 0)();
    expect(await rows()).to.have.length(before + 1);
  });

  it("compares everything until there is no difference, then once a day; otherwise only recent changes", async () => {
    const run = () => createScheduledReconciler(books.context, 0)();
    const old = await paid();
    await books.database
      .update(intent)
      .set({
        lastEmittedStatus: "FINAL",
        updatedAt: sql`now() - interval '30 days'`,
      })
      .where(eq(intent.id, old.id));
    await books.chain.change(old.orderId, books.at(10), { updatedAt: 1 });
    await books.database.delete(reconciliation);
    await run();
    expect((await rows())[0]?.full).to.equal(true);
    // The last run found a difference, so the next run is full as well.
    await age("1 hour");
    await run();
    expect((await rows())[0]?.full).to.equal(true);
    await books.database.update(reconciliation).set({ differences: {} });
    await age("1 hour");
    await run();
    expect((await rows())[0]?.full).to.equal(false);
    await books.database.update(payout).set({ state: "failed" }).where(eq(payout.id, old.payoutId));
    const findings = async (more: object) =>
      (await reconcile(books.context, { since, ...more }, 0)).filter(({ says }) =>
        says.includes(old.payoutId),
      );
    expect((await findings({})).map(({ kind }) => kind)).to.include("missing_posting");
    const later = new Date(Date.now() + 60_000).toISOString();
    const sealed = { block: books.at(14), payoutsUpdatedAt: later, transfersSince: later, foreign: {} };
    expect(await findings({ since: new Date(later), sealed })).to.deep.equal([]);
    await books.database.update(reconciliation).set({ differences: {} });
    await age("25 hours");
    await run();
    expect((await rows())[0]?.full).to.equal(true);
  });
});
