// What the payment page shows for payments that cannot be paid because they are invalid, ended or already paid.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import type { Browser } from "playwright-core";
import { orderIdOf, restoreTerms } from "#core/chain/terms.ts";
import { DEEP } from "#test/support/deep.ts";
import { Client, type Intent } from "../api/support/client.ts";
import { create, fund, newPayer, untilStatus } from "../api/support/payments.ts";
import { type SharedStack, sharedStack } from "../support/shared-stack.ts";
import { startBrowser } from "./support/chromium.ts";
import { payerOf, walletOf } from "./support/payer.ts";
import { createShownPayments, type Shown } from "./support/shown-payments.ts";
import { VIEWPORTS } from "./support/visitor.ts";

const MARKUP = '<img src=x onerror="alert(1)"><script>alert(2)</script> & "Stühle"';

let stack: SharedStack;
let pages: ReturnType<typeof createShownPayments>;
let client: Client;
let browser: Browser;

beforeAll(async () => {
  [stack, browser] = await Promise.all([sharedStack(), startBrowser()]);
  client = new Client(stack.baseUrl, stack.merchants[0]?.apiKey);
  pages = createShownPayments(stack, browser);
});
afterAll(async () => {
  await browser?.close();
  await stack?.stop();
});

const post = async (id: string, operation: string, body: object) => {
  const { status, body: answer } = await client.post(`/payment-intents/${id}/escrow/${operation}`, body);
  expect(status, JSON.stringify(answer)).to.equal(200);
};

describe("a URL", () => {
  it("that does not name a payment shows an error, with any text in it", async () => {
    const intent = await create(client);
    for (const id of [
      `intent_${"0".repeat(64)}`,
      intent.id.slice(0, -1),
      intent.id.toUpperCase(),
      "",
      "intent_<script>alert(1)</script>",
      "../../etc/passwd",
      "%00",
    ]) {
      const payer = await payerOf(browser, stack, { id });
      await payer.sees("Payment not found");
      expect(payer.problems).to.deep.equal([]);
      await payer.leave();
    }
  });
});

describe("a payment in a delisted token", () => {
  it("cannot be signed, and the page says why", async () => {
    const intent = await create(client);
    const answer = await pages.checkout(intent);
    const wallet = walletOf(stack);
    const unlisted = { ...answer, data: { ...answer.data, tokenListed: false } };
    const payer = await pages.payerShown(intent.id, unlisted, { wallets: [wallet] });
    await payer.connect();
    await payer.reads("No payments right now");
    expect(await payer.page.getByRole("button", { name: "Pay 100.00 USDC" }).count()).to.equal(0);
    await payer.expectSound();
    expect(wallet.count("eth_signTypedData_v4")).to.equal(0);
    await payer.leave();
  });
});

describe("a payment whose terms name its payer", () => {
  it("cannot be signed by another wallet, and is paid by the named one", async () => {
    const named = newPayer();
    const intent = await create(client, { payerAddress: named.address });
    const wallet = walletOf(stack);
    const payer = await payerOf(browser, stack, intent, { wallets: [wallet] });
    await payer.reads("Only this account can pay");
    await payer.connect();
    await payer.reads("Switch to it in your wallet. Nothing was signed.");
    await payer.expectSound();
    await payer.screenshot("other-payer");
    expect(await payer.page.getByRole("button", { name: /^Pay/ }).count()).to.equal(0);
    await wallet.changeAccount(payer.page, named);
    await payer.click("Pay 100.00 USDC");
    await payer.sees(/on its way|in escrow/);
    const { data } = await untilStatus(client, intent.id, "SUCCEEDED");
    expect(data.signerAddress).to.equal(named.address);
    await payer.leave();
  });
});

describe("a payment that has ended", () => {
  it("was canceled by the merchant", async () => {
    const intent = await create(client);
    await client.post(`/payment-intents/${intent.id}/cancel`, {});
    const payer = await payerOf(browser, stack, intent);
    await payer.sees("This payment was canceled");
    await payer.expectSound();
    expect(await payer.page.getByRole("button", { name: /Pay/ }).count()).to.equal(0);
    await payer.leave();
  });

  it("has expired", async () => {
    const answer = await pages.checkout(await create(client));
    const { chainId, contractAddress } = answer.data;
    const terms = { ...answer.data.terms, fundingDeadline: 1_700_000_000 };
    const id = `intent_${orderIdOf(chainId, contractAddress, restoreTerms(terms)).slice(2)}`;
    const payer = await pages.payerShown(id, {
      ...answer,
      id,
      status: "CANCELED",
      data: { ...answer.data, terms },
    });
    await payer.sees("This payment has expired");
    await payer.expectSound();
    await payer.screenshot("expired");
    await payer.leave();
  });

  it("is canceled while it is displayed", async () => {
    const intent = await create(client);
    const payer = await payerOf(browser, stack, intent);
    await payer.sees("Choose your wallet");
    await client.post(`/payment-intents/${intent.id}/cancel`, {});
    await payer.sees("This payment was canceled");
    await payer.leave();
  });
});

