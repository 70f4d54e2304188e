// Evaluates a coalition against the best reply of the others.
import { hasUnreleasedStatus } from "../order.ts";
import type { Node } from "./graph.ts";
import { ROLES, type Role } from "./scenario.ts";
import type { World } from "./world.ts";

/**
 * At each time, the coalition calls first, as often as it chooses. Before time advances, the others may reply once in
 * total, with any single call by one of them. If a dispute has expired, resolveExpiredDispute may precede the reply,
 * because anyone can make that call and it decides nothing by itself.
 */
export class Replies {
  private readonly known = new Map<number, bigint>();
  private readonly others: readonly Role[];

  constructor(
    private readonly world: World,
    oracleKeepsSilent: boolean,
  ) {
    this.others = ROLES.filter(
      (role) =>
        !world.members.includes(role) && role !== "arbiter" && !(role === "oracle" && oracleKeepsSilent),
    );
  }

  value(node: Node, depth: number, mayReply: boolean): bigint {
    const { world } = this;
    const most = world.most(node);
    let best = world.gain(node);
    if (best === most) return best;
    const key = (node.id * 8 + depth) * 2 + (mayReply ? 1 : 0);
    const known = this.known.get(key);
    if (known !== undefined) return known;

    const waiting = this.valueOfWaiting(node, depth, mayReply);
    if (waiting > best) best = waiting;
    for (const by of depth > 0 ? world.members : []) {
      for (const { to } of world.graph.edges(node, by)) {
        if (best === most) break;
        const value = this.value(to, depth - 1, mayReply);
        if (value > best) best = value;
      }
    }
    this.known.set(key, best);
    return best;
  }

  private valueOfWaiting(node: Node, depth: number, mayReply: boolean): bigint {
    const gained = this.world.gain(node);
    const later = this.world.later(node);
    let least = later ? this.value(later, depth, mayReply) : gained;
    if (!mayReply || !hasUnreleasedStatus(node.order)) return least;
    for (const reply of this.replies(node)) {
      if (least === gained) break;
      const value = this.value(reply, depth, false);
      if (value < least) least = value;
    }
    return least;
  }

  private *replies(node: Node): Generator<Node> {
    const { graph } = this.world;
    for (const by of this.others) for (const { to } of graph.edges(node, by)) yield to;
    if (node.order.status !== "Disputed") return;
    const expired = graph.edges(node, "stranger").find(({ call }) => call.name === "resolveExpiredDispute");
    if (!expired) return;
    for (const by of this.others) for (const { to } of graph.edges(expired.to, by)) yield to;
  }
}
