// Tasks of a merchant's day, from the opened page to the end, with the clicks and seconds that each takes.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { randomBytes } from "node:crypto";
import { expect } from "chai";
import type { Browser, Page } from "playwright-core";
import { Client } from "../api/support/client.ts";
import { post } from "../api/support/escrow.ts";
import { fund, prove, retrieve, untilStatus } from "../api/support/payments.ts";
import { originOf } from "../api/support/routes.ts";
import { type SharedStack, sharedStack } from "../support/shared-stack.ts";
import { startBrowser } from "./support/chromium.ts";
import { type Visitor, visit } from "./support/visitor.ts";

let stack: SharedStack;
let client: Client;
let browser: Browser;
let me: Visitor;
let page: Page;
let clicks = 0;
const table: { task: string; clicks: number; seconds: string }[] = [];

const address = (path = "") => `${originOf(stack)}/dashboard${path}`;

beforeAll(async () => {
  [stack, browser] = await Promise.all([sharedStack(), startBrowser()]);
  client = new Client(stack.baseUrl, stack.merchants[0]?.apiKey);
  me = await visit(browser, originOf(stack));
  page = me.page;
  page.setDefaultTimeout(20_000);
  await me.context.exposeBinding("clicked", () => void clicks++);
  await me.context.addInitScript(() =>
    document.addEventListener("click", () => (window as unknown as { clicked(): void }).clicked(), true),
  );
  await page.goto(address());
  await page.locator("#email").fill(stack.dashboard.email);
  await page.locator("#password").fill(stack.dashboard.password);
  await page.locator("button[type=submit]").click();
  await page.getByRole("heading", { level: 1 }).waitFor();
}, 60_000);
afterAll(async () => {
  console.table(table);
  await browser?.close();
  await stack?.stop();
});

/** Counts from the moment when the page can be used. */
function task(name: string, open: () => Promise<string>, work: () => Promise<void>): void {
  it(name, async () => {
    await page.goto(address(await open()));
    await page.getByRole("heading", { level: 1 }).filter({ visible: true }).first().waitFor();
    clicks = 0;
    const startedAt = performance.now();
    await work();
    table.push({ task: name, clicks, seconds: ((performance.now() - startedAt) / 1_000).toFixed(1) });
    await me.screenshot(`dashboard-task-${name.replaceAll(/\W+/g, "-")}`);
  });
}

const button = (name: string | RegExp) => page.getByRole("button", { name }).click();
const inDialog = (name: string | RegExp) => page.getByRole("dialog").getByRole("button", { name }).click();
const tagged = (status: string) => page.locator(".tag").getByText(status, { exact: true }).first().waitFor();

describe("a merchant", () => {
  let id: string;
  let failed: string;

  task(
    "finds a payment by half an address",
    async () => {
      ({ id } = await fund(client, { description: "Cherry desk" }));
      return "/payments";
    },
    async () => {
      const payer = (await retrieve(client, id)).data.signerAddress ?? "";
      await page.getByRole("searchbox").fill(payer.slice(0, 22));
      await page.keyboard.press("Enter");
      await page.waitForURL("**/payments?query=**");
      await page.getByRole("row").filter({ hasText: "Cherry desk" }).getByRole("link").click();
      await page.waitForURL(`**/payments/${id}`);
    },
  );

  task(
    "ships",
    async () => `/payments/${id}`,
    async () => {
      await button("Mark as shipped");
      await inDialog("Mark as shipped");
      await tagged("shipped");
    },
  );

  task(
    "refunds in part, and reads how much goes to whom on the button",
    async () => `/payments/${id}`,
    async () => {
      await button("Refund the payer");
      await page.getByLabel("Amount in USDC").fill("25.00");
      await inDialog(/^Refund 25\.00 USDC to 0x/);
      await page.getByText("25.00 USDC").first().waitFor();
    },
  );

  task(
    "answers a dispute with a file",
    async () => {
      const disputed = await fund(client, { description: "Lost parcel" });
      await post(client, disputed.id, "escrow/dispute", {
        reason: "The parcel did not arrive.",
        raisedBy: disputed.data.signerAddress,
      });
      id = disputed.id;
      return `/payments/${id}`;
    },
    async () => {
      await tagged("disputed");
      await button("Add evidence");
      await page.getByLabel("What happened").fill("It was handed over on Monday.");
      const content = Buffer.from("signed delivery note");
      await page
        .getByLabel("File as evidence")
        .setInputFiles({ name: "note.pdf", mimeType: "application/pdf", buffer: content });
      await page.getByRole("dialog").getByText("SHA-256:").waitFor();
      await inDialog("Add evidence");
      await page.getByText("It was handed over on Monday.").waitFor();
      const hash = new Bun.CryptoHasher("sha256").update(content).digest("hex");
      expect((await retrieve(client, id)).data.metadata.disputeEvidence).to.equal(`sha256 0x${hash}`);
    },
  );

  task(
    "sees why a payout failed, and retries it",
    async () => {
      const refused = await fund(client, {
        autoRelease: true,
        settlementDestination: `fail_once_${randomBytes(6).toString("hex")}`,
      });
      failed = refused.id;
      await prove(client, failed);
      await untilStatus(client, failed, "REQUIRES_ACTION");
      return "/payments?merchantStatus=NEEDS_ACTION";
    },
    async () => {
      await page.locator(`a[href$="${failed}"]`).click();
      await button("Retry the payout");
      await page
        .getByRole("dialog")
        .getByText(/^Why: \S/)
        .waitFor();
      await inDialog(/^Retry the payout/);
      await page.getByRole("dialog").waitFor({ state: "detached" });
    },
  );

  task(
    "exports a month",
    async () => "/settlements",
    async () => {
      await page.getByLabel("Month").selectOption({ index: 1 });
      await page.waitForURL("**/settlements?created**");
      const [download] = await Promise.all([page.waitForEvent("download"), button("Export CSV")]);
      const [head] = (await Bun.file(await download.path()).text()).split("\r\n");
      expect(head).to.match(/^id,paymentIntentId,amount,/);
    },
  );
});
