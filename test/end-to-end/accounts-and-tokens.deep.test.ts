// A fourth token and a second provider account, added only by configuration. Covers payments from their creation
// through the API to their payout by the right account, while one account is drained and removed.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { Client as Sql } from "pg";
import { type Address, getContractAddress } from "viem";
import { generatePrivateKey, privateKeyToAddress } from "viem/accounts";
import { deliveryVsPaymentAbi } from "#core/chain/abi/delivery-vs-payment.ts";
import { committedArtifacts, compiledArtifact } from "#scripts/devnet/compiled.ts";
import { localChainClient } from "#scripts/devnet/deploy.ts";
import { firstAccount as owner } from "#scripts/devnet/hardhat-chain.ts";
import { type SimulatedProvider, startProvider } from "#scripts/provider/provider.ts";
import { until } from "#scripts/shared/wait.ts";
import { Client } from "#test/api/support/client.ts";
import { create, fund, GOOD, prove, untilStatus } from "#test/api/support/payments.ts";
import { runScript } from "#test/support/run-script.ts";
import { type Stack, startStack } from "#test/support/stack.ts";

const EURX = { amount: "25.00", currency: "EURX", autoRelease: true } as const;
const BANK = { settlementMethod: "OFF_RAMP_TO_BANK", settlementDestination: "bank_account_123" } as const;
/** Long enough to request the account's removal while the return window is open. */
const RETURN_WINDOW_S = "20";
const wallet = privateKeyToAddress(generatePrivateKey());

let stack: Stack;
let second: SimulatedProvider;
let client: Client;
let sql: Sql;

/** Records a change with two people: one requests it, the other approves it. */
async function recordChange(): Promise<void> {
  const migrate = async (...options: string[]) => {
    const { exitCode, errors, output } = await runScript("migrate.ts", options, stack.environment);
    expect(exitCode, errors).to.equal(0);
    return output;
  };
  const asked = await migrate("--change", "--by", "ann", "--reason", "a fourth token, a second account");
  const [, operation = ""] = /--approve (\d+)/.exec(asked) ?? [];
  await migrate("--approve", operation, "--by", "bob");
}

/** Deploys another token, with a different symbol on chain. The contract's owner lists it. */
async function deployToken(): Promise<Address> {
  const chain = localChainClient(stack.rpcUrl, owner);
  const { abi, bytecode } = committedArtifacts()?.["tokens/USDC"] ?? compiledArtifact("tokens/USDC");
  const nonce = await chain.getTransactionCount({ address: owner.address });
  const address = getContractAddress({ from: owner.address, nonce: BigInt(nonce) });
  const escrow = stack.contractAddress;
  const sent = [
    await chain.deployContract({ abi, bytecode, args: [], account: owner, nonce }),
    await chain.writeContract({
      ...{ address, abi, functionName: "setEscrow", args: [escrow], account: owner, nonce: nonce + 1 },
    }),
    await chain.writeContract({
      ...{ address: escrow, abi: deliveryVsPaymentAbi, functionName: "setTokenListed", account: owner },
      ...{ args: [address, true], nonce: nonce + 2 },
    }),
  ];
  for (const hash of sent) {
    expect((await chain.waitForTransactionReceipt({ hash })).status).to.equal("success");
  }
  return address;
}

const accounts = (...args: string[]) => runScript("accounts.ts", args, stack.environment);

/** Removes an account: one person requests it as soon as no payout is open, and another approves it. */
async function removeAccount(account: string): Promise<void> {
  const asked = await until(
    async () => {
      const { exitCode, output, errors } = await accounts("remove", account, "--by", "ann");
      if (exitCode === 0) return output;
      expect(errors).to.include("still has open payouts");
      return null;
    },
    { what: "The end of the account's return windows", timeoutMs: 60_000 },
  );
  const [, operation = ""] = /approve (\d+)/.exec(asked) ?? [];
  const approved = await runScript("ops.ts", ["approve", operation, "--by", "bob"], stack.environment);
  expect(approved.exitCode, approved.errors).to.equal(0);
  const { output } = await accounts("list");
  expect(output.split("\n").find((line) => line.includes(account))).to.include("removed");
}

async function payoutOf(intentId: string) {
  const { rows } = await sql.query<{ account: string; wallet: string; state: string; reference: string }>(
    "select account, wallet, state, reference from gateway.payout where intent_id = decode(substr($1, 8), 'hex')",
    [intentId],
  );
  return rows[0];
}

