// The worst result of each coalition: every sequence of calls after funding, compared with cells that were derived by
// hand.
import { expect, test } from "bun:test";
import { DEEP } from "#test/support/deep.ts";
import { differences } from "./search/compare.ts";
import { kindsWith } from "./search/scenario.ts";
import { RELEASE_TYPES } from "./terms.ts";

/** Maximum number of coalition calls. `npm run test:deep` searches deeper. */
const DEPTH = DEEP ? 7 : 5;

for (const releaseType of RELEASE_TYPES) {
  test(`of ${releaseType} orders every coalition gains exactly what its cell says`, () => {
    expect(kindsWith(releaseType).flatMap((kind) => differences(kind, DEPTH))).toEqual([]);
  });
}
