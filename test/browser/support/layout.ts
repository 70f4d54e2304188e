// Finds unreadable content in a page's layout.
import type { Page } from "playwright-core";

/** Returns how far the page exceeds the screen's width, in pixels. */
export const readOverflow = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

/**
 * @returns one line for each text that overflows its element, the screen or its card; for each value that overflows its
 * field; and for each word that breaks across lines
 */
export const findUnreadable = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    /** Tolerance for borders and fractions of a pixel. */
    const SLACK = 1;
    /** Width of a select's arrow, in pixels. */
    const ARROW = 18;
    /** Longer words are ids, which may break. Email addresses are excluded. */
    const LONGEST_WORD = 24;
    const problems = new Set<string>();
    const report = (what: string, element: Element, text: string) =>
      problems.add(
        `${what}: <${element.tagName.toLowerCase()} class="${element.className}"> ${text.trim().slice(0, 60)}`,
      );
    const size = (value: string) => Number.parseFloat(value);

    /** Excludes text that only screen readers see, which is one pixel in size. */
    const isShown = (element: Element) =>
      element.checkVisibility({ visibilityProperty: true }) &&
      element.closest(".hidden, .skip") === null &&
      (element.closest("thead")?.getBoundingClientRect().width ?? 2) > 1;

    const checkField = (field: HTMLInputElement | HTMLSelectElement) => {
      const isSelect = field instanceof HTMLSelectElement;
      const text = isSelect
        ? (field.selectedOptions[0]?.textContent ?? "")
        : field.value || field.placeholder;
      const style = getComputedStyle(field);
      const context = document.createElement("canvas").getContext("2d");
      if (!context) return;
      context.font = style.font;
      const room =
        field.clientWidth - size(style.paddingLeft) - size(style.paddingRight) - (isSelect ? ARROW : 0);
      if (context.measureText(text).width > room + SLACK) report("does not fit its field", field, text);
    };

    const checkWords = (element: Element, node: Text) => {
      if (element.closest("code, pre, .hex, .secret") !== null) return;
      for (const { 0: word, index } of (node.textContent ?? "").matchAll(/[\p{L}\p{N}.,:@]+/gu)) {
        if (word.length > LONGEST_WORD || word.includes("@")) continue;
        const range = document.createRange();
        range.setStart(node, index);
        range.setEnd(node, index + word.length);
        const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
        if (lines.size > 1) report("broken in two", element, word);
      }
    };

    const checkText = (element: Element, texts: Text[]) => {
      const text = element.textContent ?? "";
      // Inline elements have no size of their own.
      const isBlock = element.clientWidth > 0;
      if (isBlock && element.scrollWidth > element.clientWidth + SLACK)
        report("wider than its element", element, text);
      const isCut = ["hidden", "clip"].includes(getComputedStyle(element).overflowY);
      if (isBlock && isCut && element.scrollHeight > element.clientHeight + SLACK)
        report("cut off below", element, text);
      const { left, right } = element.getBoundingClientRect();
      if (left < -SLACK || right > document.documentElement.clientWidth + SLACK)
        report("beyond the screen", element, text);
      const card = element.parentElement?.closest(".card");
      if (card) {
        const { paddingRight } = getComputedStyle(card);
        if (right > card.getBoundingClientRect().right - size(paddingRight) + SLACK)
          report("beyond its card", element, text);
      }
      for (const node of texts) checkWords(element, node);
    };

    for (const element of document.body.querySelectorAll("*")) {
      if (!isShown(element)) continue;
      if (element instanceof HTMLSelectElement) checkField(element);
      else if (element instanceof HTMLInputElement) {
        if (["text", "search", "email", "url", "number"].includes(element.type)) checkField(element);
      } else if (!(element instanceof HTMLOptionElement)) {
        const texts = [...element.childNodes].filter((node) => node instanceof Text);
        if (texts.some((node) => node.textContent?.trim())) checkText(element, texts);
      }
    }
    return [...problems];
  });
