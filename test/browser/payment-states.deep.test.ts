// What the payment page shows for payments that cannot be paid: invalid, tampered with, ended, or already paid.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import type { Browser } from "playwright-core";
import { orderIdOf, restoreTerms, type StoredTerms } from "#core/chain/terms.ts";
import { DEEP } from "#test/support/deep.ts";
import { Client, type Intent } from "../api/support/client.ts";
import { create, fund, newPayer, untilStatus } from "../api/support/payments.ts";
import { type SharedStack, sharedStack } from "../support/shared-stack.ts";
import { startBrowser } from "./support/chromium.ts";
import { type Payer, payerOf, walletOf, withoutPayment } from "./support/payer.ts";
import { type Appearance, VIEWPORTS } from "./support/visitor.ts";
import type { TestWallet } from "./support/wallet.ts";

const MARKUP = '<img src=x onerror="alert(1)"><script>alert(2)</script> & "Stühle"';
const STRANGER = "0x00000000000000000000000000000000DeaDBeef";

type Shown = {
  id: string;
  status: string;
  data: {
    amount: string;
    chainId: number;
    contractAddress: `0x${string}`;
    terms: StoredTerms;
    order: object | null;
    tokenListed: boolean;
  };
};

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

const checkout = async ({ id }: Pick<Intent, "id">): Promise<Shown> =>
  (await new Client(stack.baseUrl).get<Shown>(`/payment-intents/public/${id}/checkout`)).body;

/** Opens the page of `id` with this response of the gateway, true or not. */
const payerShown = (
  id: string,
  answer: Shown | (() => Shown),
  appearance: Appearance & { wallets?: TestWallet[] } = {},
): Promise<Payer> =>
  payerOf(browser, stack, { id }, appearance, async ({ page }) => {
    await withoutPayment(page);
    await page.route("**/checkout", (route) =>
      route.request().headers().accept?.includes("event-stream")
        ? route.fulfill({ status: 503, body: "" })
        : route.fulfill({ json: typeof answer === "function" ? answer() : answer }),
    );
  });

const post = async (id: string, operation: string, body: object) => {
  const { status, body: answer } = await client.post(`/payment-intents/${id}/escrow/${operation}`, body);
  expect(status, JSON.stringify(answer)).to.equal(200);
};

