// Breadth-first search of everything that can happen to a payout within bounds. It visits each situation once, by the
// shortest path.
import { type Bounds, type Move, movesFrom } from "./moves.ts";
import type { Job, Slots } from "./slots.ts";
import { isEnd, keyOf, type Situation, START, wrong } from "./state.ts";

interface Found {
  situation: Situation;
  from?: { found: Found; move: Move };
}

export interface Report {
  situations: number;
  moves: number;
  ends: number;
  /** Forbidden situations, each with its path. */
  violations: string[];
  /** Situations from which no helpful move leads to exactly one payment. */
  stuck: string[];
}

const way = (found: Found): string[] => (found.from ? [...way(found.from.found), found.from.move.name] : []);

const describe = (found: Found, what: string): string =>
  [what, ...way(found).map((step, index) => `  ${index + 1}. ${step}`), `  ${keyOf(found.situation)}`].join(
    "\n",
  );

/** Number of violations that stops a search, because there may be infinitely many. */
const ENOUGH = 20;

/** Searches exhaustively, or until it has found enough violations. */
export async function search(slots: Slots, bounds: Bounds): Promise<Report> {
  const start: Found = { situation: START };
  const known = new Map<string, Found>([[keyOf(START), start]]);
  /** By key, the situations from which a helpful move leads to that key. */
  const helped = new Map<string, string[]>();
  const violations: string[] = [];
  let moves = 0;
  let layer = [start];

  const next: Found[] = [];
  const arrive = (found: Found, move: Move, situation: Situation, offence?: string) => {
    moves++;
    const key = keyOf(situation);
    if (move.helpful) helped.set(key, [...(helped.get(key) ?? []), keyOf(found.situation)]);
    const there = known.get(key);
    const arrived = there ?? { situation, from: { found, move } };
    const problem = offence ?? (there ? undefined : wrong(situation));
    if (problem) violations.push(describe({ situation, from: { found, move } }, problem));
    if (there) return;
    known.set(key, arrived);
    // The search does not continue from forbidden situations.
    if (!problem) next.push(arrived);
  };

  while (layer.length > 0 && violations.length < ENOUGH) {
    const jobs: (Job & { found: Found })[] = [];
    for (const found of layer) {
      for (const move of movesFrom(found.situation, bounds)) {
        if (move.kind === "world") arrive(found, move, move.to);
        else jobs.push({ found, move, situation: found.situation });
      }
    }
    for (let begin = 0; begin < jobs.length; begin += slots.count) {
      const batch = jobs.slice(begin, begin + slots.count);
      const outcomes = await slots.run(batch);
      for (const [index, { found, move }] of batch.entries()) {
        const outcome = outcomes[index];
        if (outcome) arrive(found, move, outcome.situation, outcome.offence);
      }
    }
    layer = next.splice(0);
  }

  const ends = [...known].filter(([, { situation }]) => isEnd(situation)).map(([key]) => key);
  const free = new Set(ends);
  for (const key of free) for (const before of helped.get(key) ?? []) free.add(before);
  const stuck = [...known]
    .filter(([key, { situation }]) => !free.has(key) && wrong(situation) === undefined)
    .map(([, found]) => describe(found, "nothing leads to one payment"));
  return { situations: known.size, moves, ends: ends.length, violations, stuck };
}
