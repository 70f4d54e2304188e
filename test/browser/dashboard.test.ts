// The dashboard in a real browser, as a merchant uses it.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { randomBytes } from "node:crypto";
import { expect } from "chai";
import type { Browser, Page } from "playwright-core";
import { until } from "#scripts/shared/wait.ts";
import { inDeep } from "#test/support/deep.ts";
import { shortHex } from "#web/ui/format.ts";
import { Client } from "../api/support/client.ts";
import { create, fund, HASH_A, newPayer, prove, untilStatus } from "../api/support/payments.ts";
import { originOf } from "../api/support/routes.ts";
import { type SharedStack, sharedStack } from "../support/shared-stack.ts";
import { Receiver } from "../webhooks/support/receiver.ts";
import { startBrowser } from "./support/chromium.ts";
import { findUnreadable, readOverflow } from "./support/layout.ts";
import { VIEWPORTS, type Visitor, visit } from "./support/visitor.ts";

let stack: SharedStack;
let browser: Browser;
let client: Client;
let receiver: Receiver;
let me: Visitor;
let page: Page;
/** Payments in four states: paid out; open, in another currency; in escrow; rejected by the bank. */
let settled: string;
let open: string;
let held: string;
let failed: string;
let endpoint: string;

const address = (path = "") => `${originOf(stack)}/dashboard${path}`;

async function signIn(visitor: Visitor, password = stack.dashboard.password): Promise<void> {
  await visitor.page.goto(address());
  await visitor.page.locator("#email").fill(stack.dashboard.email);
  await visitor.page.locator("#password").fill(password);
  await visitor.page.locator("button[type=submit]").click();
}

beforeAll(async () => {
  [stack, browser] = await Promise.all([sharedStack(), startBrowser()]);
  client = new Client(stack.baseUrl, stack.merchants[0]?.apiKey);
  receiver = new Receiver();
  const made = await client.post<{ id: string }>("/webhook-endpoints", {
    url: receiver.url,
    description: "Order system",
  });
  endpoint = made.body.id;
  const paid = {
    autoRelease: true,
    amount: "1250.00",
    description: "Oak table",
    metadata: { order: "A-1001" },
  };
  const settlementDestination = `fail_once_${randomBytes(6).toString("hex")}`;
  const [first, second, third, fourth] = await Promise.all([
    fund(client, paid),
    create(client, { amount: "75.50", currency: "DAI", description: "Chair", metadata: { order: "A-1002" } }),
    fund(client, { amount: "310.00", description: "Shelf" }, newPayer()),
    fund(client, { autoRelease: true, description: "Lamp", settlementDestination }, newPayer()),
  ]);
  [settled, open, held, failed] = [first.id, second.id, third.id, fourth.id];
  await Promise.all([prove(client, settled), prove(client, failed)]);
  await Promise.all([
    untilStatus(client, settled, "SETTLED", "FINAL"),
    untilStatus(client, failed, "REQUIRES_ACTION"),
  ]);
  me = await visit(browser, originOf(stack));
  page = me.page;
  page.setDefaultTimeout(12_000);
}, 90_000);
afterAll(async () => {
  await browser?.close();
  await receiver?.stop();
  await stack?.stop();
});

const row = (text: string | RegExp) => page.getByRole("row").filter({ hasText: text });
const section = async (name: string) => {
  const link = (navigation: string, name: string) =>
    page.getByRole("navigation", { name: navigation }).getByRole("link", { name, exact: true });
  if (["Home", "Payments", "Settlements", "Team"].includes(name)) return link("Sections", name).click();
  await link("Sections", "Developers").click();
  // API keys is the first page of this section.
  if (name !== "API keys") await link("Developers", name).click();
};

/** Opens the same confirmation in a second tab, where it is submitted later. */
async function openElsewhere(
  path: string,
  action: string,
): Promise<{ refusedWith(text: string): Promise<void> }> {
  const tab = await me.context.newPage();
  tab.setDefaultTimeout(12_000);
  await tab.goto(address(path));
  await tab.getByRole("button", { name: action }).click();
  const dialog = tab.getByRole("dialog");
  await dialog.waitFor();
  return {
    async refusedWith(text) {
      await dialog.getByRole("button", { name: action }).click();
      await dialog.getByRole("alert").getByText(text).waitFor();
      await tab.close();
    },
  };
}

