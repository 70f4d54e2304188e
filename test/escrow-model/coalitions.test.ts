// What each coalition can do at worst: every sequence of calls after the funding, against cells that were derived by hand.

import { expect, test } from "bun:test";
import { DEEP } from "#test/support/deep.ts";
import { differences } from "./search/compare.ts";
import { kindsWith } from "./search/scenario.ts";
import { RELEASE_TYPES } from "./terms.ts";

/** Calls of the coalition; `npm run test:deep` goes deeper. */
const DEPTH = DEEP ? 7 : 5;

for (const releaseType of RELEASE_TYPES) {
  test(`of ${releaseType} orders every coalition gains what its cell says, and nothing else`, () => {
    expect(kindsWith(releaseType).flatMap((kind) => differences(kind, DEPTH))).toEqual([]);
  });
}
