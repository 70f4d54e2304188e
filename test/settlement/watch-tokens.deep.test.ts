// The effects of an issuer's restrictions on the escrow: the guardian delists the token in the next block and never
// relists it. The resulting credits and shortfalls are in the ledger.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { eq } from "drizzle-orm";
import { type Address, erc20Abi, type Hex } from "viem";
import { generatePrivateKey, privateKeyToAddress } from "viem/accounts";
import { deliveryVsPaymentAbi } from "#core/chain/abi/delivery-vs-payment.ts";
import { connect, type Database } from "#core/db/client.ts";
import { deployment } from "#core/db/schema/deployments.ts";
import { CURRENCIES, type LocalCurrency } from "#core/money.ts";
import { faucet, setGasBalances } from "#scripts/devnet/deploy.ts";
import { firstAccount } from "#scripts/devnet/hardhat-chain.ts";
import { freePort } from "#scripts/devnet/ports.ts";
import { type Environment, startRoleProcess } from "#scripts/devnet/roles.ts";
import { answers, until } from "#scripts/shared/wait.ts";
import { Client, type ErrorBody } from "#test/api/support/client.ts";
import {
  create,
  createChainClient,
  fund,
  GOOD,
  type LocalChain,
  mineEvery,
  newPayer,
  untilStatus,
} from "#test/api/support/payments.ts";
import { expectError } from "#test/api/support/shapes.ts";
import { DEEP } from "#test/support/deep.ts";
import { runScript } from "#test/support/run-script.ts";
import { type Stack, startStack } from "#test/support/stack.ts";
import { actAsIssuer, type IssuerAction } from "./support/issuers.ts";

const BLOCK_MS = 400;
const TIMEOUT_MS = 60_000;

let stack: Stack;
let chain: LocalChain;
let client: Client;
let database: Database;

beforeAll(async () => {
  stack = await startStack({ blockIntervalMs: BLOCK_MS, env: { RECONCILE_INTERVAL: "4" } });
  chain = createChainClient(stack.rpcUrl);
  client = new Client(stack.baseUrl, stack.merchants[0]?.apiKey);
  database = connect(stack.databaseUrl, { application: "test", max: 2 });
});
afterAll(async () => {
  await database?.$client.end();
  await stack?.stop();
});

const escrow = () => ({ address: stack.contractAddress, abi: deliveryVsPaymentAbi }) as const;
const issue = (currency: LocalCurrency, action: IssuerAction) =>
  actAsIssuer(stack.rpcUrl, stack.tokens[currency], action);

const isListed = (currency: LocalCurrency) =>
  chain.readContract({ ...escrow(), functionName: "isTokenListed", args: [stack.tokens[currency]] });

/** Lists a token as the contract's owner. @returns the block of the transaction */
async function list(currency: LocalCurrency): Promise<bigint> {
  const args = [stack.tokens[currency], true] as const;
  const call = { ...escrow(), functionName: "setTokenListed", args, account: firstAccount } as const;
  const { blockNumber } = await chain.waitForTransactionReceipt({ hash: await chain.writeContract(call) });
  return blockNumber;
}

/** Returns the blocks in which the contract delisted a token. */
async function delistings(currency: LocalCurrency, fromBlock: bigint): Promise<bigint[]> {
  const args = { token: stack.tokens[currency] };
  const events = await chain.getContractEvents({ ...escrow(), eventName: "TokenListed", args, fromBlock });
  return events.filter(({ args: { listed } }) => listed === false).map(({ blockNumber }) => blockNumber);
}

const untilDelisted = (currency: LocalCurrency, fromBlock: bigint): Promise<bigint> =>
  until(async () => (await delistings(currency, fromBlock))[0] ?? null, {
    what: `The de-listing of ${currency}`,
    timeoutMs: TIMEOUT_MS,
  });

/** Restores the token, and waits until the settlement role has found it unrestricted in a block. */
async function untilSeenFree(currency: LocalCurrency, restore: () => Promise<unknown>): Promise<void> {
  const log = join(stack.logs, "settlement.log");
  const count = () =>
    readFileSync(log, "utf8")
      .split("\n")
      .filter((line) => line.includes(`"subject":"token ${currency}"`) && line.includes("problem resolved"))
      .length;
  const before = count();
  await restore();
  await until(() => count() > before, { what: "The end of the restriction", timeoutMs: TIMEOUT_MS });
}

const guardian = () => privateKeyToAddress(stack.environment.GUARDIAN_KEY as Hex);

/** Starts a settlement process in place of the stack's own. */
async function startAlone(name: string, changes: Environment) {
  const port = await freePort();
  const ports = { SETTLEMENT_PORT: String(port), WEBHOOK_PORT: String(await freePort()) };
  const file = join(stack.logs, `settlement-${name}.log`);
  const child = await startRoleProcess("settlement", { ...stack.environment, ...ports, ...changes }, file);
  return { child, said: () => readFileSync(file, "utf8"), origin: `http://127.0.0.1:${port}` };
}

