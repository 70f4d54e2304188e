// Describes the counterexample that z3 found.
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

/** One line each for terms, order, arguments and everything else, without unconstrained values. */
export function describeCase(values: ReadonlyMap<string, string>): string[] {
  const lines = new Map<string, string[]>();
  for (const [name, value] of [...values].sort(([a], [b]) => a.localeCompare(b))) {
    const [prefix = "", field] = name.split(".");
    const group = field === undefined ? "Call" : (GROUPS[prefix as keyof typeof GROUPS] ?? prefix);
    const described = describeValue(name, value, values);
    lines.set(group, [...(lines.get(group) ?? []), `${field ?? name} ${described}`]);
  }
  return [...lines].map(([group, parts]) => `${group}: ${parts.join(", ")}`);
}

function describeValue(name: string, value: string, values: ReadonlyMap<string, string>): string {
  if (name === "order.status" || name === "order.statusBefore") return STATUSES[Number(value)] ?? value;
  if (name === "terms.releaseType") return RELEASE_TYPES[Number(value)] ?? value;
  if (!ROLES.includes(name) && !OTHER_ADDRESSES.includes(name)) return value;
  if (value === "0") return "(nobody)";
  const same = ROLES.filter((role) => role !== name && values.get(role) === value);
  const names = same.map((role) => role.replace(/^.*\./, ""));
  return names.length === 0 ? `(address ${value})` : `(= ${names.join(" = ")})`;
}
