// What a payer can do from the page while the gateway's workers are stopped: close an expired dispute, and claim a
// refund that the token refused to deliver. This file starts its own chain so that it can change the time and the
// token.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import type { Browser } from "playwright-core";
import { setGasBalances } from "#scripts/devnet/deploy.ts";
import { Client } from "../api/support/client.ts";
import { actOnChain, firstMerchant, readUsdcBalance } from "../api/support/escrow.ts";
import { createChainClient, fund, type LocalChain } from "../api/support/payments.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { startBrowser } from "./support/chromium.ts";
import { type Payer, payerOf, walletOf } from "./support/payer.ts";
import type { TestWallet } from "./support/wallet.ts";

/** The shortest dispute window of a test payment. */
const WINDOW_S = 60n;

let stack: Stack;
let client: Client;
let chain: LocalChain;
let browser: Browser;

beforeAll(async () => {
  [stack, browser] = await Promise.all([startStack({ roles: ["indexer", "api"] }), startBrowser()]);
  client = new Client(stack.baseUrl, stack.merchants[0]?.apiKey);
  chain = createChainClient(stack.rpcUrl);
});
afterAll(async () => {
  await browser?.close();
  await stack?.stop();
});

type Scene = { payer: Payer; wallet: TestWallet; id: string };

/** Opens the page of a funded payment of 100 with the wallet that paid it. */
async function paid(): Promise<Scene> {
  const wallet = walletOf(stack);
  await setGasBalances(stack.rpcUrl, [wallet.account.address]);
  const { id } = await fund(client, {}, wallet.account);
  const payer = await payerOf(browser, stack, { id }, { wallets: [wallet], viewport: "phone" });
  await payer.connect();
  return { payer, wallet, id };
}

/** Advances the chain's clock, and sets the pages' clocks to the same time. */
async function pass(seconds: number, payers: Payer[]): Promise<void> {
  await chain.increaseTime({ seconds });
  await chain.mine({ blocks: 1 });
  const { timestamp } = await chain.getBlock();
  await Promise.all(payers.map(({ page }) => page.clock.setFixedTime(Number(timestamp) * 1000)));
}

/** Checks the page on a phone in light and dark mode. */
async function expectSoundByDayAndNight(payer: Payer, name: string): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await payer.page.emulateMedia({ colorScheme });
    await payer.expectSound();
    await payer.screenshot(`${name}-phone-${colorScheme}`);
  }
}

describe("a dispute that expires undecided", () => {
  it("is closed by the payer: the payer's dispute returns the money; the merchant's resumes the payment, and the payer can still dispute", async () => {
    const [own, other] = await Promise.all([paid(), paid()]);
    await actOnChain(stack, own.wallet.account, own.id, "raiseDispute", WINDOW_S, "One chair is missing");
    await actOnChain(stack, firstMerchant(stack), other.id, "raiseDispute", WINDOW_S, "Not paid in full");
    for (const { payer } of [own, other]) {
      await payer.sees("Disputed – money on hold");
      expect(await payer.page.getByRole("button", { name: "End the dispute" }).count()).to.equal(0);
    }
    await pass(Number(WINDOW_S) + 1, [own.payer, other.payer]);

    await own.payer.sees("Disputed – not decided in time");
    await own.payer.click("End the dispute");
    await own.payer.page.locator("form").getByText("100.00 USDC will then be returned to you").waitFor();
    await expectSoundByDayAndNight(own.payer, "end-dispute");
    await own.payer.click("End it now");
    await own.payer.sees("Refunded to you");
    expect(await readUsdcBalance(stack, own.wallet.account.address)).to.equal(100_000_000n);

    await other.payer.click("End the dispute");
    await other.payer.page.locator("form").getByText("The payment will then continue as before").waitFor();
    await other.payer.click("End it now");
    await other.payer.reads("The dispute ended without a decision, and the payment continues.");
    await other.payer.page.getByRole("button", { name: "Raise a dispute" }).waitFor();
    expect(await readUsdcBalance(stack, other.wallet.account.address)).to.equal(0n);
    await Promise.all([own.payer.leave(), other.payer.leave()]);
  });
});

describe("a refund that the token refuses to deliver", () => {
  it("is shown as a credit, which the account that paid can claim once", async () => {
    const { payer, wallet, id } = await paid();
    const address = stack.tokens.USDC;
    const bytecode = await chain.getCode({ address });
    await chain.setCode({ address, bytecode: "0x" });
    await actOnChain(stack, firstMerchant(stack), id, "refund", 100_000_000n);
    await chain.setCode({ address, bytecode: bytecode ?? "0x" });
    await payer.sees("Refunded – claim it below");
    await payer.reads("The token rejected the transfer of 100.00 USDC to the account that paid");
    await payer.click("Claim your refund");
    await payer.reads("the contract holds 100.00 USDC for this account");
    await expectSoundByDayAndNight(payer, "credit");
    await payer.click("Claim it");
    await payer.sees("Refunded to you");
    expect(await payer.page.getByRole("button", { name: "Claim your refund" }).count()).to.equal(0);
    expect(await readUsdcBalance(stack, wallet.account.address)).to.equal(100_000_000n);
    await payer.leave();
  });
});