async function metricsAt(origin: string): Promise<string> {
  return (await fetch(`${origin}/metrics`)).text();
}

type Restriction = [string, LocalCurrency, () => IssuerAction, () => IssuerAction];

/** Every run tests the first restriction; `npm run test:deep` tests all of them. */
const RESTRICTIONS = [
  [
    "USDT blacklists the escrow",
    "USDT",
    () => ["addBlackList", stack.contractAddress],
    () => ["removeBlackList", stack.contractAddress],
  ],
  ["USDC is paused", "USDC", () => ["pause"], () => ["unpause"]],
  ["USDT switches its fee on", "USDT", () => ["setParams", 10n, 5n], () => ["setParams", 0n, 0n]],
] satisfies Restriction[];

describe("a token that its issuer restricts", () => {
  it.each(DEEP ? RESTRICTIONS : RESTRICTIONS.slice(0, 1))(
    "is delisted with the next block, permanently and without affecting others: %s",
    async (_, currency, restrict, restore) => {
      // Without interval mining, the next block can only contain the reaction to the restriction.
      await mineEvery(chain, 0);
      const restrictedIn = await issue(currency, restrict());
      const delistedIn = await untilDelisted(currency, restrictedIn);
      await mineEvery(chain, BLOCK_MS);
      expect(delistedIn).to.equal(restrictedIn + 1n);
      for (const other of CURRENCIES) expect(await isListed(other), other).to.equal(other !== currency);

      await untilSeenFree(currency, () => issue(currency, restore()));
      const head = await chain.getBlockNumber({ cacheTime: 0 });
      await until(async () => (await chain.getBlockNumber({ cacheTime: 0 })) > head + 2n, {
        what: "Three blocks",
        timeoutMs: TIMEOUT_MS,
      });
      expect(await isListed(currency)).to.equal(false);
      expect(await delistings(currency, restrictedIn)).to.have.length(1);

      await list(currency);
    },
  );

  it("is rejected for new payments, and reported to payers of open ones; other tokens are unaffected", async () => {
    const { id } = await create(client, { currency: "USDT" });
    type Shown = { data: { tokenListed: boolean } };
    const shown = async () => (await client.get<Shown>(`/payment-intents/public/${id}/checkout`)).body.data;
    expect(await shown()).to.include({ tokenListed: true });
    const restrictedIn = await issue("USDT", ["pause"]);
    await untilDelisted("USDT", restrictedIn);
    await untilSeenFree("USDT", () => issue("USDT", ["unpause"]));
    const refused = await until(
      async () => {
        const answer = await client.post<ErrorBody>("/payment-intents", { ...GOOD, currency: "USDT" });
        return answer.status === 400 ? answer : null;
      },
      { what: "A refusal of the currency", timeoutMs: TIMEOUT_MS },
    );
    expectError(refused, 400, "invalid_request", "currency");
    expect(await shown()).to.include({ tokenListed: false });
    await create(client, { currency: "DAI" });
    await list("USDT");
    const accepts = async () =>
      (await client.post("/payment-intents", { ...GOOD, currency: "USDT" })).status === 200;
    await until(accepts, { what: "New payments in USDT", timeoutMs: TIMEOUT_MS });
  });

  it.skipIf(!DEEP)(
    "stays listed without a guardian's key: metric and log report it, the log once",
    async () => {
      await stack.kill("settlement");
      const alone = await startAlone("without-guardian", { GUARDIAN_KEY: "" });
      try {
        await until(() => answers(`${alone.origin}/ready`), { what: "The role", timeoutMs: TIMEOUT_MS });
        expect(await metricsAt(alone.origin)).to.include('token_restricted{token="USDC",kind="paused"} 0');
        const paused = await issue("USDC", ["pause"]);
        await until(
          async () =>
            (await chain.getBlockNumber({ cacheTime: 0 })) > paused + 3n &&
            alone.said().includes("USDC is restricted"),
          { what: "Blocks after the pause", timeoutMs: TIMEOUT_MS },
        );
        const text = await metricsAt(alone.origin);
        expect(text).to.include('token_restricted{token="USDC",kind="paused"} 1');
        expect(text).to.include('token_restricted{token="USDT",kind="paused"} 0');
        expect(text).to.match(/^guardian_transactions_left Nan$/im);
        expect(
          alone.said().split("USDC is restricted: the token is paused. GUARDIAN_KEY is not set"),
        ).to.have.length(2);
        expect(await isListed("USDC")).to.equal(true);
      } finally {
        await alone.child.stop();
      }
      // A guardian that is configured later finds the restriction.
      const head = await chain.getBlockNumber({ cacheTime: 0 });
      await stack.restart("settlement");
      await untilDelisted("USDC", head);
      expect(await metricsAt(`http://127.0.0.1:${stack.environment.SETTLEMENT_PORT}`)).to.match(
        /^guardian_transactions_left [1-9]\d+/m,
      );
      await untilSeenFree("USDC", () => issue("USDC", ["unpause"]));
      await list("USDC");
    },
  );

  it.skipIf(!DEEP)(
    "cannot be delisted by a guardian unknown to the contract: its process refuses to start",
    async () => {
      const key = generatePrivateKey();
      const { child, said } = await startAlone("another-guardian", { GUARDIAN_KEY: key });
      expect(await child.exited).to.equal("exit code 1");
      expect(said()).to.include(privateKeyToAddress(key)).and.include(guardian()).and.not.include(key);
    },
  );
});