describe("a payment that was made", () => {
  it("cannot be paid again, and asks only for the wallet that paid", async () => {
    const payer = await payerOf(browser, stack, await fund(client), { wallets: [walletOf(stack)] });
    await payer.sees("Paid – your money is in escrow");
    await payer.reads("Connect the wallet that paid");
    expect(await payer.page.getByRole("button", { name: /^Pay/ }).count()).to.equal(0);
    await payer.expectSound();
    await payer.connect();
    await payer.reads("This account did not pay");
    await payer.leave();
  });

  it("is in dispute: no money moves, and the reason is shown as text", async () => {
    const intent = await fund(client);
    const merchant = stack.merchants[0]?.account;
    await post(intent.id, "dispute", { reason: MARKUP, raisedBy: merchant });
    const payer = await payerOf(browser, stack, intent);
    await payer.sees("Disputed – money on hold");
    await payer.reads(MARKUP);
    await payer.expectSound();
    await payer.screenshot("disputed");
    await payer.leave();
  });

  it.skipIf(!DEEP)("was refunded", async () => {
    const intent = await fund(client);
    await post(intent.id, "refund", {});
    const payer = await payerOf(browser, stack, intent);
    await payer.sees("Refunded to you");
    await payer.reads("100.00 USDC was refunded to the account that paid.");
    await payer.expectSound();
    await payer.leave();
  });

  it.skipIf(!DEEP)("resumes after an undecided dispute, and the payer can still dispute", async () => {
    const wallet = walletOf(stack);
    const intent = await fund(client, {}, wallet.account);
    const answer = await pages.checkout(intent);
    const order = { ...answer.data.order, disputeSide: "MERCHANT", disputeRaisedAt: 1_700_000_000 };
    const payer = await pages.payerShown(
      intent.id,
      { ...answer, data: { ...answer.data, order } },
      { wallets: [wallet] },
    );
    await payer.reads("The dispute ended without a decision, and the payment continues.");
    await payer.connect();
    await payer.page.getByRole("button", { name: "Raise a dispute" }).waitFor();
    await payer.leave();
  });

  it("offers a refund that could not be sent to its recipient", async () => {
    const wallet = walletOf(stack);
    const intent = await fund(client, {}, wallet.account);
    await post(intent.id, "refund", {});
    const answer = await pages.checkout(intent);
    const order = { ...answer.data.order, credit: "100.00" };
    const payer = await pages.payerShown(
      intent.id,
      { ...answer, data: { ...answer.data, order } },
      { wallets: [wallet] },
    );
    await payer.sees("Refunded – claim it below");
    await payer.reads("The token rejected the transfer of 100.00 USDC to the account that paid");
    await payer.connect();
    await payer.click("Claim your refund");
    await payer.reads("the contract holds 100.00 USDC for this account");
    await payer.expectSound();
    await payer.click("Claim it");
    // The contract has no credit for this account, so the page reports that and sends nothing.
    await payer.reads("The network rejected the transaction");
    expect(wallet.count("eth_sendTransaction")).to.equal(0);
    await payer.leave();
  });

  it("does not show the payer that a payout has failed", async () => {
    const intent = await fund(client);
    const payer = await pages.payerShown(intent.id, {
      ...(await pages.checkout(intent)),
      status: "REQUIRES_ACTION",
    });
    await payer.sees("Your part is done");
    await payer.expectSound();
    await payer.leave();
  });
});

/** Unix times half an hour ago and half an hour from now. */
const [AGO, AHEAD] = [-1_800, 1_800].map((seconds) => Math.floor(Date.now() / 1000) + seconds) as [
  number,
  number,
];