describe("a URL", () => {
  it("that names no payment says so, with any text in it", async () => {
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
    it(`is rejected before the wallet is opened: different ${what}`, async () => {
      const intent = await create(client);
      const wallet = walletOf(stack);
      const payer = await payerShown(intent.id, change(await checkout(intent)), { wallets: [wallet] });
      await payer.sees("Do not make this payment");
      if (what === "amount") {
        await payer.expectSound();
        await payer.screenshot("tampered");
      }
      expect(wallet.requests).to.deep.equal([]);
      await payer.leave();
    });
  }

  it("is rejected as well if it is a different payment entirely", async () => {
    const [one, other] = [await create(client), await create(client, { amount: "999.00" })];
    const payer = await payerShown(one.id, { ...(await checkout(other)), id: one.id });
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

describe("a payment in a delisted token", () => {
  it("cannot be signed, and the page says why", async () => {
    const intent = await create(client);
    const answer = await checkout(intent);
    const wallet = walletOf(stack);
    const unlisted = { ...answer, data: { ...answer.data, tokenListed: false } };
    const payer = await payerShown(intent.id, unlisted, { wallets: [wallet] });
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
  it("was cancelled by the merchant", async () => {
    const intent = await create(client);
    await client.post(`/payment-intents/${intent.id}/cancel`, {});
    const payer = await payerOf(browser, stack, intent);
    await payer.sees("This payment was canceled");
    await payer.expectSound();
    expect(await payer.page.getByRole("button", { name: /Pay/ }).count()).to.equal(0);
    await payer.leave();
  });

  it("has expired", async () => {
    const answer = await checkout(await create(client));
    const { chainId, contractAddress } = answer.data;
    const terms = { ...answer.data.terms, fundingDeadline: 1_700_000_000 };
    const id = `intent_${orderIdOf(chainId, contractAddress, restoreTerms(terms)).slice(2)}`;
    const payer = await payerShown(id, {
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

  it("is cancelled while it is displayed", async () => {
    const intent = await create(client);
    const payer = await payerOf(browser, stack, intent);
    await payer.sees("Choose your wallet");
    await client.post(`/payment-intents/${intent.id}/cancel`, {});
    await payer.sees("This payment was canceled");
    await payer.leave();
  });
});

describe("a payment that was made", () => {
  it("cannot be paid again, and requests only the wallet that paid", async () => {
    const payer = await payerOf(browser, stack, await fund(client), { wallets: [walletOf(stack)] });
    await payer.sees("Paid – your money is in escrow");
    await payer.reads("Connect the wallet that paid");
    expect(await payer.page.getByRole("button", { name: /^Pay/ }).count()).to.equal(0);
    await payer.expectSound();
    await payer.connect();
    await payer.reads("This account did not pay");
    await payer.leave();
  });

  it("is in dispute: nothing moves, and the reason is text", async () => {
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
    const answer = await checkout(intent);
    const order = { ...answer.data.order, disputeSide: "MERCHANT", disputeRaisedAt: 1_700_000_000 };
    const payer = await payerShown(
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
    const answer = await checkout(intent);
    const order = { ...answer.data.order, credit: "100.00" };
    const payer = await payerShown(
      intent.id,
      { ...answer, data: { ...answer.data, order } },
      { wallets: [wallet] },
    );
    await payer.sees("Refunded – claim it below");
    await payer.reads("The token rejected the transfer of 100.00 USDC to the account that paid");
    await payer.connect();
    await payer.click("Claim your refund");
    await payer.reads("the contract holds 100.00 USDC for it");
    await payer.expectSound();
    await payer.click("Claim it");
    // The contract has none for this account, so the page says so and sends nothing.
    await payer.reads("The network rejected the transaction");
    expect(wallet.count("eth_sendTransaction")).to.equal(0);
    await payer.leave();
  });

  it("shows the payer nothing of a failed payout", async () => {
    const intent = await fund(client);
    const payer = await payerShown(intent.id, { ...(await checkout(intent)), status: "REQUIRES_ACTION" });
    await payer.sees("Your part is done");
    await payer.expectSound();
    await payer.leave();
  });
});

/** Half an hour ago, and half an hour from now. */
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
    ["payers", {}, {}, ["75.00 USDC is then returned to you", "not proven before it"]],
    [
      "payers-proven-before",
      {},
      proven,
      [/75.00 USDC is then released to .*: delivery was proven before you/],
    ],
    ["auto-release", { autoRelease: true }, {}, ["75.00 USDC is then returned to you"]],
    ["oracle-proven", oracle, { proven: true }, [/released to .*: the independent account has confirmed/]],
    ["oracle-silent", oracle, {}, ["The payment then continues as before: 75.00 USDC stays in escrow"]],
    ["milestones", milestones, {}, ["not yet marked as shipped or delivered"]],
    ["lock-over", locked(AGO), shipped, ["stays in escrow, marked as shipped", "The agreed date has passed"]],
    ["lock-ahead", locked(AHEAD + 86_400), shipped, [/marked as shipped\. It can be released to .* from \d/]],
    ["merchants", {}, merchants, ["continues as before", "You can then still raise your own dispute."]],
    [
      "merchants-proven",
      oracle,
      { ...merchants, proven: true },
      ["continues as delivered", "It can then be released"],
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
    const paid = await checkout(await fund(client, {}, wallet.account));
    const disputed = {
      ...{ status: "Disputed", statusBeforeDispute: "Created", disputeSide: "PAYER", disputedByPayer: true },
      ...{ disputeRaisedAt: AGO - 60, disputeDeadline: AGO, deliveryDeadline: AHEAD, refunded: "25.00" },
    };
    const intents = await Promise.all(cases.map(([, changes]) => create(client, changes)));
    const answers = await Promise.all(
      cases.map(async ([, , changes], index) => {
        const shown = await checkout(intents[index] as Intent);
        const order = { ...paid.data.order, ...disputed, ...changes };
        const confirmations = { seen: 5, required: 5 };
        return { ...shown, status: "SUCCEEDED", data: { ...shown.data, order, confirmations } };
      }),
    );
    let current = answers[0] as Shown;
    const payer = await payerShown(current.id, () => current, { wallets: [wallet], viewport: "phone" });
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

  it("is not closed if the contract's record differs from the page", async () => {
    const wallet = walletOf(stack);
    const intent = await fund(client, {}, wallet.account);
    const shown = await checkout(intent);
    const order = {
      ...shown.data.order,
      ...{ status: "Disputed", statusBeforeDispute: "Created", disputeSide: "PAYER", disputeDeadline: AGO },
    };
    const payer = await payerShown(
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
    const shown = await checkout(intent);
    const milestones = ["60.00", "30.00"].map((amount, index) => ({
      ...{
        index,
        amount,
        description: index === 0 ? "Hull" : "Mast, sails and the rigging of the second boat",
      },
      status: index === 0 ? "RELEASED" : "PENDING",
    }));
    const order = { ...shown.data.order, released: "60.00", refunded: "25.00" };
    const payer = await payerShown(
      intent.id,
      { ...shown, data: { ...shown.data, order, milestones } as Shown["data"] },
      { wallets: [wallet], viewport: "phone" },
    );
    await payer.connect();
    await payer.click("Release next milestone");
    await payer.reads("This releases milestone 2: 15.00 USDC goes to");
    await payer.reads(
      "This is the remainder of the 30.00 USDC planned for it. Nothing stays in escrow after that.",
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
  it("is shown as text, never as markup", async () => {
    const intent = await create(client, {
      description: MARKUP,
      metadata: { releaseType: "MILESTONE_LOCKED" },
    });
    const milestone = { milestoneIndex: 0, amount: "40.00", description: MARKUP };
    await post(intent.id, "milestones", milestone);
    const payer = await payerOf(browser, stack, intent);
    await payer.page.getByRole("listitem").getByText(MARKUP).waitFor();
    expect(await payer.page.getByText(MARKUP).count()).to.equal(2);
    expect(await payer.page.locator("img, main script").count()).to.equal(0);
    await payer.expectSound();
    await payer.leave();
  });
});

describe("the steps of a payment", () => {
  it.skipIf(!DEEP)(
    "show by colour and shape whether they are done, in progress or failed, and no payout before the release",
    async () => {
      const shown = await checkout(await fund(client));
      const at = (phase: string, status: string) => ({ phase, status, startedAt: AGO });
      const phases = [
        at("SIGNATURE_VERIFICATION", "COMPLETED"),
        at("BLOCKCHAIN_CONFIRMATION", "COMPLETED"),
        at("ESCROW_LOCKED", "FAILED"),
        at("AWAITING_DELIVERY_PROOF", "IN_PROGRESS"),
        at("SETTLEMENT", "IN_PROGRESS"),
      ];
      const payer = await payerShown(shown.id, {
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

  it("offer no release of the money before confirmation", async () => {
    const wallet = walletOf(stack);
    const shown = await checkout(await fund(client, {}, wallet.account));
    const data = { ...shown.data, confirmations: { seen: 2, required: 5 } };
    const payer = await payerShown(shown.id, { ...shown, status: "PROCESSING", data }, { wallets: [wallet] });
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
    [{ metadata: { releaseType: "MILESTONE_LOCKED" } }, "Nobody else can, except the arbiter in a dispute."],
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
          // Each look and each size once; combinations would add nothing.
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
    "keeps its layout from right to left, with amounts and addresses from left to right",
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
          // As with an Arabic catalogue; the bundler makes logical properties depend on the language.
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

  it("can be used at 200 % zoom: nothing is truncated, and the next step is reachable", async () => {
    const payer = await payerOf(browser, stack, await create(client), { wallets: [walletOf(stack)] });
    const { page } = payer;
    // A browser's zoom halves the page's share of the window, which is 1440 × 900 here.
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
    // The focus follows: to the pay button, and then to the payment's result.
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