/** Returns the output of `npm run reconcile` once the ledger has reached a block. */
async function reconcileAt(block: bigint) {
  await until(
    async () => {
      const [row] = await database.select().from(deployment).where(eq(deployment.current, true));
      return (row?.ledgerBlock ?? 0) >= block;
    },
    { what: `Block ${block} in the ledger`, timeoutMs: TIMEOUT_MS },
  );
  return runScript("reconcile.ts", [], stack.environment);
}

const balanceOf = (token: Address, account: Address) =>
  chain.readContract({ address: token, abi: erc20Abi, functionName: "balanceOf", args: [account] });

const latest = () => chain.getBlockNumber({ cacheTime: 0 });

describe("a payer blacklisted by USDC", () => {
  it.skipIf(!DEEP)(
    "gets a refund as a credit, which cannot be claimed until the blacklist entry is removed",
    async () => {
      const payer = newPayer();
      const amount = 100_000_000n;
      const credited = {
        ...escrow(),
        functionName: "creditOf",
        args: [payer.address, stack.tokens.USDC],
      } as const;
      const { id } = await fund(client, { currency: "USDC" }, payer);
      const before = await reconcileAt(await latest());
      expect(before.exitCode, before.output).to.equal(0);

      await issue("USDC", ["blacklist", payer.address]);
      const refunded = await client.post(`/payment-intents/${id}/escrow/refund`, {});
      expect(refunded.status, JSON.stringify(refunded.body)).to.equal(200);
      await untilStatus(client, id, "CANCELED");
      expect(await chain.readContract(credited)).to.equal(amount);
      type Shown = { data: { order: { credit: string } } };
      const { body } = await client.get<Shown>(`/payment-intents/public/${id}/checkout`);
      expect(body.data.order.credit).to.equal("100.00");
      const after = await reconcileAt(await latest());
      expect(after.exitCode, after.output).to.equal(0);

      await setGasBalances(stack.rpcUrl, [payer.address]);
      const claim = {
        ...escrow(),
        functionName: "claimCredit",
        args: [stack.tokens.USDC],
        account: payer,
      } as const;
      const refusal = await chain.simulateContract(claim).catch((error: unknown) => error);
      expect(refusal).to.be.instanceOf(Error);
      await issue("USDC", ["unBlacklist", payer.address]);
      const hash = await chain.writeContract(claim);
      const { blockNumber, status } = await chain.waitForTransactionReceipt({ hash });
      expect(status).to.equal("success");
      expect(await balanceOf(stack.tokens.USDC, payer.address)).to.equal(amount);
      expect(await chain.readContract(credited)).to.equal(0n);
      const claimed = await reconcileAt(blockNumber);
      expect(claimed.exitCode, claimed.output).to.equal(0);
      for (const currency of CURRENCIES) expect(await isListed(currency), currency).to.equal(true);
    },
  );
});

describe("an escrow whose USDT is destroyed by its issuer", () => {
  it.skipIf(!DEEP)(
    "has a shortfall: reconciliation reports the amount, and delists the token although the token itself reports nothing",
    async () => {
      await fund(client, { currency: "USDT", amount: "25.00" });
      const contract = stack.contractAddress;
      const restrictedIn = await issue("USDT", ["addBlackList", contract]);
      await untilDelisted("USDT", restrictedIn);
      const destroyedIn = await issue("USDT", ["destroyBlackFunds", contract]);
      await untilSeenFree("USDT", () => issue("USDT", ["removeBlackList", contract]));
      const listedIn = await list("USDT");
      await untilDelisted("USDT", listedIn);

      const { exitCode, output } = await reconcileAt(destroyedIn);
      expect(exitCode).to.equal(1);
      expect(output).to.match(/contract_shortfall: .* 25\.00 USDT is missing\./);

      // Covers the shortfall, with one unit too many.
      await faucet(stack.rpcUrl, stack.tokens.USDT, contract, 25_000_001n);
      const covered = await reconcileAt(await latest());
      expect(covered.exitCode, covered.output).to.equal(0);
      expect(covered.output).to.match(/contract_surplus: .* 0\.000001 USDT was sent to it without an order/);
    },
  );
});
