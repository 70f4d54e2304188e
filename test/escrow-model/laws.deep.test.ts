// The laws (contracts/README.md) hold in every state that any calls and time can reach, however many calls it takes.
import { expect, test } from "bun:test";
import { Graph } from "./search/graph.ts";
import { violations } from "./search/laws.ts";
import { describeKind, kindsWith } from "./search/scenario.ts";
import { exploreEverything } from "./search/world.ts";
import { RELEASE_TYPES } from "./terms.ts";

for (const releaseType of RELEASE_TYPES) {
  test(`${releaseType} orders satisfy the laws in every state`, () => {
    for (const kind of kindsWith(releaseType)) {
      const graph = new Graph(kind);
      exploreEverything(graph);
      expect({ kind: describeKind(kind), violations: violations(graph) }).toEqual({
        kind: describeKind(kind),
        violations: [],
      });
    }
  });
}
