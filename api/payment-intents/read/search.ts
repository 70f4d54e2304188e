// Finds a merchant's payments by search text: an id or its prefix, an address or a part of it, a transaction
// hash, or words of the description or of metadata values. Every word must match. Each word is looked up
// separately in an index, up to a maximum number of rows, and the matches are verified against the current
// payment.
import { and, asc, between, desc, eq, gt, lt, type SQL, sql } from "drizzle-orm";
import type { Caller } from "#core/api-keys/api-keys.ts";
import { intentIdText } from "#core/db/as-text.ts";
import { isAmong } from "#core/db/is-among.ts";
import { intent } from "#core/db/schema/intents.ts";
import { searchTerm } from "#core/db/schema/search-terms.ts";
import type { IntentId } from "#core/ids.ts";
import type { IntentView } from "#core/intent/read-intent.ts";
import { collectHexes, describedWords, fromEnd, indexed, wordsIn } from "#core/search/derive-search-terms.ts";
import type { Services } from "../../services.ts";

/** Maximum number of rows that one look-up reads. If a term has more, the newest rows are read. */
const MOST_FOUND = 100;
/** Maximum number of words in a search. Further words are ignored. */
const MOST_WORDS = 6;

type Subject = { words: string[]; hexes: string[] };
export type Word = { lookups: Lookup[]; matches(subject: Subject): boolean };
type Lookup = { term: string } | { idPrefix: string };

const ID = /^(?:intent_|escrow_)([0-9a-f]{4,64})$/;
const HEX = /^0x[0-9a-f]{4,64}$/;
/** An address as shortened by the dashboard, or only the end of one. */
const SHORTENED = /^(0x[0-9a-f]*)?(?:…|\.{2,3})([0-9a-f]{4,})$/;
const BARE_HEX = /^[0-9a-f]{4,64}$/;

const byEnd = (end: string): Lookup => ({ term: fromEnd(end) });

function hexWords(text: string): Word | undefined {
  const [, id] = ID.exec(text) ?? [];
  if (id)
    return { lookups: [{ idPrefix: id }], matches: ({ hexes }) => hexes[0]?.startsWith(`0x${id}`) ?? false };
  const [, start = "", end] = SHORTENED.exec(text) ?? [];
  if (end) {
    return {
      lookups: [byEnd(end)],
      matches: ({ hexes }) => hexes.some((hex) => hex.startsWith(start) && hex.endsWith(end)),
    };
  }
  if (!HEX.test(text)) return undefined;
  return {
    lookups: [{ term: indexed(text) }, { idPrefix: text.slice(2) }],
    matches: ({ hexes }) => hexes.some((hex) => hex.startsWith(text)),
  };
}

function plainWord(text: string): Word {
  const isHex = BARE_HEX.test(text);
  return {
    lookups: [
      { term: indexed(text) },
      ...(isHex ? [{ term: indexed(`0x${text}`) }, { idPrefix: text }, byEnd(text)] : []),
    ],
    matches: ({ words, hexes }) =>
      words.some((word) => word.startsWith(text)) ||
      (isHex && hexes.some((hex) => hex.startsWith(`0x${text}`) || hex.endsWith(text))),
  };
}

export function parseSearch(text: string): Word[] {
  const parts = text.trim().toLowerCase().split(/\s+/);
  const words = parts.flatMap((part) => hexWords(part) ?? wordsIn(part).map(plainWord));
  return words.slice(0, MOST_WORDS);
}

/** Whether a payment matches the search. */
export function isFoundBy(words: readonly Word[], view: IntentView): boolean {
  const subject = { words: describedWords(view.intent), hexes: collectHexes(view) };
  return words.every((word) => word.matches(subject));
}

const LAST_CHARACTER = "\u{10ffff}";

/** The query of one look-up, and whether it finds exact matches or prefix matches. */
type Reading = { query: SQL; isExact: boolean };

/** Finds payments with a term, newest first, and payments with terms that start with it. */
const byTerm = ({ merchantId }: Caller, term: string): Reading[] => {
  const rows = (condition: SQL | undefined, order: SQL) => sql`
    select ${intentIdText(searchTerm.intentId)} as id from ${searchTerm}
    where ${eq(searchTerm.merchantId, merchantId)} and ${condition} order by ${order} limit ${MOST_FOUND}`;
  const hasPrefix = and(gt(searchTerm.term, term), lt(searchTerm.term, term + LAST_CHARACTER));
  return [
    { query: rows(eq(searchTerm.term, term), desc(searchTerm.createdAt)), isExact: true },
    { query: rows(hasPrefix, asc(searchTerm.term)), isExact: false },
  ];
};

/** Finds payments by the prefix of their id. */
const byId = ({ merchantId }: Caller, prefix: string): Reading => ({
  query: sql`
    select ${intentIdText(intent.id)} as id from ${intent}
    where ${between(intent.id, `intent_${prefix.padEnd(64, "0")}`, `intent_${prefix.padEnd(64, "f")}`)}
      and ${eq(intent.merchantId, merchantId)} order by ${intent.id} limit ${MOST_FOUND}`,
  isExact: false,
});

type Found = { id: IntentId; part: number };

/** The indexed payments of a word. `all` and `exact` are undefined if there are more than a look-up reads. */
type Candidates = { all: Set<IntentId> | undefined; exact: Set<IntentId> | undefined; some: Set<IntentId> };

async function findWordCandidates(
  { database }: Services,
  caller: Caller,
  { lookups }: Word,
): Promise<Candidates> {
  const readings = lookups.flatMap((lookup) =>
    "term" in lookup ? byTerm(caller, lookup.term) : [byId(caller, lookup.idPrefix)],
  );
  const parts = readings.map(({ query }, part) => sql`(select id, ${part}::int as part from (${query}) p)`);
  const { rows } = await database.execute<Found>(sql.join(parts, sql` union all `));
  const collectIds = (isAsked: (reading: Reading) => boolean) => {
    const found = readings.flatMap((reading, part) =>
      isAsked(reading) ? [rows.filter((row) => row.part === part).map(({ id }) => id)] : [],
    );
    const ids = new Set(found.flat());
    return { ids, isComplete: found.every(({ length }) => length < MOST_FOUND) };
  };
  const [all, exact] = [collectIds(() => true), collectIds(({ isExact }) => isExact)];
  return {
    all: all.isComplete ? all.ids : undefined,
    exact: exact.isComplete && exact.ids.size > 0 ? exact.ids : undefined,
    some: all.ids,
  };
}

const present = <T>(values: readonly (T | undefined)[]): T[] => values.filter((value) => value !== undefined);

const inEach = ([first, ...rest]: readonly Set<IntentId>[]): IntentId[] =>
  first ? [...first].filter((id) => rest.every((ids) => ids.has(id))) : [];

/**
 * Finds the ids of payments that may match every word. Words that are too common to be read completely are
 * ignored if others are not. If all words are too common as prefixes, exact matches come first.
 * @returns lists to try in order, until one contains a match
 */
export async function findCandidates(
  services: Services,
  caller: Caller,
  words: readonly Word[],
): Promise<IntentId[][]> {
  const found = await Promise.all(words.map((word) => findWordCandidates(services, caller, word)));
  const complete = present(found.map(({ all }) => all));
  if (complete.length > 0) return [inEach(complete)];
  const exact = inEach(present(found.map((one) => one.exact)));
  return [exact, inEach(found.slice(0, 1).map(({ some }) => some))];
}

/** Restricts a list to the given payments. */
export const amongCandidates = (ids: readonly IntentId[]): SQL => isAmong(intent.id, ids);
