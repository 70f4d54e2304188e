// The payer's rights after funding, which the page exercises directly on the contract.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import type { Browser } from "playwright-core";
import { setGasBalances } from "#scripts/devnet/deploy.ts";
import { inDeep } from "#test/support/deep.ts";
import { Client, type Intent } from "../api/support/client.ts";
import { firstMerchant, post, retrieveEscrow } from "../api/support/escrow.ts";
import { fund, untilStatus } from "../api/support/payments.ts";
import { type SharedStack, sharedStack } from "../support/shared-stack.ts";
import { startBrowser } from "./support/chromium.ts";
import { type Payer, payerOf, walletOf } from "./support/payer.ts";
import type { Visitor } from "./support/visitor.ts";
import type { TestWallet } from "./support/wallet.ts";

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

/** Opens the page of a funded payment with the wallet that paid it. */
async function paid(
  changes: object = {},
  prepare?: (visitor: Visitor) => Promise<void>,
): Promise<{ payer: Payer; wallet: TestWallet; intent: Intent }> {
  const wallet = walletOf(stack);
  await setGasBalances(stack.rpcUrl, [wallet.account.address]);
  const intent = await fund(client, changes, wallet.account);
  const payer = await payerOf(browser, stack, intent, { wallets: [wallet] }, prepare);
  await payer.sees("Your rights as the payer");
  await payer.connect();
  return { payer, wallet, intent };
}

