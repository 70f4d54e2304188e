// How the payment page handles altered payments: it opens no wallet, requests no signature and renders text as text.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import type { Browser } from "playwright-core";
import { Client } from "../api/support/client.ts";
import { post } from "../api/support/escrow.ts";
import { create, fund } from "../api/support/payments.ts";
import { inDeep } from "../support/deep.ts";
import { type SharedStack, sharedStack } from "../support/shared-stack.ts";
import { startBrowser } from "./support/chromium.ts";
import { payerOf, walletOf } from "./support/payer.ts";
import { createShownPayments, type Shown } from "./support/shown-payments.ts";

const MARKUP = '<img src=x onerror="alert(1)"><script>alert(2)</script> & "Stühle"';
const STRANGER = "0x00000000000000000000000000000000DeaDBeef";

let stack: SharedStack;
let client: Client;
let browser: Browser;
let pages: ReturnType<typeof createShownPayments>;

beforeAll(async () => {
  [stack, browser] = await Promise.all([sharedStack(), startBrowser()]);
  client = new Client(stack.baseUrl, stack.merchants[0]?.apiKey);
  pages = createShownPayments(stack, browser);
});
afterAll(async () => {
  await browser?.close();
  await stack?.stop();
});

describe("a payment that was modified in transit", () => {
  const tampered: [what: string, change: (answer: Shown) => Shown][] = [
    [
      "amount",
      (answer) => ({
        ...answer,
        data: { ...answer.data, amount: "1.00", terms: { ...answer.data.terms, amount: "1000000" } },
      }),
    ],
    ["amount shown", (answer) => ({ ...answer, data: { ...answer.data, amount: "1.00" } })],
    [
      "recipient",
      (answer) => ({ ...answer, data: { ...answer.data, terms: { ...answer.data.terms, payee: STRANGER } } }),
    ],
    [
      "token",
      (answer) => ({ ...answer, data: { ...answer.data, terms: { ...answer.data.terms, token: STRANGER } } }),
    ],
    ["contract", (answer) => ({ ...answer, data: { ...answer.data, contractAddress: STRANGER } })],
    ["chain", (answer) => ({ ...answer, data: { ...answer.data, chainId: 1 } })],
    [
      "terms that are none",
      (answer) => ({ ...answer, data: { ...answer.data, terms: { ...answer.data.terms, salt: "0x" } } }),
    ],
  ];
  for (const [what, change] of tampered) {
    const test = ["amount", "recipient", "contract"].includes(what) ? it : inDeep;
    test(`is rejected before the wallet is opened: different ${what}`, async () => {
      const intent = await create(client);
      const wallet = walletOf(stack);
      const payer = await pages.payerShown(intent.id, change(await pages.checkout(intent)), {
        wallets: [wallet],
      });
      await payer.sees("Do not make this payment");
      if (what === "amount") {
        await payer.expectSound();
        await payer.screenshot("tampered");
      }
      expect(wallet.requests).to.deep.equal([]);
      await payer.leave();
    });
  }

  it("is also rejected if it is an entirely different payment", async () => {
    const [one, other] = [await create(client), await create(client, { amount: "999.00" })];
    const payer = await pages.payerShown(one.id, { ...(await pages.checkout(other)), id: one.id });
    await payer.sees("Do not make this payment");
    await payer.leave();
  });

  it("is not signed if the wallet sees a different contract", async () => {
    const wallet = walletOf(stack);
    wallet.answers.set("eth_call", () => `0x${"11".repeat(32)}`);
    const payer = await payerOf(browser, stack, await create(client), { wallets: [wallet] });
    await payer.connect();
    await payer.click("Pay 100.00 USDC");
    await payer.reads("Stopped: wrong contract");
    await payer.expectSound();
    expect(wallet.count("eth_signTypedData_v4")).to.equal(0);
    await payer.leave();
  });
});

describe("an expired dispute", () => {
  inDeep("is not closed if the contract's record differs from the page", async () => {
    const wallet = walletOf(stack);
    const intent = await fund(client, {}, wallet.account);
    const shown = await pages.checkout(intent);
    const order = {
      ...shown.data.order,
      ...{ status: "Disputed", statusBeforeDispute: "Created", disputeSide: "PAYER", disputeDeadline: 1 },
    };
    const payer = await pages.payerShown(
      intent.id,
      { ...shown, data: { ...shown.data, order } },
      { wallets: [wallet] },
    );
    await payer.connect();
    await payer.click("End the dispute");
    await payer.click("End it now");
    await payer.reads("Something changed on the network");
    await payer.expectSound();
    await payer.screenshot("undecided-outdated");
    expect(wallet.count("eth_sendTransaction")).to.equal(0);
    await payer.leave();
  });
});

describe("a milestone", () => {
  it("is not released if more would move than the page shows", async () => {
    const wallet = walletOf(stack);
    const intent = await fund(client, { metadata: { releaseType: "MILESTONE_LOCKED" } }, wallet.account);
    const shown = await pages.checkout(intent);
    const milestones = ["60.00", "30.00"].map((amount, index) => ({
      ...{
        index,
        amount,
        description: index === 0 ? "Hull" : "Mast, sails and the rigging of the second boat",
      },
      status: index === 0 ? "RELEASED" : "PENDING",
    }));
    const order = { ...shown.data.order, released: "60.00", refunded: "25.00" };
    const payer = await pages.payerShown(
      intent.id,
      { ...shown, data: { ...shown.data, order, milestones } as Shown["data"] },
      { wallets: [wallet], viewport: "phone" },
    );
    await payer.connect();
    await payer.click("Release next milestone");
    await payer.reads("This will release milestone 2: 15.00 USDC will go to");
    await payer.reads(
      "This is the remainder of the 30.00 USDC planned for this milestone. Nothing will stay in escrow after that.",
    );
    for (const colorScheme of ["light", "dark"] as const) {
      await payer.page.emulateMedia({ colorScheme });
      await payer.expectSound();
      await payer.screenshot(`milestone-phone-${colorScheme}`);
    }
    await payer.click("Release this milestone");
    await payer.reads("Something changed on the network");
    expect(wallet.count("eth_sendTransaction")).to.equal(0);
    await payer.leave();
  });
});

describe("merchants' text", () => {
  inDeep("is shown as text, never as markup", async () => {
    const intent = await create(client, {
      description: MARKUP,
      metadata: { releaseType: "MILESTONE_LOCKED" },
    });
    const milestone = { milestoneIndex: 0, amount: "40.00", description: MARKUP };
    await post(client, intent.id, "escrow/milestones", milestone);
    const payer = await payerOf(browser, stack, intent);
    await payer.page.getByRole("listitem").getByText(MARKUP).waitFor();
    expect(await payer.page.getByText(MARKUP).count()).to.equal(2);
    expect(await payer.page.locator("img, main script").count()).to.equal(0);
    await payer.expectSound();
    await payer.leave();
  });
});
