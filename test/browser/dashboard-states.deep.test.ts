// What the dashboard shows for a payment in each state, and how its pages keep their data.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import type { Browser, Page, Request } from "playwright-core";
import { until } from "#scripts/shared/wait.ts";
import { Client } from "../api/support/client.ts";
import { create, fund, newPayer } from "../api/support/payments.ts";
import { originOf } from "../api/support/routes.ts";
import { signIn } from "../api/support/session.ts";
import { type SharedStack, sharedStack } from "../support/shared-stack.ts";
import { startBrowser } from "./support/chromium.ts";
import { type Appearance, VIEWPORTS, type Visitor, visit } from "./support/visitor.ts";

const MILESTONES = [
  { milestoneIndex: 0, description: "Design", amount: "40.00" },
  { milestoneIndex: 1, description: "Construction", amount: "60.00" },
];

let stack: SharedStack;
let browser: Browser;
let client: Client;
let cookie: string;
/**
 * Payments in five states: unfunded; canceled before funding; in escrow; disputed by the merchant; in escrow and
 * released by milestones.
 */
let open: string;
let canceled: string;
let held: string;
let disputed: string;
let planned: string;

beforeAll(async () => {
  [stack, browser] = await Promise.all([sharedStack(), startBrowser()]);
  client = new Client(stack.baseUrl, stack.merchants[0]?.apiKey);
  const byMilestones = { metadata: { releaseType: "MILESTONE_LOCKED" }, autoRelease: true };
  const intents = await Promise.all([
    create(client, { description: "Chair" }),
    create(client, { description: "Bench" }),
    fund(client, { description: "Shelf" }, newPayer()),
    fund(client, { description: "Lamp" }, newPayer()),
    fund(client, { description: "House", ...byMilestones }, newPayer()),
  ]);
  [open, canceled, held, disputed, planned] = intents.map(({ id }) => id) as [
    string,
    string,
    string,
    string,
    string,
  ];
  const raisedBy = stack.merchants[0]?.account;
  await Promise.all([
    client.post(`/payment-intents/${canceled}/cancel`, {}),
    client.post(`/payment-intents/${disputed}/escrow/dispute`, { reason: "It broke.", raisedBy }),
    ...MILESTONES.map((milestone) => client.post(`/payment-intents/${planned}/escrow/milestones`, milestone)),
  ]);
  cookie = (await signIn(stack)).cookie;
}, 90_000);
afterAll(async () => {
  await browser?.close();
  await stack?.stop();
});

/** Opens the dashboard as a signed-in merchant. */
async function merchant(
  appearance: Appearance = {},
): Promise<Visitor & { open(path: string): Promise<unknown> }> {
  const visitor = await visit(browser, originOf(stack), appearance);
  const [name = "", value = ""] = cookie.split("=", 2);
  await visitor.context.addCookies([
    { name, value, url: originOf(stack), httpOnly: true, sameSite: "Strict" },
  ]);
  return { ...visitor, open: (path) => visitor.page.goto(`${originOf(stack)}/dashboard${path}`) };
}

/** Locates the value shown under a label in a payment's details. */
const fact = (page: Page, name: string) =>
  page
    .locator(".facts > div")
    .filter({ has: page.getByText(name, { exact: true }) })
    .locator("dd");

/** Records the requests that a page makes to the API from now on. The test controls the page's clock. */
class Traffic {
  readonly sent: Request[] = [];
  #pending = 0;

  constructor(private readonly page: Page) {
    const ended = () => this.#pending--;
    page.on("request", (request) => {
      if (!request.url().includes("/v1/")) return;
      this.sent.push(request);
      this.#pending++;
      request.response().then(ended, ended);
    });
  }

