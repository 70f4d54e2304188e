// A merchant's tasks from opening the page to completion, with the number of clicks and seconds for each task.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { randomBytes, randomUUID } from "node:crypto";
import { expect } from "chai";
import type { Browser, Page } from "playwright-core";
import { until } from "#scripts/shared/wait.ts";
import { Client } from "../api/support/client.ts";
import { post } from "../api/support/escrow.ts";
import { fund, prove, retrieve, untilStatus } from "../api/support/payments.ts";
import { originOf } from "../api/support/routes.ts";
import { type SharedStack, sharedStack } from "../support/shared-stack.ts";
import { computeTotp } from "../support/totp.ts";
import { Receiver } from "../webhooks/support/receiver.ts";
import { startBrowser } from "./support/chromium.ts";
import {
  createTasks,
  type Merchant,
  type Prepare,
  requestFrom,
  type Tasks,
} from "./support/merchant-tasks.ts";
import type { Visitor } from "./support/visitor.ts";

let stack: SharedStack;
let browser: Browser;
let receiver: Receiver;
let tasks: Tasks;
let client: Client;
/** The signed-in colleague who was invited; undefined if that test did not run. */
let reader: Visitor | undefined;

beforeAll(async () => {
  [stack, browser] = await Promise.all([sharedStack(), startBrowser()]);
  receiver = new Receiver(false);
  client = new Client(stack.baseUrl, stack.merchants[0]?.apiKey);
  tasks = createTasks(browser, stack);
  await tasks.signIn();
}, 60_000);
afterAll(async () => {
  tasks?.print();
  await browser?.close();
  await receiver?.stop();
  await stack?.stop();
});

/** Adds an endpoint that receives every event. Returns its dashboard path. */
async function addEndpoint(): Promise<string> {
  const { body } = await client.post<{ id: string }>("/webhook-endpoints", { url: `${receiver.url}?all` });
  return `/webhooks/${body.id}`;
}

type Work = (merchant: Merchant) => Promise<void>;
const task = (name: string, path: string | Prepare, work: Work): void => {
  it(name, () => tasks.run(name, typeof path === "string" ? async () => path : path, work));
};

