// A user with a real browser. The test fails if the page breaks one of its guarantees: by a script error, a violation
// of the content security policy, or an external request.
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

/** Passing rules are counted but not described, because describing them takes longer than checking them. */
const AXE: Parameters<AxeBuilder["options"]>[0] = {
  runOnly: { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] },
  resultTypes: ["violations"],
};

/** The minified file, which pages load in half the time of the package's main file. */
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
  /** The problems so far. A test that expects a problem removes it from the list. */
  problems: string[];
  /** Fails if the page broke a guarantee, or if its current state is inaccessible (WCAG 2.2 AA, checked with axe). */
  expectSound(): Promise<void>;
  /**
   * With SCREENSHOTS=1, saves a screenshot in each size, in light and dark mode, as
   * .data/screenshots/<name>-<size>-<scheme>.png.
   */
  screenshot(name: string): Promise<void>;
  leave(): Promise<void>;
};

/** @param origin the only origin that the page may contact */
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
    // An error response is not a page error. Other tests check how the page handles it.
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
      // The builder evaluates its source twice per analysis, so it gets an empty one; the page already has axe.
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
      // Waits for pending route handlers, which would otherwise fail once the page is closed.
      await page.unrouteAll({ behavior: "wait" });
      await context.close();
    },
  };
}
