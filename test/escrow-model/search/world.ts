// A state graph from one coalition's point of view: which calls count, how much the coalition has gained, and how the
// arbiter acts.
import type { Graph, Node } from "./graph.ts";
import { AMOUNT, ROLES, type Role } from "./scenario.ts";

export class World {
  constructor(
    readonly graph: Graph,
    readonly members: readonly Role[],
    private readonly fairArbiter: boolean,
  ) {}

  /** Returns the amount that has reached the coalition. */
  gain({ order }: Node): bigint {
    let gain = 0n;
    if (this.members.includes("payer")) gain += order.refunded;
    if (this.members.includes("payee")) gain += order.withdrawn;
    if (this.members.includes("operator")) gain += order.settled;
    return gain;
  }

  /** Returns the maximum amount that can reach the coalition by the end. */
  most({ order }: Node): bigint {
    const payer = this.members.includes("payer");
    const payee = this.members.includes("payee");
    const operator = this.members.includes("operator");
    let most = AMOUNT;
    if (!payer) most -= order.refunded;
    if (!payee && !operator) most -= order.released;
    else if (!payee) most -= order.withdrawn;
    else if (!operator) most -= order.settled;
    return most;
  }

  /** Advances to the next time. A fair arbiter decides against the coalition in the last second of a dispute. */
  later(node: Node): Node | null {
    const { order, now } = node;
    if (this.fairArbiter && order.status === "Disputed" && now === order.disputeDeadline) {
      const ends = this.graph.edges(node, "arbiter").map(({ to }) => to);
      const decision = this.members.includes("payer")
        ? ends.find((end) => end.order.refunded === order.refunded)
        : ends.find((end) => end.order.released === order.released);
      if (!decision) throw new Error("The arbiter cannot decide a dispute within its window.");
      return decision;
    }
    return this.graph.later(node);
  }

  /**
   * Searches breadth-first. Returns the coalition's maximum gain in any state within a number of calls, with the others
   * silent.
   */
  explore(depth: number, mayEnter: (node: Node) => boolean): bigint {
    const { start } = this.graph;
    const seen = new Set<Node>([start]);
    let best = 0n;
    let layer = [start];
    for (let calls = 0; layer.length > 0; calls++) {
      const next: Node[] = [];
      // The layer grows during iteration, because a later time belongs to the same layer.
      for (const node of layer) {
        const gain = this.gain(node);
        if (gain > best) best = gain;
        const later = this.later(node);
        if (later && !seen.has(later) && mayEnter(later)) {
          seen.add(later);
          layer.push(later);
        }
        if (calls === depth) continue;
        for (const by of this.members) {
          for (const { to } of this.graph.edges(node, by)) {
            if (seen.has(to)) continue;
            seen.add(to);
            next.push(to);
          }
        }
      }
      layer = next;
    }
    return best;
  }
}

/** Expands the graph with every state that any calls can reach. */
export function exploreEverything(graph: Graph): void {
  new World(graph, ROLES, false).explore(Number.POSITIVE_INFINITY, () => true);
}