describe("signing in", () => {
  it("reports a wrong password, and opens the home page with the right one", async () => {
    await signIn(me, "not the password");
    await page.getByRole("alert").getByText("Incorrect email address or password").waitFor();
    await me.expectSound();
    await signIn(me);
    await page.getByRole("heading", { name: "Home" }).waitFor();
    await page.getByText("No live network is configured").waitFor();
  });
});

describe("the home page", () => {
  it("shows where the money is, what needs attention, and the newest payments as they arrive", async () => {
    const places = page.locator(".places").filter({ hasText: "USDC" });
    await places.getByText("Paid out").waitFor();
    await page.getByText(/Payout failed: \S/).waitFor();
    await page.getByRole("link", { name: "100.00 USDC, Lamp" }).waitFor();
    await row("Oak table").waitFor();
    await me.expectSound();
    await me.screenshot("dashboard-home");
    await create(client, { description: "Stool" });
    await row("Stool").waitFor();
    await section("Payments");
  });
});

describe("payments", () => {
  it("are shown below a search field and one line of filter chips, which are kept in the URL and apply immediately", async () => {
    await row("Oak table").waitFor();
    await me.expectSound();
    const box = await page.getByRole("search", { name: "Filter payments" }).boundingBox();
    expect(box?.height).to.be.below(110);
    await page.getByLabel("Currency").selectOption("DAI");
    await row("Chair").waitFor();
    await row("Oak table").waitFor({ state: "detached" });
    expect(page.url()).to.include("currency=DAI");
    await page.getByLabel("Status").selectOption("paid out");
    await page.getByText("No matching payments").waitFor();
    expect(page.url()).to.include("currency=DAI&merchantStatus=PAID_OUT");
    await page.goBack();
    await row("Chair").waitFor();
    await page.getByRole("button", { name: "Clear" }).click();
    await row("Oak table").waitFor();
    await page.goto(address("/payments?metadata[order]=A-1001"));
    await row("Oak table").waitFor();
    await row("Chair").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Remove filter order" }).click();
    await row("Chair").waitFor();
  });

  it("are exported as shown, and opened with only the keyboard", async () => {
    await page.keyboard.press("/");
    await page.keyboard.type("a-1001");
    await page.keyboard.press("Enter");
    await row("Chair").waitFor({ state: "detached" });
    expect(page.url()).to.include("query=a-1001");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Export CSV" }).click(),
    ]);
    const [head, line, ...others] = (await Bun.file(await download.path()).text()).trimEnd().split("\r\n");
    expect(head).to.match(/^id,created,merchantStatus,/);
    expect(line).to.include(settled);
    expect(others).to.deep.equal([]);
    await page.getByRole("heading", { name: "Payments" }).click();
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/payments/${settled}`);
  });

  it("show their full history: who did what, proofs, payouts and webhooks", async () => {
    await page.getByRole("heading", { name: "Timeline" }).waitFor();
    for (const text of ["Payment created", "Delivery proof sent", "Payout arrived"]) {
      await page.getByText(text, { exact: true }).first().waitFor();
    }
    const payouts = page.locator("section").filter({ has: page.getByRole("heading", { name: "Payouts" }) });
    await payouts.getByText("paid out", { exact: true }).first().waitFor();
    await page.getByText("payment_intent.settled").first().waitFor();
    await me.expectSound();
  });

  it("are canceled after a confirmation that says what will happen", async () => {
    await page.goto(address(`/payments/${open}`));
    await page.getByRole("button", { name: "Cancel payment" }).click();
    await page.getByRole("dialog").getByText("The payer will no longer be able to pay").waitFor();
    await me.expectSound();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel payment" }).click();
    await page.getByText("canceled", { exact: true }).first().waitFor();
  });

  it("are marked as shipped once, and their delivery is proven by a hash", async () => {
    const elsewhere = await openElsewhere(`/payments/${held}`, "Mark as shipped");
    await page.goto(address(`/payments/${held}`));
    await page.getByRole("button", { name: "Mark as shipped" }).click();
    await page.getByRole("dialog").getByText("This cannot be undone").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Mark as shipped" }).click();
    await page.getByText("shipped", { exact: true }).first().waitFor();
    await elsewhere.refusedWith("An order in status Shipped cannot be marked shipped");

    await page.getByRole("button", { name: "Submit delivery proof" }).click();
    await page.getByLabel("Proof hash").fill("0x1234");
    await page.getByLabel("Link to the proof").fill("ipfs://shelf");
    const submit = page.getByRole("dialog").getByRole("button", { name: "Submit delivery proof" });
    await submit.click();
    await page.getByRole("alert").getByText("Invalid proofHash").waitFor();
    await me.expectSound();
    await me.screenshot("dashboard-prove");
    await page.getByLabel("Proof hash").fill(HASH_A);
    await submit.click();
    await page.getByText("ipfs://shelf").waitFor();
    await page.getByRole("button", { name: "Release funds" }).waitFor();
    expect(await page.getByRole("button", { name: "Refund payer" }).count()).to.equal(0);
    await me.screenshot("dashboard-proven");
  });

  it("are paid out again, once, after the bank rejected them", async () => {
    const elsewhere = await openElsewhere(`/payments/${failed}`, "Retry payout");
    await page.goto(address(`/payments/${failed}`));
    await page.getByText("needs action", { exact: true }).first().waitFor();
    await page.getByText(/^Reason: \S/).waitFor();
    await page.getByRole("button", { name: "Retry payout" }).click();
    await page.getByRole("dialog").getByText("nothing will be paid twice").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Retry payout" }).click();
    await page
      .getByRole("heading")
      .getByText(/^(paid out|final)$/)
      .waitFor();
    await elsewhere.refusedWith("has no failed settlement to retry");
  });

  inDeep("are refunded in part, after a dialog shows how much and to whom", async () => {
    const payer = newPayer();
    const { id } = await fund(client, { amount: "40.00", description: "Stool" }, payer);
    await page.goto(address(`/payments/${id}`));
    await page.getByRole("button", { name: "Refund payer" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText(`go back to the account that paid (${shortHex(payer.address)})`).waitFor();
    await dialog.getByText("40.00 USDC is in escrow").waitFor();
    await me.expectSound();
    await me.screenshot("dashboard-refund");
    const amount = dialog.getByLabel("Amount in USDC");
    await amount.fill("41");
    await dialog.getByRole("button", { name: /^Refund 41\S* USDC to 0x/ }).click();
    await dialog.getByRole("alert").waitFor();
    await amount.fill("15.5");
    await dialog.getByRole("button", { name: /^Refund 15\.50? USDC to 0x/ }).click();
    await page.getByText("15.50 USDC", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Refund payer" }).click();
    await dialog.getByText("24.50 USDC is in escrow").waitFor();
    expect(await amount.inputValue()).to.equal("24.50");
    await dialog.getByRole("button", { name: "Back" }).click();
  });

  it("are disputed, and the dispute is decided; a rejection is explained in words", async () => {
    await page.goto(address(`/payments/${held}`));
    await page.getByRole("button", { name: "Raise a dispute" }).click();
    await page.getByLabel("Reason").fill("  The payer says that it broke. ");
    await page.getByRole("dialog").getByRole("button", { name: "Raise a dispute" }).click();
    await page.getByText("The payer says that it broke.").waitFor();
    await page.getByRole("button", { name: "Decide dispute" }).click();
    expect(await page.getByRole("button", { name: "Refund payer" }).count()).to.equal(0);
    expect(await page.getByLabel("Outcome").inputValue()).to.equal("");
    await page.getByLabel("Outcome").selectOption("PARTIAL_REFUND");
    const decide = page.getByRole("dialog").getByRole("button", { name: "Decide dispute" });
    await decide.click();
    await page.getByRole("alert").getByText("PARTIAL_REFUND requires a merchantAmount").waitFor();
    await page.getByLabel("Your share").fill("300.00");
    await decide.click();
    await page.getByText("Dispute decision sent", { exact: true }).first().waitFor();
  });
});

describe("an unknown URL", () => {
  it.each(["/nowhere", `/payments/one/two`])("shows an error and links to the payments: %s", async (path) => {
    await page.goto(address(path));
    await page.getByRole("heading", { name: "Page not found" }).waitFor();
    await page.getByRole("link", { name: "Go to payments" }).click();
    await page.waitForURL("**/dashboard/payments");
  });
});

describe("the gateway's root URL", () => {
  it("redirects to the dashboard", async () => {
    await page.goto(originOf(stack));
    await page.waitForURL("**/dashboard");
    await page.getByRole("heading", { name: "Home" }).waitFor();
  });
});

describe("navigating between pages", () => {
  const focused = () => page.evaluate(() => document.activeElement?.id);

  it("sets the title, and moves the keyboard and screen-reader focus to the top of the page", async () => {
    await page.goto(address("/payments?currency=DAI&starting_after=&colour=blue"));
    await row("Chair").waitFor();
    await section("API keys");
    await page.waitForFunction(() => document.title === "API keys");
    await until(async () => (await focused()) === "content", { what: "The focus", timeoutMs: 5_000 });
    expect(await page.getByRole("link", { name: "API keys" }).getAttribute("aria-current")).to.equal("page");
    await page.goBack();
    await row("Chair").waitFor();
    await page.waitForFunction(() => document.title === "Payments");
    expect(new URL(page.url()).searchParams.get("currency")).to.equal("DAI");
    await page.goForward();
    await page.waitForFunction(() => document.title === "API keys");
  });

  it("loads a page's script on the first visit", async () => {
    const scripts: string[] = [];
    page.on("request", (request) => {
      if (request.resourceType() === "script") scripts.push(request.url());
    });
    await page.goto(address("/webhooks"));
    await row("Order system").waitFor();
    const before = scripts.length;
    await section("Audit log");
    await row("Payout submitted").first().waitFor();
    expect(scripts.length).to.be.above(before);
  });
});

describe("API keys", () => {
  const statusWith = async (key: string) =>
    (await new Client(stack.baseUrl, key).get("/payment-intents")).status;
  const shownSecret = async (): Promise<string> => (await page.getByTestId("secret").textContent()) ?? "";

  it("are created, used, rotated and revoked", async () => {
    await section("API keys");
    await page.getByLabel("Name").fill("Web shop");
    await page.getByRole("button", { name: "Create key" }).click();
    const first = await shownSecret();
    expect(await statusWith(first)).to.equal(200);
    await me.expectSound();

    await page.getByRole("button", { name: "Rotate: Web shop" }).click();
    await page.getByLabel("Old key expires").selectOption("0");
    await page.getByRole("dialog").getByRole("button", { name: "Rotate" }).click();
    await until(async () => (await shownSecret()) !== first, { what: "The new key", timeoutMs: 10_000 });
    const second = await shownSecret();
    const refused = async (key: string) =>
      until(async () => (await statusWith(key)) === 403, { what: "The refusal", timeoutMs: 2_000 });
    await refused(first);
    expect(await statusWith(second)).to.equal(200);
    await row("expired").waitFor();

    await page.getByRole("button", { name: "I have saved it" }).click();
    expect(await page.getByText(second).count()).to.equal(0);
    await page.getByRole("button", { name: "Revoke: Web shop" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await row("revoked").waitFor();
    await refused(second);
  });
});

describe("webhooks", () => {
  it("show their deliveries, send a test event and redeliver", async () => {
    await section("Webhooks");
    await row("Order system").waitFor();
    await me.expectSound();
    await page.getByRole("link", { name: receiver.url }).click();
    await page.getByRole("button", { name: "Send test event" }).click();
    await row("webhook.test").getByText("succeeded").waitFor();
    await page.getByRole("button", { name: "Redeliver: webhook.test" }).click();
    await page.getByText("The event is being redelivered.").waitFor();
    await row("webhook.test").getByRole("cell", { name: "2", exact: true }).waitFor();
    await me.expectSound();
  });

  it("are disabled immediately, and one click enables them again", async () => {
    const state = page.getByRole("heading", { level: 1 });
    await page.getByRole("button", { name: "Disable" }).click();
    await state.getByText("disabled").waitFor();
    await page.getByText("The endpoint no longer receives events.").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("The endpoint receives events again.").waitFor();
    await state.getByText("enabled").waitFor();
  });

  inDeep("are shown as failing while they fail, with the time of the next attempt", async () => {
    const attempt = { statusCode: 500, error: null, response: "no", durationMs: 12, created: 1_800_000_000 };
    await page.route("**/deliveries?**", async (route) => {
      const response = await route.fetch();
      const list = await response.json();
      // Takes the test event rather than the newest one: an earlier test's payment may have been paid out in the
      // meantime.
      const test = list.data.find(({ eventType }: { eventType: string }) => eventType === "webhook.test");
      const failing = {
        status: "pending",
        nextAttempt: 1_800_000_600,
        attempts: [attempt, attempt, attempt],
      };
      await route.fulfill({ response, json: { ...list, data: [{ ...test, ...failing }] } });
    });
    await page.reload();
    await row("webhook.test").getByText("failed, retrying").waitFor();
    await row("webhook.test").getByText("next attempt 15 Jan 2027").waitFor();
    await me.expectSound();
    await me.screenshot("dashboard-delivery-failing");
    await page.unrouteAll({ behavior: "wait" });
  });
});

describe("events", () => {
  it("are described in words, filtered by a chip, and shown as delivered", async () => {
    await section("Events");
    await row("payout.completed").getByText("Payout arrived").first().waitFor();
    await page.getByLabel("About").selectOption("Test");
    await row("payout.completed").first().waitFor({ state: "detached" });
    expect(page.url()).to.include("type=webhook.*");
    await page.getByRole("button", { name: "Details: webhook.test" }).first().click();
    await page.getByRole("dialog").getByText('"type": "webhook.test"').waitFor();
    await me.expectSound();
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
  });
});

describe("settlements", () => {
  it("are charted by day, shown as a table, and exported", async () => {
    await section("Settlements");
    await page.getByRole("img", { name: /Paid out by day, USDC/ }).waitFor();
    await row("1,250.00 USDC").waitFor();
    await me.expectSound();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Export CSV" }).click(),
    ]);
    const csv = await Bun.file(await download.path()).text();
    expect(csv).to.include(`${settled},1250.00,USDC`);
    await page.getByRole("button", { name: "View as table" }).click();
    const table = page.getByRole("table", { name: /Paid out by day/ });
    // The disputed payment's share may have been paid out by now.
    await table
      .getByRole("row")
      .filter({ hasText: /1,[36]50\.00/ })
      .waitFor();
  });
});

describe("amounts without a short form in the user's language", () => {
  inDeep("are not truncated next to the chart", async () => {
    const visitor = await visit(browser, originOf(stack), { locale: "de-DE" });
    await visitor.context.addCookies(await me.context.cookies());
    await visitor.page.route("**/settlements?**", async (route) => {
      const response = await route.fetch();
      const list = await response.json();
      const data = list.data.map((one: object) => ({ ...one, amount: "200000.00" }));
      await route.fulfill({ response, json: { ...list, data } });
    });
    await visitor.page.goto(address("/settlements"));
    const chart = visitor.page.locator(".chart canvas").first();
    await chart.waitFor();
    await visitor.page.getByText("200.000,00 USDC").first().waitFor();
    const drawnAtTheEdge = await chart.evaluate((element) => {
      const canvas = element as HTMLCanvasElement;
      const { data } = canvas.getContext("2d")?.getImageData(0, 0, 2, canvas.height) ?? { data: [] };
      return [...data].some((value) => value !== 0);
    });
    expect(drawnAtTheEdge).to.equal(false);
    await visitor.screenshot("dashboard-chart-german");
    await visitor.leave();
  });
});

describe("the audit log", () => {
  it("shows who performed each action", async () => {
    await section("Audit log");
    await page.getByLabel("Actor").selectOption("user");
    await page.getByRole("button", { name: "Apply" }).click();
    await row("API key revoked").getByText(/User/).waitFor();
    await row("API key revoked").getByText("active → revoked").waitFor();
    await me.expectSound();
    await page.getByRole("button", { name: "Clear" }).click();
    await row("Payout submitted").first().waitFor();
    const codes = page.getByRole("cell").filter({ hasText: /^[a-z_]+\.[a-z_]+$/ });
    expect(await codes.allTextContents()).to.deep.equal([]);
  });

  inDeep("is searched by part of an action", async () => {
    await section("Audit log");
    await page.getByLabel("Activity").fill("revoke");
    await page.getByRole("button", { name: "Apply" }).click();
    await row("API key created").first().waitFor({ state: "detached" });
    await row("API key revoked").first().waitFor();
    expect(page.url()).to.include("action=revoke");
  });
});

describe("every page, on phone and desktop, in light and dark mode", () => {
  const PAGES: [string, () => string, string | RegExp][] = [
    ["home", () => "", "Ausgezahlt"],
    ["payments", () => "/payments", "Oak table"],
    ["payment", () => `/payments/${settled}`, "Auszahlung angekommen"],
    ["payment-held", () => `/payments/${held}`, "Liefernachweis angenommen"],
    ["settlements", () => "/settlements", "1.250,00 USDC"],
    ["settlement", () => `/settlements/${payout}`, "1.250,00 USDC"],
    ["keys", () => "/keys", "Web shop"],
    ["webhooks", () => "/webhooks", "Order system"],
    ["webhook", () => `/webhooks/${endpoint}`, "webhook.test"],
    ["audit", () => "/audit", "API-Schlüssel widerrufen"],
    ["events", () => "/events", "Auszahlung angekommen"],
    ["requests", () => "/requests", "/v1/payment-intents"],
    ["start", () => "/start", "Testschlüssel erstellen"],
    ["new-payment", () => "/payments/new", "Link anlegen"],
    ["team", () => "/members", "Einladen"],
    ["account", () => "/account", "diese Sitzung"],
  ];
  /**
   * Viewport sizes for the German pages. The last desktop size equals 1440 × 900 at 200 % zoom, because zoom halves a
   * page's size.
   */
  const SIZES = {
    desktop: [
      { width: 1_280, height: 800 },
      { width: 1_024, height: 768 },
      { width: 720, height: 450 },
    ],
    phone: [
      { width: 390, height: 844 },
      { width: 375, height: 812 },
    ],
  };
  let payout: string;

  beforeAll(async () => {
    const { body } = await client.get<{ data: { id: string }[] }>(`/settlements?paymentIntentId=${settled}`);
    payout = body.data[0]?.id ?? "";
  });

  inDeep.each(["desktop", "phone"] as const)("is accessible on a %s", async (viewport) => {
    const visitor = await visit(browser, originOf(stack), { viewport, locale: "de-DE" });
    const looked = async (title: string) => {
      for (const colorScheme of ["light", "dark"] as const) {
        await visitor.page.emulateMedia({ colorScheme });
        // Colors do not depend on the width, so each color scheme and each width is checked only once.
        if ((viewport === "phone") === (colorScheme === "dark")) await visitor.expectSound();
      }
      // One visit covers every size and color scheme.
      if (viewport === "desktop") await visitor.screenshot(`german-${title}`);
      // The page stays open during resizing, as when a user zooms: charts must be redrawn for each size.
      for (const size of SIZES[viewport]) {
        await visitor.page.setViewportSize(size);
        const overflow = () => readOverflow(visitor.page);
        await until(async () => (await overflow()) <= 0, {
          what: `${title} within a screen of ${size.width} pixels`,
          timeoutMs: 5_000,
        });
        expect(await findUnreadable(visitor.page), `${title} at ${size.width} pixels`).to.deep.equal([]);
      }
      await visitor.page.setViewportSize(VIEWPORTS[viewport]);
    };
    await visitor.page.goto(address());
    await visitor.page.getByRole("heading", { name: "Anmelden" }).waitFor();
    await looked("sign-in");
    await visitor.context.addCookies(await me.context.cookies());
    for (const [title, path, text] of PAGES) {
      await visitor.page.goto(address(path()));
      await visitor.page.getByText(text).filter({ visible: true }).first().waitFor();
      await visitor.page.locator(".skeleton").first().waitFor({ state: "detached" });
      await looked(title);
    }
    await visitor.leave();
  });

  it("is checked for unreadable content", async () => {
    const broken = await browser.newPage({ viewport: VIEWPORTS.phone });
    await broken.setContent(`
      <p style="width: 4rem; white-space: nowrap">Auszahlung angekommen</p>
      <p style="width: 4rem; overflow-wrap: anywhere">Liefernachweis</p>
      <p style="height: 1rem; overflow: hidden">first<br><br></p>
      <div class="card" style="width: 10rem; padding: 1rem"><b style="margin-left: 8rem">Zurücksetzen</b></div>
      <p style="margin-left: 20rem; width: 10rem">beyond</p>
      <select style="width: 4rem"><option>braucht Ihr Eingreifen</option></select>
      <p>What can be read.</p>`);
    const found = (await findUnreadable(broken)).map((line) => line.replace(/: <.*> /, ": "));
    expect(found).to.deep.equal([
      "wider than its element: Auszahlung angekommen",
      "broken in two: Liefernachweis",
      "cut off below: first",
      "beyond its card: Zurücksetzen",
      "beyond the screen: beyond",
      "does not fit its field: braucht Ihr Eingreifen",
    ]);
    expect(await readOverflow(broken)).to.be.above(0);
    await broken.close();
  });

  inDeep("has dialogs whose German text fits on a phone", async () => {
    const visitor = await visit(browser, originOf(stack), { viewport: "phone", locale: "de-DE" });
    await visitor.context.addCookies(await me.context.cookies());
    const { id } = await fund(client, { amount: "40.00", description: "Bench" }, newPayer());
    await visitor.page.goto(address(`/payments/${id}`));
    const actions = visitor.page.getByRole("region", { name: "Aktionen" }).getByRole("button");
    await actions.first().waitFor();
    const names = await actions.allTextContents();
    expect(names).to.have.length(4);
    for (const name of names) {
      await actions.getByText(name, { exact: true }).click();
      const dialog = visitor.page.getByRole("dialog");
      await dialog.waitFor();
      expect(await findUnreadable(visitor.page), name).to.deep.equal([]);
      await dialog.getByRole("button", { name: "Zurück" }).click();
      await dialog.waitFor({ state: "detached" });
    }
    await visitor.leave();
  });
});

describe("the pages of a list", () => {
  inDeep("have their own URLs: back, forward and reload keep the position", async () => {
    await Promise.all(Array.from({ length: 18 }, () => create(client, { description: "Candle" })));
    await page.goto(address("/payments"));
    await row("Candle").first().waitFor();
    await page.getByRole("button", { name: "Older" }).click();
    await row("Oak table").waitFor();
    expect(page.url()).to.include("starting_after=");
    await page.reload();
    await row("Oak table").waitFor();
    await page.goBack();
    await row("Candle").first().waitFor();
    expect(page.url()).to.equal(address("/payments"));
    await page.goForward();
    await row("Oak table").waitFor();
    await page.getByRole("button", { name: "Newer" }).click();
    await row("Oak table").waitFor({ state: "detached" });
    await row("Candle").first().waitFor();
    expect(page.url()).to.include("ending_before=");
    expect(await page.getByRole("button", { name: "Newer" }).isDisabled()).to.equal(true);
  });
});

describe("an expired session", () => {
  inDeep("is renewed over the page, which keeps its input", async () => {
    await page.goto(address("/webhooks"));
    await page.getByLabel("URL").fill(`${receiver.url}?entered`);
    await me.context.clearCookies();
    await page.getByRole("button", { name: "Add endpoint" }).click();
    const dialog = page.getByRole("dialog", { name: "Sign in again" });
    await dialog.waitFor();
    await me.expectSound();
    for (let times = 0; times < 3; times++) await page.keyboard.press("Escape");
    await dialog.getByLabel("Password").fill("not the password");
    await dialog.getByRole("button", { name: "Sign in" }).click();
    await dialog.getByRole("alert").getByText("Incorrect email address or password").waitFor();
    await dialog.getByLabel("Password").fill(stack.dashboard.password);
    await dialog.getByRole("button", { name: "Sign in" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await page.getByLabel("URL").inputValue()).to.equal(`${receiver.url}?entered`);
    await page.getByRole("button", { name: "Add endpoint" }).click();
    await row("?entered").waitFor();
  });
});

describe("signing out", () => {
  it("ends the session, and clears the viewed data", async () => {
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await page.goto(address(`/payments/${settled}`));
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(await page.getByText("Oak table").count()).to.equal(0);
  });
});
