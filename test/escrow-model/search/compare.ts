// Reports where the search's result differs from the expected cell.
import type { Fix } from "../fixes.ts";
import { type Cell, expectedCell } from "./expected-cells.ts";
import { Graph } from "./graph.ts";
import { describeScenario, type OrderKind, scenariosWith } from "./scenario.ts";
import { worstCase } from "./worst-case.ts";

/** Returns one line for each cell that differs. */
export function differences(kind: OrderKind, depth: number, withoutFix: Fix | null = null): string[] {
  const graph = new Graph(kind, withoutFix);
  return scenariosWith(kind).flatMap((scenario) => {
    const { because, ...expected } = expectedCell(scenario);
    const found = worstCase(graph, scenario, depth);
    if (found.early === expected.early && found.silent === expected.silent && found.reply === expected.reply)
      return [];
    return [`${describeScenario(scenario)}: ${show(found)}, expected ${show(expected)}: ${because}`];
  });
}

function show({ early, silent, reply }: Cell): string {
  return `early ${early}, silent ${silent}, reply ${reply}`;
}
