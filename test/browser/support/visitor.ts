// A user in front of a real browser. Anything that breaks the page's guarantees (a script error, a violation of the
// content security policy, an external request) fails the test.
import { mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { AxeBuilder } from "@axe-core/playwright";
import { expect } from "chai";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { paths } from "#scripts/shared/paths.ts";

export const VIEWPORTS = {
  phone: { width: 375, height: 812 },
  tablet: { width: 768, height: 1024 },
  desktop: { width: 1440, height: 900 },
} as const;

const PHONE =
  "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36";

/** Rules that pass are counted but not described, because describing takes longer than checking. */
const AXE: Parameters<AxeBuilder["options"]>[0] = {
  runOnly: { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] },
  resultTypes: ["violations"],
};

/** Minified: pages load it in half the time that the package's main file takes. */
const AXE_SOURCE = readFileSync(
  Bun.resolveSync("axe-core/axe.min.js", dirname(fileURLToPath(import.meta.resolve("@axe-core/playwright")))),
  "utf8",
);

export type Appearance = {
  viewport?: keyof typeof VIEWPORTS;
  colorScheme?: "light" | "dark";
  locale?: string;
};

export type Visitor = {
  page: Page;
  context: BrowserContext;
  /** The problems so far; a test that expects one removes it. */
  problems: string[];
  /** Fails if the page broke a guarantee or, in its current state, is inaccessible (WCAG 2.2 AA, by axe). */
  expectSound(): Promise<void>;
  /**
   * With SCREENSHOTS=1, saves a screenshot in each size, light and dark, as
   * .data/screenshots/<name>-<size>-<scheme>.png.
   */
  screenshot(name: string): Promise<void>;
  leave(): Promise<void>;
};

/** @param origin the only one that the page may contact */
export async function visit(browser: Browser, origin: string, appearance: Appearance = {}): Promise<Visitor> {
  const { viewport = "desktop", colorScheme = "light", locale = "en-GB" } = appearance;
  const options: BrowserContextOptions = {
    viewport: VIEWPORTS[viewport],
    deviceScaleFactor: viewport === "phone" ? 2 : 1,
    hasTouch: viewport === "phone",
    ...(viewport === "phone" ? { userAgent: PHONE } : {}),
    colorScheme,
    locale,
    timezoneId: "Europe/Berlin",
    reducedMotion: "reduce",
  };
  const context = await browser.newContext(options);
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(`script error: ${error.message}`));
  page.on("console", (message) => {
    // An error response is not the page's fault; how the page handles it is tested.
    if (message.type() !== "error" || message.text().startsWith("Failed to load resource")) return;
    problems.push(`console: ${message.text()}`);
  });
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.protocol !== "data:" && url.protocol !== "blob:" && url.origin !== origin) {
      problems.push(`request to somebody else: ${url.href}`);
    }
  });
  await page.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) =>
      console.error(`policy violated: ${event.violatedDirective} ${event.blockedURI}`),
    );
  });
  return {
    page,
    context,
    problems,
    async expectSound() {
      expect(problems).to.deep.equal([]);
      // A page without frames can be analyzed in one go; otherwise axe opens a second page to merge the frames'
      // results.
      expect(page.frames(), "frames").to.have.length(1);
      if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(AXE_SOURCE);
      // The builder evaluates its source twice for each analysis; the page already has axe.
      const builder = new AxeBuilder({ page, axeSource: ";" });
      const { violations } = await builder.setLegacyMode().options(AXE).analyze();
      const violated = violations.map(
        ({ id, nodes }) =>
          `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join("; ")}`,
      );
      expect(violated).to.deep.equal([]);
    },
    async screenshot(name) {
      if (process.env.SCREENSHOTS !== "1") return;
      mkdirSync(paths.screenshots, { recursive: true });
      const before = page.viewportSize() ?? VIEWPORTS[viewport];
      for (const [size, shape] of Object.entries(VIEWPORTS)) {
        await page.setViewportSize(shape);
        for (const scheme of ["light", "dark"] as const) {
          await page.emulateMedia({ colorScheme: scheme });
          const path = join(paths.screenshots, `${name}-${size}-${scheme}.png`);
          await page.screenshot({ path, fullPage: true });
        }
      }
      await page.setViewportSize(before);
      await page.emulateMedia({ colorScheme });
    },
    async leave() {
      // A request that a test's route is still answering would fail after the page.
      await page.unrouteAll({ behavior: "wait" });
      await context.close();
    },
  };
}
