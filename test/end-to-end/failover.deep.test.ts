// A database fails over to a lagging standby that lacks the latest transactions, although the chain has them.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { eq, sql } from "drizzle-orm";
import { hexText } from "#core/db/as-text.ts";
import { connect, type Database } from "#core/db/client.ts";
import { intent } from "#core/db/schema/intents.ts";
import { ledgerBalance, ledgerPosting } from "#core/db/schema/ledger.ts";
import { signer, transaction, transactionAttempt, transactionOrder } from "#core/db/schema/transactions.ts";
import { type IntentId, orderIdOfIntent } from "#core/ids.ts";
import { until } from "#scripts/shared/wait.ts";
import { Client, type Intent } from "#test/api/support/client.ts";
import { loadTerms, payDirectly } from "#test/api/support/direct-payment.ts";
import { confirm, create, createChainClient, fund, GOOD, untilStatus } from "#test/api/support/payments.ts";
import { runScript } from "#test/support/run-script.ts";
import { type Stack, startStack } from "#test/support/stack.ts";

let stack: Stack;
let lost: Awaited<ReturnType<typeof loseNonces>>;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack?.stop());

async function withDatabase<T>(work: (database: Database) => Promise<T>): Promise<T> {
  const database = connect(stack.databaseUrl, { max: 1, application: "failover" });
  try {
    return await work(database);
  } finally {
    await database.$client.end();
  }
}

/** Returns the operator's transactions by nonce, each with its orders. */
const listOrders = () =>
  withDatabase((database) =>
    database
      .select({
        nonce: transaction.nonce,
        orderId: transactionOrder.orderId,
        purpose: transactionOrder.purpose,
      })
      .from(transactionOrder)
      .innerJoin(transaction, eq(transaction.id, transactionOrder.transactionId)),
  );

/** Deletes the transactions and their postings while the roles are running. @returns the lost transactions */
async function loseNonces() {
  const lost = await listOrders();
  await withDatabase((database) =>
    database.transaction(async (tx) => {
      await tx.execute(sql`set local session_replication_role = replica`);
      await tx.delete(ledgerPosting).where(eq(ledgerPosting.kind, "network_fee"));
      await tx.delete(ledgerBalance).where(eq(ledgerBalance.currency, "ETH"));
      await tx.delete(transactionAttempt);
      await tx.delete(transactionOrder);
      await tx.delete(transaction);
      await tx.update(signer).set({ nextNonce: 0 });
    }),
  );
  return lost;
}

/** Deletes everything that the API stored for an unfunded payment, including the response to its request. */
const loseCreation = (id: string, key: string) =>
  withDatabase((database) =>
    database.transaction(async (tx) => {
      const bytes = sql.param(id, intent.id);
      await tx.execute(sql`set local session_replication_role = replica`);
      await tx.execute(sql`delete from gateway.work_item where order_id = ${bytes}`);
      await tx.execute(sql`delete from gateway.event where intent_id = ${bytes}`);
      await tx.execute(sql`delete from gateway.idempotency_key where key = ${key}`);
      await tx.execute(sql`delete from gateway.intent where id = ${bytes}`);
    }),
  );

const recover = (...args: string[]) =>
  runScript("ops.ts", ["recover", "--days", "1", ...args], stack.environment);

/**
 * Returns the wei spent on the operator's transactions by order, according to the receipts; null if one is not yet in a
 * block.
 */
async function sumFees(): Promise<Map<string, bigint> | null> {
  const chain = createChainClient(stack.rpcUrl);
  const rows = await withDatabase((database) =>
    database
      .select({
        hash: transaction.minedHash,
        orders: sql<string[]>`array_agg(${hexText(transactionOrder.orderId)})`,
      })
      .from(transaction)
      .innerJoin(transactionOrder, eq(transaction.id, transactionOrder.transactionId))
      .groupBy(transaction.id),
  );
  const fees = new Map<string, bigint>();
  for (const { hash, orders } of rows) {
    if (!hash) return null;
    const { gasUsed, effectiveGasPrice } = await chain.getTransactionReceipt({ hash });
    const [orderId = "", ...others] = orders;
    expect(others).to.deep.equal([]);
    fees.set(orderId, (fees.get(orderId) ?? 0n) + gasUsed * effectiveGasPrice);
  }
  return fees;
}

