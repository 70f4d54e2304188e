// How the pages of web/ are served: small, cached by the browser, and isolated from other sites.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import type { Browser } from "playwright-core";
import { Client } from "../api/support/client.ts";
import { create } from "../api/support/payments.ts";
import { originOf } from "../api/support/routes.ts";
import { signIn } from "../api/support/session.ts";
import { inDeep } from "../support/deep.ts";
import { type SharedStack, sharedStack } from "../support/shared-stack.ts";
import { startBrowser } from "./support/chromium.ts";
import { type Visitor, visit } from "./support/visitor.ts";

/** Maximum size, in bytes compressed with brotli, of everything that loads before a wallet is chosen. */
const FIRST_LOAD_LIMIT = 85_000;

let stack: SharedStack;
let browser: Browser;
let client: Client;
let page: string;

beforeAll(async () => {
  [stack, browser] = await Promise.all([sharedStack(), startBrowser()]);
  client = new Client(stack.baseUrl, stack.merchants[0]?.apiKey);
  page = `${stack.paymentPageUrl}/`;
});
afterAll(async () => {
  await browser?.close();
  await stack?.stop();
});

describe("the payment page", () => {
  it("is ready to pay with at most 85 KB of compressed JavaScript, on a phone and on a desktop without a wallet", async () => {
    for (const viewport of ["phone", "desktop"] as const) {
      const visitor = await visit(browser, originOf(stack), { viewport });
      const sizes: Promise<number>[] = [];
      visitor.page.on("requestfinished", (request) => {
        if (request.resourceType() === "script") sizes.push(request.sizes().then((s) => s.responseBodySize));
      });
      await visitor.page.goto((await create(client)).data.paymentUrl);
      await visitor.page.locator(".unstarted").waitFor({ state: "detached" });
      await visitor.page.getByRole("heading", { name: /^(Open this page|No wallet found)/ }).waitFor();
      const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
      console.log(`first load, ${viewport}: ${total} bytes of JavaScript, compressed`);
      expect(total).to.be.above(10_000).and.at.most(FIRST_LOAD_LIMIT);
      await visitor.leave();
    }
  });

  it("contains its payment as text before any script has run, regardless of the content", async () => {
    const description = "</script><script>alert(1)</script><b>Oak</b>";
    const { data } = await create(client, { amount: "1234.50", description });
    const answer = await fetch(data.paymentUrl, {
      headers: { "accept-language": "de-DE,de;q=0.9,en;q=0.8", "accept-encoding": "br" },
    });
    expect(answer.headers.get("cache-control")).to.equal("no-store");
    expect(answer.headers.get("content-encoding")).to.equal("br");
    const html = await answer.text();
    expect(html).to.include('<html lang="de" dir="ltr">').and.to.include("1.234,50");
    expect(html).to.include("Wählen Sie Ihre Wallet").and.to.include("&lt;b&gt;Oak&lt;/b&gt;");
    for (const never of ["<script>alert", "<b>Oak", "typedData"]) expect(html).not.to.include(never);
  });

  it("can be neither framed nor combined with external content", async () => {
    const { status, headers } = await fetch(page);
    expect(status).to.equal(200);
    const policy = headers.get("content-security-policy") ?? "";
    for (const rule of [
      "default-src 'none'",
      "script-src 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ]) {
      expect(policy).to.include(rule);
    }
    expect(policy).not.to.include("unsafe");
    expect(headers.get("x-content-type-options")).to.equal("nosniff");
    expect(headers.get("referrer-policy")).to.equal("no-referrer");
  });

  it("is revalidated on every load, but its assets never are", async () => {
    const document = await fetch(page);
    expect(document.headers.get("cache-control")).to.equal("no-store");
    const assets = [...(await document.text()).matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(
      ([, path]) => path,
    );
    expect(assets.length).to.be.at.least(3);
    for (const path of assets) {
      const asset = await fetch(new URL(path ?? "", page));
      expect(asset.status, path).to.equal(200);
      expect(asset.headers.get("cache-control"), path).to.include("immutable");
      expect(asset.headers.get("x-content-type-options"), path).to.equal("nosniff");
    }
  });

  it("serves only the built files", async () => {
    for (const path of [
      "/assets/",
      "/assets/../package.json",
      "/assets/%2e%2e/sources.json",
      "/assets/x.js",
    ]) {
      expect((await fetch(new URL(path, page))).status, path).to.equal(404);
    }
  });

  inDeep("is the same with and without a trailing slash", async () => {
    expect((await fetch(stack.paymentPageUrl)).status).to.equal(200);
  });
});

describe("a URL without a payment", () => {
  it("shows an error page in the user's language", async () => {
    for (const [locale, title] of [
      ["en-GB", "Payment not found"],
      ["de-AT", "Zahlung nicht gefunden"],
    ] as const) {
      const visitor = await visit(browser, originOf(stack), { locale });
      await visitor.page.goto(page);
      await visitor.page.getByRole("heading", { name: title }).waitFor();
      await visitor.expectSound();
      await visitor.leave();
    }
  });
});

/** Prepares and opens the payment page and the dashboard, and waits for their content. */
async function openBoth(
  prepare: (visitor: Visitor) => Promise<unknown>,
): Promise<Record<"pay" | "dashboard", Visitor>> {
  const [{ data }, { cookie }] = await Promise.all([
    create(client, { description: "Oak table" }),
    signIn(stack),
  ]);
  const [pay, dashboard] = await Promise.all([
    visit(browser, originOf(stack)),
    visit(browser, originOf(stack)),
  ]);
  const [name = "", value = ""] = cookie.split("=", 2);
  await dashboard.context.addCookies([{ name, value, url: originOf(stack) }]);
  await Promise.all([prepare(pay), prepare(dashboard)]);
  await Promise.all([pay.page.goto(data.paymentUrl), dashboard.page.goto(`${originOf(stack)}/dashboard`)]);
  return { pay, dashboard };
}

describe("the payment page and the dashboard work", () => {
  const BROWSERS: [what: string, prepare: () => void][] = [
    [
      "in a browser that names a language which is none",
      () => Object.defineProperty(navigator, "languages", { get: () => ["en-US@posix"] }),
    ],
    [
      "in a browser that keeps nothing",
      () =>
        Object.defineProperty(window, "localStorage", {
          get: () => {
            throw new DOMException("Access is denied for this document.", "SecurityError");
          },
        }),
    ],
  ];

  inDeep.each(BROWSERS)("%s", async (_, prepare) => {
    const { pay, dashboard } = await openBoth(({ page: opened }) => opened.addInitScript(prepare));
    await pay.page.getByRole("heading", { name: "Choose your wallet" }).waitFor();
    await dashboard.page
      .getByRole("row")
      .filter({ hasText: "Oak table" })
      .getByText("100.00 USDC")
      .first()
      .waitFor();
    for (const visitor of [pay, dashboard]) {
      await visitor.page.getByRole("button", { name: "Deutsch" }).click();
      await visitor.page.locator("html[lang=de]").waitFor();
      expect(visitor.problems).to.deep.equal([]);
      await visitor.leave();
    }
  });

  it("without a part that has failed to load, and load that part on retry", async () => {
    const part = /\/assets\/(wallet-part|settlements-page)-/;
    const { pay, dashboard } = await openBoth(async ({ page: opened }) => {
      // Simulates a wallet that was connected when the page was last left.
      await opened.addInitScript(() => localStorage.setItem("wagmi.store", '{"state":{"current":"1"}}'));
      await opened.route(part, (route) => route.abort());
    });
    await dashboard.page.getByRole("link", { name: "Settlements" }).click();
    for (const [visitor, present, missing] of [
      [pay, pay.page.getByText("Oak table"), "Choose your wallet"],
      [dashboard, dashboard.page.getByRole("link", { name: "Developers" }), "Settlements"],
    ] as const) {
      await visitor.page.getByRole("alert").getByText("failed to load").waitFor();
      await present.waitFor();
      // The error names the payment, so that a payer who asks for help can quote it.
      if (visitor === pay)
        await pay.page
          .getByRole("alert")
          .getByText(/intent_[0-9a-f]{64}/)
          .waitFor();
      expect(visitor.problems.splice(0).filter((problem) => !problem.includes("/assets/"))).to.deep.equal([]);
      await visitor.expectSound();
      await visitor.screenshot(`missing-part-${missing.toLowerCase().replaceAll(" ", "-")}`);
      await visitor.page.unroute(part);
      await visitor.page.getByRole("button", { name: "Try again" }).click();
      await visitor.page.getByRole("heading", { name: missing }).waitFor();
      await visitor.leave();
    }
  });

  inDeep("say what to do when their script does not load at all", async () => {
    const { pay, dashboard } = await openBoth(({ page: opened }) =>
      opened.route(/\/assets\/.*\.js$/, (route) => route.abort()),
    );
    for (const { page: opened, leave } of [pay, dashboard]) {
      await opened.getByText("This page did not load completely.").waitFor();
      await opened.unroute(/\/assets\/.*\.js$/);
      await opened.getByRole("link", { name: "Reload" }).click();
      await opened.getByText("Oak table").first().waitFor();
      await leave();
    }
  });
});
