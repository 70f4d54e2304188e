// A complete payment in a running gateway: its money is in the balance and in the ledger, and `npm run reconcile` finds
// no difference.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { Client as Sql } from "pg";
import { until } from "#scripts/shared/wait.ts";
import { Client } from "#test/api/support/client.ts";
import { fund, prove, untilStatus } from "#test/api/support/payments.ts";
import { runScript } from "#test/support/run-script.ts";
import { type SharedStack, sharedStack } from "#test/support/shared-stack.ts";

type Money = { amount: string; currency: string };
type Balance = Record<"pending" | "inTransit" | "paid" | "fees" | "withdrawn" | "returned", Money[]>;

let stack: SharedStack;
let client: Client;
let sql: Sql;

beforeAll(async () => {
  stack = await sharedStack();
  client = new Client(stack.baseUrl, stack.merchants[0]?.apiKey);
  sql = new Sql({ connectionString: stack.databaseUrl });
  await sql.connect();
});
afterAll(async () => {
  await sql?.end();
  await stack?.stop();
});

const merchantId = () => stack.merchants[0]?.merchantId ?? "";

const balanceOf = async (by: Client): Promise<Balance> => {
  const { status, body } = await by.get<Balance>("/balance");
  expect(status, JSON.stringify(body)).to.equal(200);
  return body;
};

const inUsdc = (part: Money[]) => part.find(({ currency }) => currency === "USDC")?.amount;

describe("after a payment is SETTLED", () => {
  it("the ledger is balanced, the balance shows it, and reconcile finds nothing", async () => {
    const methods = ["OFF_RAMP_MOCK", "OFF_RAMP_TO_BANK"] as const;
    const settled = await Promise.all(
      methods.map((settlementMethod) =>
        fund(client, { autoRelease: true, amount: "15.00", settlementMethod }),
      ),
    );
    for (const { id } of settled) expect((await prove(client, id)).status).to.equal(200);
    await fund(client, { amount: "12.50" });
    for (const { id } of settled) await untilStatus(client, id, "SETTLED", "FINAL");
    const balance = await until(
      async () => {
        const now = await balanceOf(client);
        return inUsdc(now.paid) === "30.00" && inUsdc(now.pending) === "12.50" ? now : null;
      },
      { what: "the balance with both payments", timeoutMs: 20_000 },
    );
    expect(inUsdc(balance.inTransit)).to.equal("0.00");
    expect(balance.returned).to.deep.equal([
      { amount: "0.00", currency: "USDC" },
      { amount: "0.00", currency: "USDT" },
      { amount: "0.00", currency: "DAI" },
    ]);
    const { rows } = await sql.query(
      `select currency, sum(amount)::text as total, array_agg(account order by account) as accounts
      from gateway.ledger_balance where merchant_id = decode(substr($1, 10), 'hex') group by currency order by currency`,
      [merchantId()],
    );
    expect(rows).to.deep.equal([
      { currency: "ETH", total: "0", accounts: ["network", "operator"] },
      { currency: "USDC", total: "0", accounts: ["custody", "in_transit", "paid", "payers"] },
    ]);
    expect(JSON.stringify(balance), "the operator's costs are none of the merchant's").not.to.include("ETH");
    const { output, errors, exitCode } = await runScript(
      "reconcile.ts",
      ["--merchant", merchantId()],
      stack.environment,
    );
    expect(errors).to.equal("");
    expect(output).to.include("No difference");
    expect(exitCode).to.equal(0);
  }, 60_000);

  it("the ledger is invisible to another merchant", async () => {
    const stranger = await balanceOf(new Client(stack.baseUrl, stack.merchants[1]?.apiKey));
    for (const part of ["pending", "inTransit", "paid"] as const) {
      expect(inUsdc(stranger[part])).to.equal("0.00");
    }
    expect((await new Client(stack.baseUrl).get("/balance")).status).to.equal(401);
  });

  it("reconcile reports a difference, and exits with 1", async () => {
    await sql.query(
      `insert into mock_bank.transfer (reference, id, amount, currency, destination, outcome, completes_at)
      values ($1, $1, 5000000, 'USDC', 'somebody', 'completed', now())`,
      [`forged_${merchantId()}`],
    );
    const { output, exitCode } = await runScript("reconcile.ts", ["--json"], stack.environment);
    const { differences } = JSON.parse(output) as {
      differences: { kind: string; about: string; says: string }[];
    };
    expect(exitCode).to.equal(1);
    expect(differences.find(({ about }) => about === `forged_${merchantId()}`)).to.deep.include({
      kind: "unknown_transfer",
    });
    await sql.query("delete from mock_bank.transfer where id = $1", [`forged_${merchantId()}`]);
    expect((await runScript("reconcile.ts", ["--days", "none"], stack.environment)).exitCode).to.equal(2);
    const nobody = await runScript("reconcile.ts", ["--merchant", "nobody"], stack.environment);
    expect(nobody).to.include({ output: "", exitCode: 2 });
    expect(nobody.errors).to.match(/^No such merchant: 'nobody'\. Merchants: .+\.\n$/);
  }, 60_000);
});