const postedFees = () =>
  withDatabase(async (database) => {
    const rows = await database
      .select({
        id: ledgerPosting.intentId,
        amount: sql<string>`sum(case when reversed then -amount else amount end)`,
      })
      .from(ledgerPosting)
      .where(eq(ledgerPosting.kind, "network_fee"))
      .groupBy(ledgerPosting.intentId);
    return new Map(rows.map(({ id, amount }) => [orderIdOfIntent(id), BigInt(amount)]));
  });

describe("after a failover that lost the last nonces", () => {
  it("every payment that is confirmed succeeds", async () => {
    const client = new Client(stack.baseUrl, stack.merchants[0]?.apiKey);
    await Promise.all(Array.from({ length: 5 }, () => fund(client)));
    lost = await loseNonces();
    expect(lost).to.have.length(5);
    const intents = await Promise.all(Array.from({ length: 20 }, () => create(client)));
    const confirmed = await Promise.all(intents.map((intent) => confirm(client, intent)));
    expect(new Set(confirmed.map(({ status }) => status))).to.deep.equal(new Set(["PROCESSING"]));
    for (const { id } of intents) {
      const ended = await untilStatus(client, id, "SUCCEEDED", "REQUIRES_ACTION");
      expect(ended.status).to.equal("SUCCEEDED");
    }
  });

  it("the recovery stores the transactions that the chain has, and ends with a clean reconciliation (D9)", async () => {
    const proposed = await recover("--json");
    expect(proposed.errors).to.equal("");
    const { repairs } = JSON.parse(proposed.output) as { repairs: { kind: string }[] };
    expect(repairs.length).to.be.at.least(1);
    expect(new Set(repairs.map(({ kind }) => kind))).to.deep.equal(new Set(["transaction_lost"]));
    const { output, errors, exitCode } = await recover(
      ...["--json", "--apply", "--by", "Ada", "--reason", "failover"],
    );
    expect({ errors, exitCode }, output).to.deep.equal({ errors: "", exitCode: 0 });
    expect(JSON.parse(output)).to.deep.include({ left: [], differences: [], waiting: [] });
    expect((JSON.parse((await recover("--json")).output) as { repairs: object[] }).repairs).to.deep.equal([]);
    expect(await listOrders()).to.deep.include.members(lost);
  });

  it("the cost of the restored transactions is posted to their payments, to the wei", async () => {
    const isPosted = async () => {
      const [posted, sent] = [await postedFees(), await sumFees()];
      return lost.every(({ orderId }) => sent?.has(orderId)) && Bun.deepEquals(posted, sent);
    };
    await until(isPosted, { what: "The fee of every payment", timeoutMs: 20_000 });
  });

  it("a payment that nobody had funded is created again by repeating its request, under a different id (D9)", async () => {
    const client = new Client(stack.baseUrl, stack.merchants[0]?.apiKey);
    const key = { "Idempotency-Key": randomUUID() };
    const request = () => client.post<Intent>("/payment-intents", GOOD, key);
    const { body: first } = await request();
    const terms = await loadTerms(stack.databaseUrl, first.id);
    await loseCreation(first.id, key["Idempotency-Key"]);
    expect((await client.get(`/payment-intents/${first.id}`)).status).to.equal(404);
    expect((await recover()).output).to.include("payments that were never funded are not included");
    const again = await request();
    expect(again.status).to.equal(200);
    expect(again.body.id).not.to.equal(first.id);

    // Anyone who has the terms, for example from an open payment page, may fund the order until its funding deadline.
    await payDirectly(stack, terms);
    const isFound = async () => {
      const { output } = await recover("--json");
      const { repairs } = JSON.parse(output) as { repairs: { kind: string; about: string }[] };
      return repairs.some(({ about }) => about === orderIdOfIntent(first.id as IntentId));
    };
    await until(isFound, { what: "The order without a payment", timeoutMs: 20_000 });
    const applied = await recover("--apply", "--by", "Ada", "--reason", "failover");
    expect(applied.output).to.include("order_without_intent");
    expect(
      (await client.get<Intent>(`/payment-intents/${first.id}`)).body.data.settlementDestination,
    ).not.to.equal(GOOD.settlementDestination);
  });
});