describe("a merchant's tasks", () => {
  task("first payment link", "/start", async ({ page, click, expectSound, screenshot }) => {
    await click("Create key");
    const key = (await page.getByTestId("secret").textContent()) ?? "";
    expect(await page.getByTestId("snippet").textContent()).to.include(key);
    const { status } = await new Client(stack.baseUrl, key).get("/payment-intents");
    expect(status, "the key in the code works").to.equal(200);
    await page.locator(".step").first().getByText("done").waitFor();
    await expectSound();
    await screenshot("start");
    await page.getByRole("link", { name: "or create it here" }).click();
    await page.getByLabel("Amount").fill("12.50");
    await page.getByLabel("Description for the payer").fill("Two coffees");
    await page.getByLabel("Payout destination").fill("bank_account_123");
    await page.getByLabel("Payable for").selectOption({ label: "1 hour" });
    await screenshot("create");
    await click("Create link");
    const link = (await page.getByTestId("link").textContent()) ?? "";
    expect(link).to.match(/\/pay\/\?intent=intent_[0-9a-f]{64}$/);
    const { created, data } = await retrieve(client, link.split("=").at(-1) ?? "");
    expect(data.expiresAt - created, "an hour").to.be.closeTo(3_600, 5);
    await page.getByText(/^The link can be used for one payment, until /).waitFor();
    await page.getByRole("img", { name: "QR code for the link" }).waitFor();
    expect(await page.getByRole("link", { name: "Preview" }).getAttribute("href")).to.equal(link);
    await expectSound();
    await screenshot("create-ready");
  });

  task("add a webhook and see a delivery fail and be redelivered", "/webhooks", async (merchant) => {
    const { page, click, expectSound, screenshot } = merchant;
    let isBroken = true;
    receiver.answer(() => (isBroken ? new Response("out of order", { status: 500 }) : new Response("ok")));
    await page.getByLabel("URL").fill(receiver.url);
    await page.getByLabel("All, including future types").uncheck();
    await page.getByLabel("Payout failed").check();
    await page.getByLabel("Test event").check();
    await expectSound();
    await screenshot("webhooks-picker");
    await page.locator("form button[type=submit]").first().click();
    await page.getByTestId("secret").waitFor();
    await page.getByRole("link", { name: receiver.url }).click();
    await click("Send test event");
    await page.getByText("failed, retrying").first().waitFor();
    await page.getByRole("button", { name: "Details: webhook.test" }).click();
    await page.getByRole("dialog").getByText("out of order").waitFor();
    await page.getByRole("dialog").getByText('"webhook.test"').waitFor();
    await expectSound();
    await screenshot("delivery");
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
    isBroken = false;
    await page.getByRole("button", { name: "Redeliver: webhook.test" }).click();
    await page.getByText("The event is being redelivered.").waitFor();
    await page.getByRole("row").getByText("succeeded").waitFor();
    await screenshot("webhook");
  });

  task("choose another event for a webhook", addEndpoint, async ({ page, click, confirm, screenshot }) => {
    await click("Edit");
    await page.getByRole("dialog").getByLabel("All, including future types").uncheck();
    await page.getByRole("dialog").getByLabel("Dispute raised").check();
    await screenshot("webhook-edit");
    await confirm("Save");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  });

  task(
    "rotate a key",
    async ({ request }) => {
      expect(await request("POST", "/v1/api-keys", { name: "Till", access: "full" })).to.equal(200);
      return "/keys";
    },
    async ({ page, confirm }) => {
      await page.getByRole("button", { name: "Rotate: Till" }).click();
      await confirm("Rotate");
      const key = (await page.getByTestId("secret").textContent()) ?? "";
      const { status } = await new Client(stack.baseUrl, key).get("/payment-intents");
      expect(status, "the new key works").to.equal(200);
    },
  );

  task("see what a key requested", "/requests", async ({ page, expectSound, screenshot }) => {
    const requestId = `req-${Date.now()}`;
    await fetch(`${stack.baseUrl}/payment-intents/intent_unknown`, {
      headers: { "X-API-Key": stack.merchants[0]?.apiKey ?? "", "X-Request-Id": requestId },
    });
    // Entries are written in batches, once a second.
    await until(
      async () => {
        await page.reload();
        await page.getByRole("table").waitFor();
        return page.getByRole("button", { name: `Copy ID ${requestId}` }).isVisible();
      },
      { what: "The request in the log", timeoutMs: 10_000 },
    );
    await page.getByRole("row").filter({ hasText: "intent_unknown" }).getByText("404").waitFor();
    await expectSound();
    await screenshot("requests");
  });

  const PASSWORD = "a password that is long";

  task(
    "invite a colleague who may only read",
    "/members",
    async ({ page, click, expectSound, screenshot, colleague }) => {
      const email = `reader-${randomUUID()}@example.com`;
      await page.getByLabel("Name").fill("Rita Reader");
      await page.getByLabel("Email address").fill(email);
      await click("Invite");
      const link = (await page.getByTestId("link").textContent()) ?? "";
      await page.getByRole("row").filter({ hasText: email }).getByText("invited").waitFor();
      await expectSound();
      await screenshot("team");

      reader = await colleague(link);
      await reader.page.getByText(`For ${email}`).waitFor();
      await reader.page.getByLabel("New password").fill(PASSWORD);
      await reader.expectSound();
      await reader.screenshot("set-password");
      await reader.page.getByRole("button", { name: "Set password" }).click();
      await reader.page.getByRole("link", { name: "Sign in" }).click();
      await reader.page.locator("#email").fill(email);
      await reader.page.locator("#password").fill(PASSWORD);
      await reader.page.locator("button[type=submit]").click();
      await reader.page.getByRole("link", { name: "Team" }).click();
      await reader.page.getByText("Only admins can change the team.").waitFor();
      await reader.expectSound();
    },
  );

  /** Actions that change only this user's view or their own account. */
  const READING =
    /^(Export CSV|Search|Clear|Apply|View as table|Older|Newer|Copy.*|Details.*|Paid out, last 30 days.*|Set up an app|Change password|End session)$/;

  /** Returns the names of a page's other controls. */
  const offered = async (page: Page): Promise<string[]> => {
    const controls = page
      .locator("main")
      .locator("button, select[aria-label^=Role], a[href$='/payments/new']");
    const names = await controls.evaluateAll((all) =>
      all.map((one) => one.getAttribute("aria-label") ?? one.textContent ?? ""),
    );
    return names.filter((name) => !READING.test(name));
  };

  it("hide forbidden actions from a read-only colleague", async () => {
    const { page, expectSound, leave } = reader ?? (await tasks.newUser("read_only"));
    const [{ id: held }, webhook] = await Promise.all([
      fund(client, { description: "Plum table" }),
      addEndpoint(),
    ]);
    const pages: [string, string][] = [
      ["", "Plum table"],
      ["/payments", "Plum table"],
      [`/payments/${held}`, "Payment confirmed"],
      ["/settlements", "Settlements"],
      ["/keys", "Only admins can change these settings."],
      ["/webhooks", "Only admins can change these settings."],
      [webhook, "Deliveries"],
      ["/members", "Only admins can change the team."],
      ["/start", "Run this in a terminal:"],
      ["/payments/new", "You have read-only access."],
      ["/account", "this session"],
    ];
    for (const [path, text] of pages) {
      await page.goto(`${originOf(stack)}/dashboard${path}`);
      await page.getByText(text).filter({ visible: true }).first().waitFor();
      await page.locator(".skeleton").first().waitFor({ state: "detached" });
      expect(await offered(page), path).to.deep.equal([]);
    }
    await expectSound();
    const operations: [string, string, object?][] = [
      ["POST", "/v1/payment-intents", {}],
      ...["cancel", "escrow/ship", "escrow/release", "escrow/refund", "settlement/retry"].map(
        (name): [string, string, object] => ["POST", `/v1/payment-intents/${held}/${name}`, {}],
      ),
      ["POST", "/v1/api-keys", {}],
      ["POST", "/v1/webhook-endpoints", {}],
      ["POST", "/dashboard/team", { email: "a@example.com", name: "A", role: "admin" }],
    ];
    for (const [method, path, body] of operations)
      expect(await requestFrom(page, method, path, body), path).to.equal(403);
    await leave();
  });
});