  settled(): Promise<unknown> {
    return until(async () => this.#pending === 0, { what: "The page's requests", timeoutMs: 10_000 });
  }

  /** @returns the number of requests in each second that passes on the page */
  async during(seconds: number): Promise<number[]> {
    const counts: number[] = [];
    for (let second = 0; second < seconds; second++) {
      const before = this.sent.length;
      await this.page.clock.runFor(1_000);
      await this.settled();
      counts.push(this.sent.length - before);
    }
    return counts;
  }
}

const sum = (counts: number[]): number => counts.reduce((total, count) => total + count, 0);

describe("a payment in the dashboard", () => {
  it("is in escrow once it is funded, and not before", async () => {
    const { page, open: go, leave, expectSound } = await merchant();
    for (const [id, state] of [
      [open, "not funded"],
      [canceled, "not funded"],
      [held, "in escrow"],
    ] as const) {
      await go(`/payments/${id}`);
      await fact(page, "Escrow").getByText(state, { exact: true }).waitFor();
      expect(await fact(page, "Delivery deadline").count()).to.equal(id === held ? 1 : 0);
    }
    await expectSound();
    await leave();
  });

  it("is shown as disputed in the list and on its own page", async () => {
    const { page, open: go, leave, expectSound, screenshot } = await merchant();
    await go("/payments");
    const row = page.getByRole("row").filter({ hasText: "Lamp" });
    await row.getByText("disputed", { exact: true }).waitFor();
    expect(await row.getByText("succeeded").count()).to.equal(0);
    await screenshot("dashboard-disputed-list");
    await row.getByRole("link").click();
    await page.getByRole("heading").getByText("disputed", { exact: true }).waitFor();
    await page.getByText("The money is on hold until the dispute is decided").waitFor();
    await expectSound();
    await screenshot("dashboard-disputed");
    await leave();
  });

  it("that is released by milestones shows them, and offers to complete the next milestone instead of proving a delivery", async () => {
    const { page, open: go, leave, expectSound, screenshot } = await merchant();
    await go(`/payments/${planned}`);
    const milestones = page
      .locator("section")
      .filter({ has: page.getByRole("heading", { name: "Milestones" }) });
    const design = milestones.getByRole("listitem").filter({ hasText: "Design" });
    const construction = milestones.getByRole("listitem").filter({ hasText: "Construction" });
    await construction.getByText("pending", { exact: true }).waitFor();
    expect(await page.getByRole("button", { name: "Submit delivery proof" }).count()).to.equal(0);
    expect(await construction.getByRole("button").count()).to.equal(0);
    for (const viewport of ["desktop", "phone"] as const) {
      for (const colorScheme of ["light", "dark"] as const) {
        await page.setViewportSize(VIEWPORTS[viewport]);
        await page.emulateMedia({ colorScheme });
        await screenshot(`dashboard-milestones-${viewport}-${colorScheme}`);
      }
    }
    await design.getByRole("button", { name: "Complete: Design" }).click();
    await expectSound();
    await page.getByRole("dialog").getByRole("button", { name: "Complete milestone" }).click();
    await design.getByText("released", { exact: true }).waitFor();
    await construction.getByRole("button", { name: "Complete: Construction" }).waitFor();
    await leave();
  });
});

/** Makes the stream unreachable from now on and, by default, the API as well. */
const away = (page: Page, pattern = "**/{v1,dashboard/changes}**") =>
  page.route(pattern, (route) => route.abort("connectionrefused"));

describe("an open page of the dashboard", () => {
  it("does not send any requests during an hour without changes, and keeps one stream while it is visible", async () => {
    const { page, open: go, leave } = await merchant();
    await page.clock.install();
    const traffic = new Traffic(page);
    const streams: Request[] = [];
    const ended: Request[] = [];
    page.on("request", (request) => {
      if (request.url().endsWith("/dashboard/changes")) streams.push(request);
    });
    page.on("requestfailed", (request) => {
      if (streams.includes(request)) ended.push(request);
    });
    await go(`/payments/${held}`);
    await fact(page, "Escrow").waitFor();
    await until(async () => streams.length === 1, { what: "The stream", timeoutMs: 5_000 });
    // A change just before the page was opened is reported once more.
    await page.clock.runFor(15_000);
    await traffic.settled();
    const before = traffic.sent.length;
    await page.clock.fastForward("01:00:00");
    expect(sum(await traffic.during(5))).to.equal(0);
    expect(traffic.sent.length - before).to.equal(0);
    expect([streams.length, ended.length]).to.deep.equal([1, 0]);

    const show = (state: "hidden" | "visible") =>
      page.evaluate((state) => {
        Object.defineProperty(document, "visibilityState", { configurable: true, get: () => state });
        document.dispatchEvent(new Event("visibilitychange"));
      }, state);
    await show("hidden");
    await until(async () => ended.length === 1, { what: "The stream's end", timeoutMs: 5_000 });
    await page.clock.fastForward("10:00");
    expect(sum(await traffic.during(2))).to.equal(0);
    await show("visible");
    await until(async () => streams.length === 2, { what: "The next stream", timeoutMs: 5_000 });
    await until(async () => traffic.sent.length > before, { what: "Reading again", timeoutMs: 5_000 });
    await leave();
  });

  it("keeps its content and the open dialog while the gateway is unreachable, reports it once, and recovers", async () => {
    const { page, open: go, leave, expectSound, screenshot } = await merchant({ viewport: "phone" });
    await page.clock.install();
    const traffic = new Traffic(page);
    await away(page, "**/dashboard/changes");
    await go(`/payments/${held}`);
    await page.getByRole("button", { name: "Raise a dispute" }).click();
    await page.getByLabel("Reason").fill("The payer says that it broke.");
    await away(page);
    await page.clock.runFor(10_000);
    const note = page.getByText("Out of date");
    await note.waitFor();
    expect(await note.count()).to.equal(1);
    await page.getByRole("dialog").getByRole("button", { name: "Raise a dispute" }).click();
    await page.getByRole("dialog").getByRole("alert").getByText("Cannot reach the gateway").waitFor();
    expect(await page.getByLabel("Reason").inputValue()).to.equal("The payer says that it broke.");
    await page.getByRole("dialog").getByRole("button", { name: "Go back" }).click();
    await fact(page, "Escrow").getByText("in escrow").waitFor();
    await expectSound();
    await screenshot("dashboard-not-up-to-date-phone");
    await page.unrouteAll({ behavior: "wait" });
    await traffic.settled();
    await page.clock.runFor(60_000);
    await note.waitFor({ state: "detached" });
    await leave();
  });

  it("waits as long as a 429 response requires, and continues automatically", async () => {
    const { page, open: go, leave } = await merchant();
    await page.clock.install();
    const traffic = new Traffic(page);
    await page.route("**/v1/**", (route) =>
      route.fulfill({
        status: 429,
        headers: { "Retry-After": "30" },
        json: {
          error: {
            code: "rate_limit_exceeded",
            type: "rate_limit_error",
            message: "Too many requests.",
            retryAfter: 30,
          },
        },
      }),
    );
    await go(`/payments/${held}`);
    await page.getByText("Too many requests.").waitFor();
    await traffic.settled();
    await page.unroute("**/v1/**");
    expect(sum(await traffic.during(25))).to.equal(0);
    await traffic.during(6);
    await fact(page, "Escrow").getByText("in escrow").waitFor();
    await leave();
  });
});

describe("a list in the dashboard", () => {
  it("shows a new payment within about a second", async () => {
    const { page, open: go, leave } = await merchant();
    await go("/payments");
    await page.getByRole("row").filter({ hasText: "Shelf" }).waitFor();
    await create(client, { description: "Piano" });
    const createdAt = performance.now();
    await page.getByRole("row").filter({ hasText: "Piano" }).waitFor();
    // The gateway's interval takes half a second; the rest is slack for a busy machine.
    expect(performance.now() - createdAt).to.be.below(3_000);
    await leave();
  });

  it("keeps its rows while the gateway is unreachable, and shows a message", async () => {
    const { page, open: go, leave } = await merchant();
    await page.clock.install();
    await away(page, "**/dashboard/changes");
    await go("/payments");
    const row = page.getByRole("row").filter({ hasText: "Shelf" });
    await row.waitFor();
    await away(page);
    await page.clock.runFor(20_000);
    await page.getByText("Out of date").waitFor();
    expect(await row.count()).to.equal(1);
    await leave();
  });
});
