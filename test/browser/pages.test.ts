// How the pages of web/ are served: small, kept by the browser, and closed to everybody else.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import type { Browser } from "playwright-core";
import { Client } from "../api/support/client.ts";
import { create } from "../api/support/payments.ts";
import { originOf } from "../api/support/routes.ts";
import { type SharedStack, sharedStack } from "../support/shared-stack.ts";
import { startBrowser } from "./support/chromium.ts";
import { visit } from "./support/visitor.ts";

const FIRST_LOAD_LIMIT = 200_000;

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
  it("is ready to pay with less than 200 KB of JavaScript, compressed", async () => {
    const visitor = await visit(browser, originOf(stack));
    const sizes: Promise<number>[] = [];
    visitor.page.on("requestfinished", (request) => {
      if (request.resourceType() === "script") sizes.push(request.sizes().then((s) => s.responseBodySize));
    });
    await visitor.page.goto((await create(client)).data.paymentUrl);
    await visitor.page.getByRole("heading", { name: "Choose your wallet" }).waitFor();
    const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    console.log(`first load: ${total} bytes of JavaScript, gzipped`);
    expect(total).to.be.above(10_000).and.below(FIRST_LOAD_LIMIT);
    await visitor.leave();
  });

  it("may be neither framed nor mixed with anything from elsewhere", async () => {
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

  it("is asked for every time, and what it is made of never again", async () => {
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

  it("serves what was built and nothing else of the machine", async () => {
    for (const path of [
      "/assets/",
      "/assets/../package.json",
      "/assets/%2e%2e/sources.json",
      "/assets/x.js",
    ]) {
      expect((await fetch(new URL(path, page))).status, path).to.equal(404);
    }
  });

  it("is the same with and without the slash at its end", async () => {
    expect((await fetch(stack.paymentPageUrl)).status).to.equal(200);
  });
});

describe("an address without a payment", () => {
  it("is a page that says so, in the reader's language", async () => {
    for (const [locale, title] of [
      ["en-GB", "There is no such payment"],
      ["de-AT", "Diese Zahlung gibt es nicht"],
    ] as const) {
      const visitor = await visit(browser, originOf(stack), { locale });
      await visitor.page.goto(page);
      await visitor.page.getByRole("heading", { name: title }).waitFor();
      await visitor.expectSound();
      await visitor.leave();
    }
  });
});
