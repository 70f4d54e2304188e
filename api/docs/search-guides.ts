// Searches the guides for sections in which every word of the query is a prefix of a word. A section whose title is the query
// comes first, then the best match.
import type { Section } from "./load-guides.ts";

export type Hit = { section: Section; excerpt: string };

const MOST = 20;
const EXCERPT = 160;

const splitWords = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];

/** A match in the title scores higher than a match in the text, and a full word scores higher than a prefix. */
function score(section: Section, word: string): number {
  const rate = (text: string, complete: number, beginning: number) =>
    splitWords(text).reduce(
      (sum, one) => sum + (one === word ? complete : one.startsWith(word) ? beginning : 0),
      0,
    );
  return 20 * rate(section.title, 2, 1) + Math.min(rate(section.text, 2, 1), 20);
}

function buildExcerpt({ text }: Section, words: readonly string[]): string {
  const found = words.map((word) =>
    text.toLowerCase().search(new RegExp(`(?<![\\p{L}\\p{N}_])${word}`, "u")),
  );
  const at = Math.max(0, Math.min(...found.filter((index) => index >= 0), text.length) - EXCERPT / 4);
  const start = at === 0 ? 0 : text.indexOf(" ", at) + 1;
  const end = start + EXCERPT;
  return `${start > 0 ? "… " : ""}${text.slice(start, end).trim()}${end < text.length ? " …" : ""}`;
}

export function searchGuides(sections: readonly Section[], query: string): Hit[] {
  const words = [...new Set(splitWords(query.slice(0, 100)))];
  if (words.length === 0) return [];
  const sought = splitWords(query).join();
  return sections
    .map((section) => ({ section, scores: words.map((word) => score(section, word)) }))
    .filter(({ scores }) => scores.every((one) => one > 0))
    .map(({ section, scores }) => ({
      section,
      isTitle: splitWords(section.title).join() === sought,
      total: scores.reduce((sum, one) => sum + one, 0),
    }))
    .sort((a, b) => Number(b.isTitle) - Number(a.isTitle) || b.total - a.total)
    .slice(0, MOST)
    .map(({ section }) => ({ section, excerpt: buildExcerpt(section, words) }));
}
