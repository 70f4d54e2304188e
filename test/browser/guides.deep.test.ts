// The guides at /docs are readable on phone and desktop, in light and dark mode, without scripts and offline.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import type { Browser } from "playwright-core";
import { loadGuides } from "#api/docs/load-guides.ts";
import { originOf } from "../api/support/routes.ts";
import { type SharedStack, sharedStack } from "../support/shared-stack.ts";
import { startBrowser } from "./support/chromium.ts";
import { type Appearance, visit } from "./support/visitor.ts";

let stack: SharedStack;
let browser: Browser;

beforeAll(async () => {
  [stack, browser] = await Promise.all([sharedStack(), startBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await stack?.stop();
});

const guides = loadGuides();
const APPEARANCES: [string, Appearance][] = [
  ["a phone, dark", { viewport: "phone", colorScheme: "dark" }],
  ["a desktop, light", { viewport: "desktop", colorScheme: "light" }],
];

describe("the guides", () => {
  it.each(APPEARANCES)("pass every layout and accessibility check on %s", async (name, appearance) => {
    const visitor = await visit(browser, originOf(stack), appearance);
    // One page each with text, with code and tables, and with pictures. All pages share one style sheet.
    for (const slug of ["", "errors", "release-types"]) {
      await visitor.page.goto(`${originOf(stack)}/docs/${slug}`);
      await visitor.expectSound();
      await visitor.screenshot(`guides-${slug || "home"}-${name.replace(/\W+/g, "-")}`);
    }
    await visitor.leave();
  });

  it("fit a phone: only wide content scrolls horizontally", async () => {
    const visitor = await visit(browser, originOf(stack), { viewport: "phone" });
    for (const { slug, title } of guides) {
      await visitor.page.goto(`${originOf(stack)}/docs/${slug}`);
      await visitor.page.getByRole("heading", { level: 1, name: title, exact: true }).waitFor();
      const over = await visitor.page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth",
      );
      expect(over, slug).to.equal(0);
    }
    await visitor.leave();
  });

  it("are searchable, and link to the section and to the reference", async () => {
    const visitor = await visit(browser, originOf(stack), { colorScheme: "dark" });
    const { page } = visitor;
    await page.goto(`${originOf(stack)}/docs`);
    await page.getByLabel("Search the guides").fill("magic destination");
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByRole("heading", { name: "Results for “magic destination”" }).waitFor();
    await visitor.expectSound();
    await page.getByRole("link", { name: "Magic destinations" }).click();
    await page.getByRole("heading", { name: "Magic destinations" }).waitFor();
    expect(page.url()).to.match(/\/docs\/testing#magic-destinations$/);
    await page.getByRole("link", { name: "API reference" }).click();
    await page.getByRole("link", { name: "Guides" }).waitFor();
    await visitor.leave();
  });

  it("show a query as text, and reject unknown pages", async () => {
    const search = await fetch(`${originOf(stack)}/docs/search?q=${encodeURIComponent('"><script>')}`);
    expect(await search.text())
      .to.include("&quot;&gt;&lt;script&gt;")
      .and.not.include("<script");
    expect(search.headers.get("content-security-policy")).to.include("default-src 'none'");
    expect((await fetch(`${originOf(stack)}/docs/nothing`)).status).to.equal(404);
  });
});