describe("an expired dispute", () => {
  const oracle = { deliveryOracle: newPayer().address };
  const milestones = { metadata: { releaseType: "MILESTONE_LOCKED" } };
  const locked = (until: number) => ({
    metadata: { releaseType: "TIME_LOCKED", timeLockUntil: String(until) },
  });
  const merchants = { disputeSide: "MERCHANT", disputedByPayer: false };
  const shipped = { statusBeforeDispute: "Shipped" };
  const proven = { proven: true, statusBeforeDispute: "Delivered" };
  type Case = [what: string, changes: object, order: object, says: (string | RegExp)[]];
  const cases: Case[] = [
    ["payers", {}, {}, ["75.00 USDC will then be returned to you", "not proven before you raised it"]],
    [
      "payers-proven-before",
      {},
      proven,
      [/75.00 USDC will then be released to .*, because delivery was proven before you/],
    ],
    ["auto-release", { autoRelease: true }, {}, ["75.00 USDC will then be returned to you"]],
    [
      "oracle-proven",
      oracle,
      { proven: true },
      [/released to .*, because the independent account has confirmed/],
    ],
    [
      "oracle-silent",
      oracle,
      {},
      ["The payment will then continue as before: 75.00 USDC will stay in escrow"],
    ],
    ["milestones", milestones, {}, ["not marked as shipped or delivered yet"]],
    [
      "lock-over",
      locked(AGO),
      shipped,
      ["will stay in escrow, and the order is marked as shipped", "The agreed date has passed"],
    ],
    [
      "lock-ahead",
      locked(AHEAD + 86_400),
      shipped,
      [/marked as shipped\. The money can be released to .* on or after \d/],
    ],
    ["merchants", {}, merchants, ["continue as before", "You can still raise your own dispute after that."]],
    [
      "merchants-proven",
      oracle,
      { ...merchants, proven: true },
      ["count as delivered", "The money can then be released"],
    ],
    [
      "merchants-late",
      {},
      { ...merchants, deliveryDeadline: AGO },
      ["you can then reclaim the money yourself."],
    ],
  ];

  it.skipIf(!DEEP)("can be closed by the payer, who sees the effect beforehand in every case", async () => {
    const wallet = walletOf(stack);
    const paid = await pages.checkout(await fund(client, {}, wallet.account));
    const disputed = {
      ...{ status: "Disputed", statusBeforeDispute: "Created", disputeSide: "PAYER", disputedByPayer: true },
      ...{ disputeRaisedAt: AGO - 60, disputeDeadline: AGO, deliveryDeadline: AHEAD, refunded: "25.00" },
    };
    const intents = await Promise.all(cases.map(([, changes]) => create(client, changes)));
    const answers = await Promise.all(
      cases.map(async ([, , changes], index) => {
        const shown = await pages.checkout(intents[index] as Intent);
        const order = { ...paid.data.order, ...disputed, ...changes };
        const confirmations = { seen: 5, required: 5 };
        return { ...shown, status: "SUCCEEDED", data: { ...shown.data, order, confirmations } };
      }),
    );
    let current = answers[0] as Shown;
    const payer = await pages.payerShown(current.id, () => current, { wallets: [wallet], viewport: "phone" });
    await payer.connect();
    for (const [index, [what, , , says]] of cases.entries()) {
      current = answers[index] as Shown;
      await payer.page.goto(`${stack.paymentPageUrl}/?intent=${current.id}`);
      await payer.sees("Disputed – not decided in time");
      await payer.click("End the dispute");
      const question = payer.page.locator("form");
      for (const words of says) {
        await payer.page.getByRole("status").getByText(words).waitFor();
        await question.getByText(words).waitFor();
      }
      await payer.screenshot(`undecided-${what}-phone-light`);
      if (index > 1) continue;
      await payer.page.emulateMedia({ colorScheme: "dark" });
      await payer.expectSound();
      await payer.screenshot(`undecided-${what}-phone-dark`);
      await payer.page.emulateMedia({ colorScheme: "light" });
    }
    await payer.leave();
  });
});

