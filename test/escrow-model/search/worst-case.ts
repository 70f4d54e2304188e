// A coalition's maximum gain from one kind of order. Computes the three columns of its cell by searching every sequence
// of its calls up to a depth. Time passes freely.
import type { Cell } from "./expected-cells.ts";
import type { Graph, Node } from "./graph.ts";
import { Replies } from "./replies.ts";
import type { Scenario } from "./scenario.ts";
import { World } from "./world.ts";

export function worstCase(graph: Graph, { kind, arbiter, members }: Scenario, depth: number): Cell {
  const world = new World(graph, members, arbiter === "fair");
  const silent = world.explore(depth, () => true);
  const isEarly = ({ order, now }: Node) =>
    kind.lock === "future" || kind.lock === "deadline"
      ? now < graph.terms.timeLockUntil
      : now <= order.deliveryDeadline;
  const early = world.explore(depth, isEarly);
  const reply = new Replies(world, kind.signedHalf).value(graph.start, depth, true);
  return { early, silent, reply };
}
