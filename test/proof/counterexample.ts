// Formats a counterexample that Z3 returns.
import { STATUSES } from "../escrow-model/order.ts";
import { RELEASE_TYPES } from "../escrow-model/terms.ts";

const ROLES = [
  "order.payer",
  "terms.operator",
  "terms.payee",
  "terms.arbiter",
  "terms.deliveryOracle",
  "terms.offRamp",
  "escrow",
];
const OTHER_ADDRESSES = ["caller", "terms.namedPayer", "call.payer", "call.receiver"];
const GROUPS = { terms: "Terms", order: "Order before the call", call: "Arguments" } as const;

/** Formats one line each for terms, order, arguments and call, and omits unconstrained values. */
export function formatCounterexample(values: ReadonlyMap<string, string>): string[] {
  const lines = new Map<string, string[]>();
  for (const [name, value] of [...values].sort(([a], [b]) => a.localeCompare(b))) {
    const [prefix = "", field] = name.split(".");
    const group = field === undefined ? "Call" : (GROUPS[prefix as keyof typeof GROUPS] ?? prefix);
    const formatted = formatValue(name, value, values);
    lines.set(group, [...(lines.get(group) ?? []), `${field ?? name} ${formatted}`]);
  }
  return [...lines].map(([group, parts]) => `${group}: ${parts.join(", ")}`);
}

function formatValue(name: string, value: string, values: ReadonlyMap<string, string>): string {
  if (name === "order.status" || name === "order.statusBefore") return STATUSES[Number(value)] ?? value;
  if (name === "terms.releaseType") return RELEASE_TYPES[Number(value)] ?? value;
  if (!ROLES.includes(name) && !OTHER_ADDRESSES.includes(name)) return value;
  if (value === "0") return "(zero address)";
  const same = ROLES.filter((role) => role !== name && values.get(role) === value);
  const names = same.map((role) => role.replace(/^.*\./, ""));
  return names.length === 0 ? `(address ${value})` : `(= ${names.join(" = ")})`;
}
