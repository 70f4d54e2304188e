// What of a page cannot be read as it is laid out.
import type { Page } from "playwright-core";

/** How much wider than the screen the page is, in pixels. */
export const readOverflow = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