const payoutIn = (intentId: string, state: string) =>
  until(
    async () => {
      const row = await payoutOf(intentId);
      return row?.state === state ? row : null;
    },
    { what: `The payout being ${state}`, timeoutMs: 60_000 },
  );

describe("with a fourth token and a second account", () => {
  beforeAll(async () => {
    stack = await startStack({ roles: [], env: { RETURN_WINDOW: RETURN_WINDOW_S } });
    second = startProvider({
      ...{ webhookUrl: "http://127.0.0.1:1", walletAddress: wallet, account: "second" },
      ...{ minMs: 100, maxMs: 200 },
    });
    const { OFF_RAMP_API_URL: url, OFF_RAMP_API_KEY: apiKey, ...ids } = second.environment;
    const tokens = { ...stack.tokens, EURX: { address: await deployToken(), decimals: 6, symbol: "USDC" } };
    stack.environment.TOKENS = JSON.stringify(tokens);
    stack.environment.OFF_RAMP_ACCOUNTS = JSON.stringify([
      {
        ...{ url, apiKey, customerId: ids.OFF_RAMP_CUSTOMER_ID, webhookKey: ids.OFF_RAMP_WEBHOOK_KEY },
        ...{ methods: ["OFF_RAMP_TO_BANK"], currencies: ["EURX", "USDC"], maximum: "500.00" },
        wallets: [{ id: ids.OFF_RAMP_WALLET_ID, address: wallet }],
      },
    ]);
    stack.environment.RPC_URL = stack.rpcUrl;
    await recordChange();
    await Promise.all((["indexer", "api", "settlement"] as const).map((role) => stack.restart(role)));
    client = new Client(stack.baseUrl, stack.merchants[0]?.apiKey);
    sql = new Sql({ connectionString: stack.databaseUrl });
    await sql.connect();
  }, 120_000);
  afterAll(async () => {
    await sql?.end();
    await Promise.all([second?.stop(), stack?.stop()]);
  });

  it("payments routed before the drain are paid out through the first account, and the rest through the second", async () => {
    const unknown = await client.post<{ error: { param: string; message: string } }>("/payment-intents", {
      ...{ ...GOOD, currency: "ABCD" },
    });
    expect(unknown.status).to.equal(400);
    expect(unknown.body.error.param).to.equal("currency");
    expect(unknown.body.error.message).to.include("EURX");

    const slow = { ...EURX, ...BANK, settlementDestination: "slow_account" };
    const before = await fund(client, slow);
    expect((await prove(client, before.id)).status).to.equal(200);
    const open = await payoutIn(before.id, "submitted");
    const drained = await accounts("drain", open.account, "--by", "ann");
    expect(drained.exitCode, drained.errors).to.equal(0);
    const refused = await accounts("remove", open.account, "--by", "ann");
    expect(refused.exitCode, "an answer of it is open").to.equal(1);
    expect(refused.errors).to.include("still has open payouts");

    // Settlement and API react within two seconds. Payments created after that belong to the second account.
    const after = await until(
      async () => {
        const made = await create(client, { ...EURX, ...BANK });
        const { rows } = await sql.query<{ off_ramp: string }>(
          "select '0x' || encode(substring(terms from 133 for 20), 'hex') as off_ramp from gateway.intent where id = decode(substr($1, 8), 'hex')",
          [made.id],
        );
        return rows[0]?.off_ramp?.toLowerCase() === wallet.toLowerCase() ? made : null;
      },
      { what: "A payment of the second account", timeoutMs: 20_000 },
    );
    expect(after.status).to.equal("INITIATED");
    const paid = await fund(client, { ...EURX, ...BANK });
    expect((await prove(client, paid.id)).status).to.equal(200);
    const [first, other] = [await payoutIn(before.id, "completed"), await payoutIn(paid.id, "completed")];
    expect(first.account).to.equal(open.account);
    expect(other.account).not.to.equal(open.account);
    expect(other.wallet).to.equal(second.environment.OFF_RAMP_WALLET_ID);
    for (const { id } of [before, paid]) await untilStatus(client, id, "SETTLED", "FINAL");
    expect(stack.provider.paid().get(first.reference)).to.equal(1);
    expect(second.paid().get(other.reference)).to.equal(1);
    expect(second.paid().get(first.reference)).to.equal(undefined);
    await removeAccount(open.account);
    const { exitCode, output } = await runScript("reconcile.ts", [], stack.environment);
    expect(exitCode, output).to.equal(0);
  }, 240_000);
});
