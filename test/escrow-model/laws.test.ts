// The laws (contracts/README.md) hold in every reachable state, regardless of the number of calls: for one kind of
// order per release type, and in `npm run test:deep` for every kind.
import { expect, test } from "bun:test";
import { DEEP } from "#test/support/deep.ts";
import { Graph } from "./search/graph.ts";
import { violations } from "./search/laws.ts";
import { describeKind, kindsWith, plainKind } from "./search/scenario.ts";
import { exploreEverything } from "./search/world.ts";
import { RELEASE_TYPES } from "./terms.ts";

for (const releaseType of RELEASE_TYPES) {
  test(`${releaseType} orders satisfy the laws in every state`, () => {
    for (const kind of DEEP ? kindsWith(releaseType) : [plainKind(releaseType)]) {
      const graph = new Graph(kind);
      exploreEverything(graph);
      expect({ kind: describeKind(kind), violations: violations(graph) }).toEqual({
        kind: describeKind(kind),
        violations: [],
      });
    }
  });
}