describe("a payer who has paid", () => {
  it("confirms receipt: the money is released, and paid out to the merchant", async () => {
    const { payer, intent } = await paid();
    await payer.page.getByText("Already received everything?").click();
    await payer.click("Confirm receipt");
    await payer.reads("You confirm that you have received everything.");
    await payer.expectSound();
    await payer.screenshot("confirm-receipt");
    await payer.click("Release the money");
    await payer.sees(/Released to|Payment complete/);
    await untilStatus(client, intent.id, "SETTLED", "FINAL");
    await payer.sees("Payment complete");
    await payer.leave();
  });

  inDeep("releases the milestones one by one, and then the remainder", async () => {
    const { payer, intent } = await paid({ metadata: { releaseType: "MILESTONE_LOCKED" } });
    const milestone = payer.page.getByRole("button", { name: "Release next milestone" });
    const status = (name: string) => payer.page.getByRole("listitem").filter({ hasText: name });
    expect(await milestone.count(), "before one is planned").to.equal(0);
    for (const [milestoneIndex, planned] of [
      { amount: "40.00", description: "Design" },
      { amount: "25.00" },
    ].entries()) {
      const { body } = await post(client, intent.id, "escrow/milestones", { milestoneIndex, ...planned });
      expect(body).to.have.property("object", "milestone");
    }
    await payer.page.reload();
    await milestone.click();
    await payer.reads("This will release milestone 1: 40.00 USDC will go to");
    await payer.reads("for “Design” and cannot be reclaimed. 60.00 USDC will stay in escrow.");
    await payer.expectSound();
    await payer.screenshot("release-milestone");
    await payer.click("Release this milestone");
    await status("Design").getByText("released").waitFor();
    await payer.reads("40.00 USDC of the payment was released to");
    await payer.click("Release next milestone");
    await payer.reads("This will release milestone 2: 25.00 USDC will go to");
    await payer.reads("35.00 USDC will stay in escrow.");
    await payer.click("Release this milestone");
    await status("Milestone 2").getByText("released").waitFor();
    expect(await retrieveEscrow(client, intent.id)).to.include({ releasedAmount: "65.00" });
    expect(await milestone.count(), "after the last one").to.equal(0);
    await payer.page.getByText("Already received everything?").click();
    await payer.click("Confirm receipt");
    await payer.reads("35.00 USDC will go to");
    await payer.click("Release the money");
    await untilStatus(client, intent.id, "SETTLED", "FINAL");
    await payer.leave();
  });

  inDeep("raises a dispute with a reason, after which no money moves", async () => {
    const { payer, wallet, intent } = await paid();
    await payer.click("Raise a dispute");
    await payer.click("Raise dispute now");
    await payer.reads("Describe the problem in a few words.");
    await payer.expectSound();
    expect(wallet.count("eth_sendTransaction")).to.equal(0);
    await payer.page.getByLabel("What is wrong?").fill("One chair is missing");
    await payer.click("Raise dispute now");
    await payer.sees("Disputed – money on hold");
    const data = await retrieveEscrow(client, intent.id);
    expect(data).to.include({ orderStatus: "DISPUTED", disputeReason: "One chair is missing" });
    expect(data).to.include({ disputeRaisedBy: wallet.account.address, disputeSide: "PAYER" });
    await payer.reads("If your dispute is not decided in time, the money is returned to you");
    // The payer can still concede.
    await payer.page.getByRole("button", { name: "Confirm receipt" }).waitFor();
    expect(await payer.page.getByRole("button", { name: "Raise a dispute" }).count()).to.equal(0);
    await payer.leave();
  });

  inDeep("reclaims the money after the delivery deadline, not before", async () => {
    const { payer, intent } = await paid({ deliveryPeriod: 4 });
    const button = payer.page.getByRole("button", { name: "Reclaim your money" });
    await button.waitFor();
    await button.click();
    await payer.click("Reclaim now");
    await payer.sees("Refunded to you");
    await untilStatus(client, intent.id, "CANCELED");
    await payer.leave();
    const other = await paid();
    expect(await other.payer.page.getByRole("button", { name: "Reclaim your money" }).count()).to.equal(0);
    await other.payer.leave();
  });

  inDeep("can still dispute after the merchant's dispute expired undecided", async () => {
    const { payer, intent } = await paid();
    await post(client, intent.id, "escrow/dispute", {
      reason: "Not paid in full",
      raisedBy: firstMerchant(stack).address,
    });
    await payer.sees("Disputed – money on hold");
    await payer.reads("If the dispute is not decided in time, the payment continues as before.");
    expect(await payer.page.getByRole("button", { name: "Raise a dispute" }).count()).to.equal(0);
    expect(await retrieveEscrow(client, intent.id)).to.include({ disputeSide: "MERCHANT" });
    await payer.leave();
  });

  inDeep("sees what was refunded, and confirms receipt of the rest", async () => {
    const { payer, intent } = await paid();
    const { status, body } = await post(client, intent.id, "escrow/refund", { amount: "25.00" });
    expect(status, JSON.stringify(body)).to.equal(200);
    await payer.reads("25.00 USDC of the payment was refunded to the account that paid.");
    await payer.expectSound();
    await payer.page.getByText("Already received everything?").click();
    await payer.click("Confirm receipt");
    await payer.reads("75.00 USDC will go to");
    await payer.click("Release the money");
    await payer.sees(/Released to|Payment complete/);
    await payer.leave();
  });

  inDeep("who declines in the wallet changes nothing, and can still use the right", async () => {
    const { payer, wallet } = await paid();
    wallet.declined.add("eth_sendTransaction");
    await payer.page.getByText("Already received everything?").click();
    await payer.click("Confirm receipt");
    await payer.click("Release the money");
    await payer.reads("You declined the request");
    await payer.expectSound();
    wallet.declined.clear();
    await payer.click("Release the money");
    await payer.sees(/Released to|Payment complete/);
    await payer.leave();
  });

  inDeep("whose wallet does not respond is shown a way out, and can still exercise the right", async () => {
    const { payer, wallet } = await paid({}, ({ page }) => page.clock.install());
    const late = Promise.withResolvers<never>();
    wallet.answers.set("eth_sendTransaction", () => late.promise);
    await payer.page.getByText("Already received everything?").click();
    await payer.click("Confirm receipt");
    await payer.click("Release the money");
    await payer.reads("Confirm in your wallet.");
    await payer.page.clock.fastForward(21_000);
    await payer.reads("Your wallet has not responded yet");
    await payer.expectSound();
    await payer.screenshot("silent-right");
    await payer.click("Stop waiting");
    await payer.reads("Your wallet did not respond");
    await payer.expectSound();
    wallet.answers.clear();
    await payer.click("Release the money");
    await payer.sees(/Released to|Payment complete/);
    late.reject(new Error("too late"));
    await payer.leave();
  });
});
