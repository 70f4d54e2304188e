// Checks the laws (contracts/README.md) that apply to a single state or step, on everything that a search has reached.
import { type Call, isRefused } from "../calls.ts";
import { apply } from "../operations/apply.ts";
import { due, hasUnreleasedStatus, isPayeeVested, type Order, unreleased } from "../order.ts";
import type { Address } from "../terms.ts";
import type { Edge, Graph, Node } from "./graph.ts";
import type { Role } from "./scenario.ts";

export interface Violation {
  law: string;
  /** The path to the violation. */
  steps: string[];
}

/** Returns every violation among the states and steps of the graph. */
export function violations(graph: Graph): Violation[] {
  return new Laws(graph).violations();
}

type Report = (law: string) => void;

class Laws {
  private readonly known = new Map<Node, Takeable>();
  private readonly found: Violation[] = [];

  constructor(private readonly graph: Graph) {}

  violations(): Violation[] {
    // The list grows during iteration, because an exit may need a time that has not been reached yet.
    for (const node of this.graph.nodes) {
      this.checkState(node, (law) => this.found.push({ law, steps: pathTo(node) }));
      for (const edges of node.edges) {
        for (const edge of edges ?? []) {
          const { by, call } = edge;
          this.checkStep(node, edge, (law) =>
            this.found.push({ law, steps: [...pathTo(node), describeStep(by, call, node)] }),
          );
        }
      }
    }
    return this.found;
  }

  private checkState(node: Node, broken: Report): void {
    const { graph } = this;
    const { order } = node;
    const rest = unreleased(order, graph.terms);
    if (rest < 0n || due(order) < 0n) broken("1 solvency: more has left than was funded");
    if (hasUnreleasedStatus(order) ? rest === 0n : rest !== 0n)
      broken("1 solvency: the status does not fit the amounts");
    if (order.status === "Completed" && due(order) !== 0n)
      broken("1 solvency: Completed, and something is due");
    if (!hasUnreleasedStatus(order)) return;

    if (soloGain(graph, node, "payer", ({ refunded }) => refunded) < this.owedToPayer(node))
      broken(
        "2 exit: the payer cannot get on its own, even with unlimited time, what is neither vested, proven nor shipped",
      );
    if (order.proven && soloGain(graph, node, "payee", ({ released }) => released) < rest)
      broken("proven funds are stuck: the payee cannot get them on its own, even with unlimited time");
    if (order.status === "Disputed" && order.disputeDeadline > order.deliveryDeadline)
      broken("5 own rights: a dispute outlasts the delivery deadline");
    const later = graph.later(node);
    if (later && this.isLess(this.takeable(later), this.takeable(node)))
      broken("3 vested: time removes what a party could take");
  }

  private checkStep(node: Node, { by, applied, to }: Edge, broken: Report): void {
    const before = node.order;
    const after = applied.state;
    const { payee, offRamp } = this.graph.terms;
    const sent = (receiver: Address) => {
      let sum = 0n;
      for (const transfer of applied.transfers) if (transfer.to === receiver) sum += transfer.amount;
      return sum;
    };
    if (applied.transfers.some((one) => one.to !== before.payer && one.to !== payee && one.to !== offRamp))
      broken("6 destinations: funds reach somebody else");
    const refunded = after.refunded - before.refunded;
    const released = after.released - before.released;
    if (sent(before.payer) !== refunded) broken("1 solvency: what the payer gets is not what is refunded");
    if (
      sent(payee) !== after.withdrawn - before.withdrawn ||
      sent(offRamp) !== after.settled - before.settled ||
      released < 0n
    )
      broken("1 solvency: what leaves for the merchant is not what was released");
    if (!before.payerDisputed && after.payerDisputed && by !== "payer")
      broken("5 own rights: somebody else spends the payer's dispute");
    if (!before.merchantDisputed && after.merchantDisputed && by === "payer")
      broken("5 own rights: the payer spends the merchant's dispute");

    const could = this.takeable(node);
    const can = this.takeable(to);
    if (by !== "payer" && can.payer + refunded < could.payer)
      broken("3 vested: somebody else's call removes what the payer could take");
    if (by !== "payee" && can.payee + released < could.payee)
      broken("3 vested: somebody else's call removes what the payee could take");
  }

  /** Returns the share of the unreleased units that law 2 guarantees to the payer. */
  private owedToPayer({ order, now }: Node): bigint {
    const { terms, withoutFix } = this.graph;
    const status = order.status === "Disputed" ? order.statusBefore : order.status;
    const shipped = status === "Shipped" || status === "Delivered";
    if (order.proven || isPayeeVested({ order, terms, now, withoutFix })) return 0n;
    if (terms.releaseType === "TIME_LOCKED" && shipped) return 0n;
    return unreleased(order, terms);
  }

  private isLess(a: Takeable, b: Takeable): boolean {
    return a.payer < b.payer || a.payee < b.payee;
  }

  private takeable(node: Node): Takeable {
    let takeable = this.known.get(node);
    if (!takeable) {
      takeable = {
        payer: takeableNow(this.graph, node, "payer", ["reclaim"], ({ refunded }) => refunded),
        payee: takeableNow(
          this.graph,
          node,
          "payee",
          ["release", "releaseTimeLocked"],
          ({ released }) => released,
        ),
      };
      this.known.set(node, takeable);
    }
    return takeable;
  }
}

/** The amount that each party can take at this time with its own calls, after an expired dispute is closed. */
interface Takeable {
  payer: bigint;
  payee: bigint;
}

function takeableNow(
  graph: Graph,
  { order, now }: Node,
  caller: "payer" | "payee",
  names: readonly ("reclaim" | "release" | "releaseTimeLocked")[],
  taken: (order: Order) => bigint,
): bigint {
  if (!hasUnreleasedStatus(order)) return 0n;
  const context = { terms: graph.terms, caller, now, withoutFix: graph.withoutFix };
  const expired = apply(order, { name: "resolveExpiredDispute" }, context);
  const state = isRefused(expired) ? order : expired.state;
  let most = taken(state);
  for (const name of names) {
    const result = apply(state, { name }, context);
    if (!isRefused(result) && taken(result.state) > most) most = taken(result.state);
  }
  return most - taken(order);
}

/** Returns the maximum that a party can get with only its own calls and time. This requires no dispute. */
function soloGain(graph: Graph, node: Node, by: "payer" | "payee", gained: (order: Order) => bigint): bigint {
  const most = unreleased(node.order, graph.terms);
  let best = 0n;
  const seen = new Set([node]);
  const ahead = [node];
  const enter = (next: Node | null) => {
    if (!next || seen.has(next)) return;
    seen.add(next);
    ahead.push(next);
  };
  for (const at of ahead) {
    const gain = gained(at.order) - gained(node.order);
    if (gain > best) best = gain;
    if (best === most) break;
    enter(graph.later(at));
    for (const { call, to } of graph.edges(at, by)) if (EXITS.has(call.name)) enter(to);
  }
  return best;
}

const EXITS = new Set<Call["name"]>(["reclaim", "release", "releaseTimeLocked", "resolveExpiredDispute"]);

function pathTo(node: Node): string[] {
  const steps: string[] = [];
  for (let at = node; at.from; at = at.from.node) {
    const { by, call, node: before } = at.from;
    if (by !== "time" && call) steps.unshift(describeStep(by, call, before));
  }
  return steps;
}

function describeStep(by: Role, call: Call, { now }: Node): string {
  const { name, ...args } = call;
  return `${now}: ${by} ${name}(${Object.values(args).join(", ")})`;
}