describe("the steps of a payment", () => {
  it.skipIf(!DEEP)(
    "show by color and shape whether they are done, in progress or failed, and do not include a payout before the release",
    async () => {
      const shown = await pages.checkout(await fund(client));
      const at = (phase: string, status: string) => ({ phase, status, startedAt: AGO });
      const phases = [
        at("SIGNATURE_VERIFICATION", "COMPLETED"),
        at("BLOCKCHAIN_CONFIRMATION", "COMPLETED"),
        at("ESCROW_LOCKED", "FAILED"),
        at("AWAITING_DELIVERY_PROOF", "IN_PROGRESS"),
        at("SETTLEMENT", "IN_PROGRESS"),
      ];
      const payer = await pages.payerShown(shown.id, {
        ...shown,
        data: { ...shown.data, phases } as Shown["data"],
      });
      const dot = (says: string) =>
        payer.page
          .getByRole("listitem")
          .filter({ hasText: says })
          .locator(".step-dot")
          .evaluate((element) => [getComputedStyle(element).borderColor, element.innerHTML] as const);
      const [done, failed, running] = await Promise.all(
        ["Your authorization – done", "escrow – did not happen", "Delivery – in progress"].map(dot),
      );
      expect(new Set([done?.[0], failed?.[0], running?.[0]]).size, "colours").to.equal(3);
      expect(new Set([done?.[1], failed?.[1], running?.[1]]).size, "shapes").to.equal(3);
      await payer.page.getByRole("listitem").filter({ hasText: "Payout to" }).getByText("upcoming").waitFor();
      await payer.expectSound();
      await payer.screenshot("steps");
      await payer.leave();
    },
  );

  it("do not offer to release the money before confirmation", async () => {
    const wallet = walletOf(stack);
    const shown = await pages.checkout(await fund(client, {}, wallet.account));
    const data = { ...shown.data, confirmations: { seen: 2, required: 5 } };
    const payer = await pages.payerShown(
      shown.id,
      { ...shown, status: "PROCESSING", data },
      { wallets: [wallet] },
    );
    await payer.sees("Your payment is on its way");
    expect(await payer.page.getByText("Your rights as the payer").count()).to.equal(0);
    expect(await payer.page.getByText(/Confirm receipt|Already received everything/).count()).to.equal(0);
    await payer.leave();
  });
});

describe("the time when the money moves", () => {
  const TOMORROW = Math.floor(Date.now() / 1000) + 86_400;
  const YESTERDAY = TOMORROW - 2 * 86_400;
  const kinds: [changes: object, says: string][] = [
    [{}, "Held in escrow until delivery is proven or you confirm it"],
    [{ autoRelease: true }, "Held in escrow until delivery is proven"],
    [
      { metadata: { releaseType: "TIME_LOCKED", timeLockUntil: String(TOMORROW) } },
      "if the order is marked as shipped",
    ],
    [
      { metadata: { releaseType: "TIME_LOCKED", timeLockUntil: String(YESTERDAY) } },
      "as soon as the order is marked as shipped",
    ],
    [{ deliveryOracle: newPayer().address }, "An independent account confirms delivery."],
    [{ metadata: { releaseType: "MILESTONE_LOCKED" } }, "Held in escrow and released by milestone"],
    [
      { metadata: { releaseType: "MILESTONE_LOCKED" } },
      "Nobody else can release the money, except the arbiter in a dispute.",
    ],
    [{ type: "CONDITIONAL" }, "It is not held in escrow and cannot be reversed."],
  ];
  for (const [changes, says] of kinds) {
    it(`is stated in plain words: ${says}`, async () => {
      const payer = await payerOf(browser, stack, await create(client, changes));
      await payer.page.getByText("What happens to your money").click();
      await payer.reads(says);
      await payer.leave();
    });
  }
});