describe("a merchant's payment tasks", () => {
  let id: string;

  task(
    "find a payment by half an address",
    async () => {
      ({ id } = await fund(client, { description: "Cherry desk" }));
      return "/payments";
    },
    async ({ page }) => {
      const payer = (await retrieve(client, id)).data.signerAddress ?? "";
      await page.getByRole("searchbox").fill(payer.slice(0, 22));
      await page.keyboard.press("Enter");
      await page.waitForURL("**/payments?query=**");
      await page.getByRole("row").filter({ hasText: "Cherry desk" }).getByRole("link").click();
      await page.waitForURL(`**/payments/${id}`);
    },
  );

  task(
    "ship, by the keyboard alone",
    async () => `/payments/${id}`,
    async ({ page, tagged, press }) => {
      await press("Mark as shipped");
      await page.getByRole("dialog").waitFor();
      await press("Mark as shipped");
      await tagged("shipped");
    },
  );

  task(
    "refund in part",
    async () => `/payments/${id}`,
    async ({ page, click, confirm }) => {
      await click("Refund payer");
      await page.getByLabel("Amount in USDC").fill("25.00");
      await confirm(/^Refund 25\.00 USDC to 0x/);
      await page.getByText("25.00 USDC").first().waitFor();
    },
  );

  task(
    "answer a dispute with a file",
    async () => {
      const disputed = await fund(client, { description: "Lost parcel" });
      await post(client, disputed.id, "escrow/dispute", {
        reason: "The parcel did not arrive.",
        raisedBy: disputed.data.signerAddress,
      });
      id = disputed.id;
      return `/payments/${id}`;
    },
    async ({ page, click, confirm, tagged, screenshot }) => {
      await tagged("disputed");
      await click("Add evidence");
      await page.getByLabel("What happened").fill("It was handed over on Monday.");
      const buffer = Buffer.from("signed delivery note");
      const file = { name: "note.pdf", mimeType: "application/pdf", buffer };
      await page.getByLabel("Evidence file").setInputFiles(file);
      await page.getByRole("dialog").getByText("SHA-256:").waitFor();
      await confirm("Add evidence");
      await page.getByText("It was handed over on Monday.").waitFor();
      const hash = new Bun.CryptoHasher("sha256").update(buffer).digest("hex");
      expect((await retrieve(client, id)).data.metadata.disputeEvidence).to.equal(`sha256 0x${hash}`);
      await screenshot("dashboard-evidence");
    },
  );

  task(
    "see why a payout failed and retry",
    async () => {
      const settlementDestination = `fail_once_${randomBytes(6).toString("hex")}`;
      ({ id } = await fund(client, { autoRelease: true, settlementDestination }));
      await prove(client, id);
      await untilStatus(client, id, "REQUIRES_ACTION");
      return "/payments?merchantStatus=NEEDS_ACTION";
    },
    async ({ page, click, confirm }) => {
      await page.locator(`a[href$="${id}"]`).click();
      await click("Retry payout");
      const reason = page.getByRole("dialog").getByText(/^Reason: \S/);
      await reason.waitFor();
      await confirm(/^Retry payout/);
      await reason.waitFor({ state: "detached" });
    },
  );

  task("export a month", "/settlements", async ({ page, click }) => {
    const month = page.getByLabel("Month");
    const october = await month
      .locator("option")
      .filter({ hasText: /^October/ })
      .textContent();
    await month.selectOption({ label: october ?? "" });
    await page.waitForURL("**/settlements?created**");
    const [download] = await Promise.all([page.waitForEvent("download"), click("Export CSV")]);
    const [head] = (await Bun.file(await download.path()).text()).split("\r\n");
    expect(head).to.match(/^id,paymentIntentId,amount,/);
  });
});

