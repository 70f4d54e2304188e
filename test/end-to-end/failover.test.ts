// A database that fails over to a standby which is behind has forgotten the last transactions, the chain has not.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { connect } from "#core/db/client.ts";
import { signer, transaction, transactionAttempt, transactionOrder } from "#core/db/schema/transactions.ts";
import { Client } from "#test/api/support/client.ts";
import { confirm, create, fund, untilStatus } from "#test/api/support/payments.ts";
import { runScript } from "#test/support/run-script.ts";
import { type Stack, startStack } from "#test/support/stack.ts";

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack?.stop());

/** Beneath the running roles. */
async function loseNonces(): Promise<void> {
  const database = connect(stack.databaseUrl, { max: 1, application: "failover" });
  await database.delete(transactionAttempt);
  await database.delete(transactionOrder);
  await database.delete(transaction);
  await database.update(signer).set({ nextNonce: 0 });
  await database.$client.end();
}

describe("after a failover that lost the last nonces", () => {
  it("every payment that is confirmed succeeds", async () => {
    const client = new Client(stack.baseUrl, stack.merchants[0]?.apiKey);
    await Promise.all(Array.from({ length: 5 }, () => fund(client)));
    await loseNonces();
    const intents = await Promise.all(Array.from({ length: 20 }, () => create(client)));
    const confirmed = await Promise.all(intents.map((intent) => confirm(client, intent)));
    expect(new Set(confirmed.map(({ status }) => status))).to.deep.equal(new Set(["PROCESSING"]));
    for (const { id } of intents) {
      const ended = await untilStatus(client, id, "SUCCEEDED", "REQUIRES_ACTION");
      expect(ended.status).to.equal("SUCCEEDED");
    }
  });

  it("the recovery stores the transactions that the chain has, and ends with a clean reconciliation (D9)", async () => {
    const recover = (...args: string[]) =>
      runScript("ops.ts", ["recover", "--days", "1", "--json", ...args], stack.environment);
    const proposed = await recover();
    expect(proposed.errors).to.equal("");
    const { repairs } = JSON.parse(proposed.output) as { repairs: { kind: string }[] };
    expect(repairs.length).to.be.at.least(1);
    expect(new Set(repairs.map(({ kind }) => kind))).to.deep.equal(new Set(["transaction_lost"]));
    const { output, errors, exitCode } = await recover("--apply", "--by", "Ada", "--reason", "failover");
    expect({ errors, exitCode }, output).to.deep.equal({ errors: "", exitCode: 0 });
    expect(JSON.parse(output)).to.deep.include({ left: [], differences: [], waiting: [] });
    expect((JSON.parse((await recover()).output) as { repairs: object[] }).repairs).to.deep.equal([]);
  });
});