describe("the page", () => {
  it("is in German for German browsers, with a language choice", async () => {
    const intent = await create(client, { amount: "1234.50" });
    const payer = await payerOf(browser, stack, intent, { locale: "de-DE", viewport: "phone" });
    await payer.sees("Wählen Sie Ihre Wallet");
    await payer.reads("1.234,50");
    expect(await payer.page.locator("html").getAttribute("lang")).to.equal("de");
    await payer.expectSound();
    await payer.screenshot("open-phone-german");
    await payer.click("English");
    await payer.sees("Choose your wallet");
    await payer.page.reload();
    await payer.sees("Choose your wallet");
    await payer.leave();
  });

  it.skipIf(!DEEP)("is readable in light and dark mode, on phone and desktop", async () => {
    const [open, locked] = [await create(client, { description: "Two oak chairs" }), await fund(client)];
    for (const [name, intent] of [
      ["open", open],
      ["locked", locked],
    ] as const) {
      const payer = await payerOf(browser, stack, intent, { wallets: [walletOf(stack)] });
      await payer.page.getByRole("button", { name: "Test Wallet" }).waitFor();
      for (const viewport of ["phone", "tablet", "desktop"] as const) {
        for (const colorScheme of ["light", "dark"] as const) {
          await payer.page.setViewportSize(VIEWPORTS[viewport]);
          await payer.page.emulateMedia({ colorScheme });
          // Each color scheme and each viewport is checked only once; other combinations would not find more.
          if ((viewport === "phone") === (colorScheme === "dark")) await payer.expectSound();
          const overflows = await payer.page.evaluate(
            () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
          );
          expect(overflows, `${name} ${viewport}`).to.equal(false);
          await payer.screenshot(`${name}-${viewport}-${colorScheme}`);
        }
      }
      await payer.leave();
    }
  });

  it.skipIf(!DEEP)(
    "keeps its layout in right-to-left text, with amounts and addresses from left to right",
    async () => {
      for (const intent of [
        await create(client, { description: "كرسيان من خشب البلوط" }),
        await fund(client),
      ]) {
        const payer = await payerOf(browser, stack, intent, {
          wallets: [walletOf(stack)],
          viewport: "phone",
        });
        const { page } = payer;
        await payer.connect();
        await page.evaluate(() => {
          // Simulates an Arabic catalog. The bundler makes logical properties depend on the language.
          Object.assign(document.documentElement, { lang: "ar", dir: "rtl" });
          for (const details of document.querySelectorAll("details")) details.open = true;
        });
        await payer.expectSound();
        const seen = await page.evaluate(() => {
          const shown = [...document.querySelectorAll("body *")].filter((one) => one.checkVisibility());
          const wide = document.documentElement.clientWidth;
          const isRead = (one: Element) => getComputedStyle(one).direction === "ltr";
          return {
            outside: shown
              .filter((one) => one.closest(".hidden, pre") === null)
              .filter(
                (one) => one.getBoundingClientRect().left < 0 || one.getBoundingClientRect().right > wide,
              )
              .map(({ outerHTML }) => outerHTML.slice(0, 120)),
            backwards: shown.filter((one) => one.matches("code, .number") && !isRead(one)).length,
            sides: [...document.querySelectorAll(".words li, .step")]
              .filter((one) => one.checkVisibility())
              .map(
                (one) =>
                  Number.parseFloat(getComputedStyle(one).paddingRight) >
                  Number.parseFloat(getComputedStyle(one).paddingLeft),
              ),
            start: getComputedStyle(document.querySelector("h1") ?? document.body).textAlign,
          };
        });
        expect(new Set(seen.sides)).to.deep.equal(new Set([true]));
        expect(seen).to.deep.include({ outside: [], backwards: 0, start: "start" });
        await payer.screenshot(`right-to-left-${intent.status}`);
        await payer.leave();
      }
    },
  );

  it("can be used at 200% zoom: nothing is truncated, and the next step is reachable", async () => {
    const payer = await payerOf(browser, stack, await create(client), { wallets: [walletOf(stack)] });
    const { page } = payer;
    // A 1440 × 900 window at 200 % zoom, which halves the page's viewport.
    await page.setViewportSize({ width: 720, height: 450 });
    await payer.connect();
    const button = page.getByRole("button", { name: "Pay 100.00 USDC" });
    const box = await button.boundingBox();
    expect((box?.y ?? 0) + (box?.height ?? 0)).to.be.at.most(450);
    const { scrollWidth, clientWidth } = await page.evaluate(() => {
      const { scrollWidth: scrolls, clientWidth: shows } = document.documentElement;
      return { scrollWidth: scrolls, clientWidth: shows };
    });
    expect(scrollWidth).to.equal(clientWidth);
    await payer.expectSound();
    await payer.screenshot("zoom-200");
    await payer.leave();
  });

  it("can be used with only the keyboard", async () => {
    const payer = await payerOf(browser, stack, await create(client), { wallets: [walletOf(stack)] });
    const { page } = payer;
    await payer.sees("Choose your wallet");
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.textContent)).to.equal("Skip to content");
    const reach = async (name: string) => {
      for (let presses = 0; presses < 30; presses++) {
        await page.keyboard.press("Tab");
        if ((await page.evaluate(() => document.activeElement?.textContent)) === name) return;
      }
      throw new Error(`The keyboard does not reach ${name}.`);
    };
    await reach("Test Wallet");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Pay 100.00 USDC", disabled: false }).waitFor();
    // The focus moves to the pay button, and then to the payment's result.
    const focused = (text: RegExp) =>
      page
        .locator(":focus")
        .getByText(text)
        .or(page.locator(":focus", { hasText: text }))
        .first()
        .waitFor();
    await focused(/^Pay 100.00 USDC$/);
    await page.keyboard.press("Enter");
    await payer.sees(/on its way|in escrow/);
    await focused(/on its way|in escrow/);
    await payer.leave();
  });

  it.skipIf(!DEEP)("prints as a receipt without interactive elements", async () => {
    const intent = await fund(client);
    const payer = await payerOf(browser, stack, intent);
    await payer.sees("Receipt");
    await payer.page.emulateMedia({ media: "print" });
    expect(await payer.page.getByRole("button", { name: "Print receipt" }).isVisible()).to.equal(false);
    expect(await payer.page.getByText("Paid on").isVisible()).to.equal(true);
    expect(await payer.page.locator("main").textContent(), "ids in full").to.include(intent.id);
    await payer.screenshot("receipt-print");
    await payer.leave();
  });
});
