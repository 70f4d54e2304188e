// A payer in front of the payment page: from the address alone to the receipt, with a wallet of the browser.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import type { Browser } from "playwright-core";
import { Client, type Intent } from "../api/support/client.ts";
import { create, newPayer, prove, untilStatus } from "../api/support/payments.ts";
import { originOf } from "../api/support/routes.ts";
import { type SharedStack, sharedStack } from "../support/shared-stack.ts";
import { startBrowser } from "./support/chromium.ts";
import { type Looks, type Visitor, visit } from "./support/visitor.ts";
import { TestWallet, type WalletOptions } from "./support/wallet.ts";

let stack: SharedStack;
let client: Client;
let browser: Browser;

beforeAll(async () => {
  [stack, browser] = await Promise.all([sharedStack(), startBrowser()]);
  client = new Client(stack.baseUrl, stack.merchants[0]?.apiKey);
});
afterAll(async () => {
  await browser?.close();
  await stack?.stop();
});

const walletOf = (changes: Partial<WalletOptions> = {}): TestWallet =>
  new TestWallet({ rpcUrl: stack.rpcUrl, chainId: stack.chainId, account: newPayer(), ...changes });

async function open(intent: Intent, wallets: TestWallet[] = [], looks: Looks = {}): Promise<Visitor> {
  const visitor = await visit(browser, originOf(stack), looks);
  for (const wallet of wallets) {
    await wallet.join(visitor.context);
    wallet.tells(visitor.page);
  }
  await visitor.page.goto(intent.data.paymentUrl);
  return visitor;
}

describe("a payer", () => {
  it("pays with a signature from the address alone, and follows it to the receipt", async () => {
    const intent = await create(client, { autoRelease: true, description: "Two oak chairs, order 2041" });
    const wallet = walletOf();
    const visitor = await open(intent, [wallet]);
    const { page } = visitor;
    await page.getByText("100.00").first().waitFor();
    await page.getByRole("button", { name: "Test Wallet" }).click();
    await page.getByRole("button", { name: "Pay 100.00 USDC" }).waitFor();
    await visitor.expectSound();
    await visitor.screenshot("pay-connected-desktop-light");
    await page.getByRole("button", { name: "Pay 100.00 USDC" }).click();
    await page.getByRole("heading", { name: "Paid – your money is in escrow" }).waitFor();
    await visitor.expectSound();
    await visitor.screenshot("pay-locked-desktop-light");
    expect((await prove(client, intent.id)).status).to.equal(200);
    await page.getByRole("heading", { name: "Payment complete" }).waitFor();
    await page.getByRole("button", { name: "Print receipt" }).waitFor();
    await visitor.expectSound();
    await visitor.screenshot("pay-settled-desktop-light");
    const settled = await untilStatus(client, intent.id, "SETTLED");
    expect(settled.data.signerAddress).to.equal(wallet.account.address);
    expect(wallet.count("eth_signTypedData_v4")).to.equal(1);
    expect(wallet.count("eth_sendTransaction")).to.equal(0);
    await visitor.leave();
  });
});