describe("a person's own account", () => {
  it("gets a second factor by QR code, which the next sign-in requires", async () => {
    const me = await tasks.newUser();
    const { page } = me;
    await page.getByRole("link", { name: /^Your account/ }).click();
    await page.getByRole("button", { name: "Set up an app" }).click();
    await page.getByLabel("Your password").fill(me.password);
    await page.getByRole("dialog").getByRole("button", { name: "Set up an app" }).click();
    await page.getByRole("img", { name: "QR code for your authenticator app" }).waitFor();
    await me.expectSound();
    await me.screenshot("two-factor");
    const secret = (await page.getByTestId("totp-key").textContent()) ?? "";
    const code = () => computeTotp(`otpauth://totp/x?secret=${secret}`);
    await page.getByLabel("Six-digit code").fill(code());
    await page.getByRole("dialog").getByRole("button", { name: "Turn on" }).click();
    await page.getByTestId("backup-codes").waitFor();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.getByText("Sign-in requires a code").waitFor();
    await page.getByText("this session").waitFor();
    await me.expectSound();
    await me.screenshot("account");

    await page.getByRole("button", { name: "Sign out", exact: true }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await page.locator("#email").fill(me.email);
    await page.locator("#password").fill(me.password);
    await page.locator("button[type=submit]").click();
    const field = page.getByLabel("Code from your authenticator app");
    await field.fill("000000");
    await page.locator("button[type=submit]").click();
    await page.getByRole("alert").getByText("Incorrect code").waitFor();
    await me.expectSound();
    await field.fill(code());
    await page.locator("button[type=submit]").click();
    await page.getByRole("navigation", { name: "Sections" }).waitFor();
    await me.leave();
  });
});
