// The states of an order that calls and time can reach. Equal states are merged, and successors are computed lazily.
// From any state, time can advance to the next relevant moment: a second before, at, or a second after a deadline.
import { type Applied, type Call, isRefused } from "../calls.ts";
import type { Fix } from "../fixes.ts";
import { apply } from "../operations/apply.ts";
import { hasUnreleasedStatus, type Order, STATUSES, unreleased } from "../order.ts";
import type { Terms } from "../terms.ts";
import {
  AMOUNT,
  EXPECTED_HASH,
  FUNDED_AT,
  HALF,
  type OrderKind,
  OTHER_HASH,
  ROLES,
  type Role,
  termsWith,
  WINDOWS,
} from "./scenario.ts";

export interface Node {
  id: number;
  order: Order;
  now: number;
  /** How the search first reached this state. */
  from: { node: Node; by: Role | "time"; call: Call | null } | null;
  /** The edges by role, in the order of `ROLES`; undefined until they are computed. */
  edges: (readonly Edge[] | undefined)[];
  later: Node | null | undefined;
}

export interface Edge {
  by: Role;
  call: Call;
  applied: Applied;
  to: Node;
}

export class Graph {
  readonly nodes: Node[] = [];
  readonly start: Node;
  readonly terms: Terms;
  private readonly byKey = new Map<number, Node>();
  private readonly calls: readonly Call[];

  constructor(
    readonly kind: OrderKind,
    readonly withoutFix: Fix | null = null,
    overrides: Partial<Terms> = {},
  ) {
    this.terms = { ...termsWith(kind), ...overrides };
    this.calls = callsOn(kind, this.terms);
    const call: Call = { name: "createOrder", payer: "payer" };
    const funded = apply(null, call, { terms: this.terms, caller: "payer", now: FUNDED_AT, withoutFix });
    if (isRefused(funded)) throw new Error(`The order cannot be funded: ${funded.error}`);
    this.start = this.intern(funded.state, FUNDED_AT, null);
  }

  /** Returns one call of the role for each different state to which its calls lead. */
  edges(node: Node, by: Role): readonly Edge[] {
    const index = ROLES.indexOf(by);
    let edges = node.edges[index];
    if (!edges) {
      edges = this.explore(node, by);
      node.edges[index] = edges;
    }
    return edges;
  }

  /**
   * Returns the same order at the next relevant moment (`nextMoment`); null if there is none.
   */
  later(node: Node): Node | null {
    if (node.later === undefined) {
      const next = nextMoment(node, this.terms);
      node.later = next === null ? null : this.intern(node.order, next, { node, by: "time", call: null });
    }
    return node.later;
  }

  private explore(node: Node, by: Role): Edge[] {
    const context = { terms: this.terms, caller: by, now: node.now, withoutFix: this.withoutFix };
    const edges = new Map<Node, Edge>();
    const attempt = (call: Call) => {
      const applied = apply(node.order, call, context);
      if (isRefused(applied)) return;
      const to = this.intern(applied.state, node.now, { node, by, call });
      if (to !== node && !edges.has(to)) edges.set(to, { by, call, applied, to });
    };
    this.calls.forEach(attempt);
    attempt({ name: "refund", amount: unreleased(node.order, this.terms) });
    return [...edges.values()];
  }

  private intern(order: Order, now: number, from: Node["from"]): Node {
    const key = this.keyOf(order, now);
    let node = this.byKey.get(key);
    if (!node) {
      node = { id: this.nodes.length, order, now, from, edges: [], later: undefined };
      this.nodes.push(node);
      this.byKey.set(key, node);
    }
    return node;
  }

  /**
   * Two states with the same key have the same future. The key contains the time left until each deadline, where all
   * passed deadlines are equal, and no deadlines if nothing is left to release.
   */
  private keyOf(order: Order, now: number): number {
    let key = STATUSES.indexOf(order.status);
    const add = (size: number, value: number) => {
      key = key * size + value;
    };
    for (const amount of [order.released, order.refunded, order.settled, order.withdrawn])
      add(Number(AMOUNT) + 1, Number(amount));
    if (this.withoutFix === "F6") add(5, order.milestones);
    if (!hasUnreleasedStatus(order)) return -key;
    const disputed = order.status === "Disputed";
    const left = (until: number) => Math.max(until - now, -1) + 1;
    add(2, order.proven ? 1 : 0);
    add(2, order.payerDisputed ? 1 : 0);
    add(2, order.merchantDisputed ? 1 : 0);
    add(4, disputed ? 1 + STATUSES.indexOf(order.statusBefore) : 0);
    add(2, disputed && order.disputeSide === "payer" ? 1 : 0);
    add(2_000, left(order.deliveryDeadline));
    add(600, disputed ? left(order.disputeDeadline) : 0);
    add(600, left(this.terms.timeLockUntil));
    return key;
  }
}

function nextMoment({ order, now }: Node, terms: Terms): number | null {
  if (!hasUnreleasedStatus(order)) return null;
  const boundaries = [order.deliveryDeadline];
  if (order.status === "Disputed") boundaries.push(order.disputeDeadline);
  if (terms.releaseType === "TIME_LOCKED") boundaries.push(terms.timeLockUntil);
  let next: number | null = null;
  for (const boundary of boundaries) {
    for (const moment of [boundary - 1, boundary, boundary + 1]) {
      if (moment > now && (next === null || moment < next)) next = moment;
    }
  }
  return next;
}

/**
 * Returns the calls that the search tries in every state; the model rejects those that the caller may not make. Funding,
 * agreements and credits are not among them.
 */
function callsOn(kind: OrderKind, terms: Terms): Call[] {
  const amounts = [1n, HALF, AMOUNT];
  const proofs = terms.expectedDeliveryHash === null ? [OTHER_HASH] : [EXPECTED_HASH, OTHER_HASH];
  const signed: Call = { name: "releaseMilestone", cumulative: HALF, index: 0, signers: ["oracle"] };
  return [
    { name: "markShipped" },
    ...proofs.map((proofHash): Call => ({ name: "submitDeliveryProof", proofHash })),
    { name: "release" },
    { name: "releaseTimeLocked" },
    ...amounts.map((cumulative): Call => ({ name: "releaseMilestone", cumulative })),
    ...(kind.signedHalf ? [signed] : []),
    { name: "settle" },
    { name: "withdraw" },
    { name: "refund", amount: 1n },
    { name: "refund", amount: HALF },
    { name: "reclaim" },
    ...WINDOWS.map((window): Call => ({ name: "raiseDispute", window })),
    ...[0n, ...amounts].map((payeeAmount): Call => ({ name: "resolveDispute", payeeAmount })),
    { name: "resolveExpiredDispute" },
  ];
}
