// What the search covers: an order's terms, the coalition, and the arbiter's behavior.
import { DEEP } from "#test/support/deep.ts";
import { type Address, type ReleaseType, type Terms, ZERO } from "../terms.ts";

/**
 * Every role has its own address, except that the oracle may also be the payee or the operator. The off-ramp never
 * calls.
 */
export const ROLES = ["operator", "payee", "payer", "oracle", "arbiter", "stranger"] as const;
export type Role = (typeof ROLES)[number];

export type Oracle = "none" | "independent" | "payee" | "operator";
/** The time lock ends before the funding, within the delivery period, or in its last second. */
export type Lock = "none" | "past" | "future" | "deadline";

export interface OrderKind {
  releaseType: ReleaseType;
  oracle: Oracle;
  lock: Lock;
  autoReleaseOnProof: boolean;
  hash: boolean;
  /**
   * Whether the oracle has signed the release of half of the milestones. Everyone has that signature, and the oracle
   * signs nothing else.
   */
  signedHalf: boolean;
}

/** An order without an oracle, whose time lock, if it has one, ends within the delivery period. */
export const plainKind = (releaseType: ReleaseType, rest: Partial<OrderKind> = {}): OrderKind => ({
  releaseType,
  oracle: "none",
  lock: releaseType === "TIME_LOCKED" ? "future" : "none",
  autoReleaseOnProof: false,
  hash: false,
  signedHalf: false,
  ...rest,
});

/** `fair` decides against the coalition before the window ends; `colluding` belongs to the coalition. */
export type Arbiter = "silent" | "fair" | "colluding";

export interface Coalition {
  name: string;
  roles: readonly Role[];
}

export interface Scenario {
  kind: OrderKind;
  arbiter: Arbiter;
  /**
   * The colluding addresses, including a colluding arbiter. An oracle that is payee or operator counts as that party.
   */
  members: readonly Role[];
}

export const COALITIONS: readonly Coalition[] = [
  { name: "operator", roles: ["operator"] },
  { name: "payee", roles: ["payee"] },
  { name: "operator + payee", roles: ["operator", "payee"] },
  { name: "operator + arbiter", roles: ["operator", "arbiter"] },
  { name: "payer", roles: ["payer"] },
  { name: "payer + arbiter", roles: ["payer", "arbiter"] },
  { name: "payer + oracle", roles: ["payer", "oracle"] },
  { name: "payee + oracle", roles: ["payee", "oracle"] },
  { name: "stranger", roles: ["stranger"] },
  { name: "stranger + operator", roles: ["stranger", "operator"] },
];

const ARBITERS: readonly Arbiter[] = ["silent", "fair", "colluding"];
const ORACLES: readonly Oracle[] = ["none", "independent", "payee", "operator"];
const NO_OR_YES = [false, true] as const;

/** Returns every kind of order with this release type. */
export function kindsWith(releaseType: ReleaseType): OrderKind[] {
  const locks: readonly Lock[] = releaseType === "TIME_LOCKED" ? ["past", "future", "deadline"] : ["none"];
  return ORACLES.flatMap((oracle) => {
    const signed =
      releaseType === "MILESTONE_LOCKED" && oracle === "independent" ? NO_OR_YES : ([false] as const);
    return locks.flatMap((lock) =>
      NO_OR_YES.flatMap((autoReleaseOnProof) =>
        NO_OR_YES.flatMap((hash) =>
          signed.map((signedHalf) => ({ releaseType, oracle, lock, autoReleaseOnProof, hash, signedHalf })),
        ),
      ),
    );
  });
}

/** Returns every coalition with every arbiter; each set of addresses occurs once. */
export function scenariosWith(kind: OrderKind): Scenario[] {
  const scenarios = new Map<string, Scenario>();
  for (const { roles } of COALITIONS) {
    for (const arbiter of roles.includes("arbiter") ? (["colluding"] as const) : ARBITERS) {
      const members = membersIn(kind, arbiter === "colluding" ? [...roles, "arbiter"] : roles);
      scenarios.set(`${members} ${arbiter}`, { kind, arbiter, members });
    }
  }
  return [...scenarios.values()];
}

function membersIn({ oracle }: OrderKind, roles: readonly Role[]): Role[] {
  const actual = roles.flatMap((role): Role[] => {
    if (role !== "oracle" || oracle === "independent") return [role];
    return oracle === "none" ? [] : [oracle];
  });
  return ROLES.filter((role) => actual.includes(role));
}

export const AMOUNT = 4n;
export const HALF = 2n;
export const EXPECTED_HASH = "expected";
export const OTHER_HASH = "other";
const SHORTEST_WINDOW = 60;
/**
 * A minimum dispute window, and one that exceeds the delivery period. `npm run test:deep` also covers windows that end
 * next to the lock's end.
 */
export const WINDOWS = DEEP ? [SHORTEST_WINDOW, 140, 199, 200, 339, 500] : [SHORTEST_WINDOW, 500];
export const FUNDED_AT = 1_000;
const DELIVERY_PERIOD = 400;
const LOCK_ENDS: Record<Lock, number> = {
  none: 0,
  past: FUNDED_AT - 100,
  future: FUNDED_AT + 200,
  deadline: FUNDED_AT + DELIVERY_PERIOD,
};

/** Returns the terms of an order of this kind. Each role's address is its name. */
export function termsWith(kind: OrderKind): Terms {
  const oracles: Record<Oracle, Address> = {
    none: ZERO,
    independent: "oracle",
    payee: "payee",
    operator: "operator",
  };
  return {
    operator: "operator",
    arbiter: "arbiter",
    deliveryOracle: oracles[kind.oracle],
    payee: "payee",
    payer: "payer",
    offRamp: "offRamp",
    amount: AMOUNT,
    fundingDeadline: FUNDED_AT,
    deliveryPeriod: DELIVERY_PERIOD,
    disputeWindow: SHORTEST_WINDOW,
    timeLockUntil: LOCK_ENDS[kind.lock],
    releaseType: kind.releaseType,
    autoReleaseOnProof: kind.autoReleaseOnProof,
    expectedDeliveryHash: kind.hash ? EXPECTED_HASH : null,
  };
}

export function describeKind(kind: OrderKind): string {
  const parts = [
    kind.releaseType,
    `oracle ${kind.oracle}`,
    kind.lock === "none" ? "" : `lock ${kind.lock}`,
    kind.autoReleaseOnProof ? "autoReleaseOnProof" : "manual",
    kind.hash ? "expected hash" : "any hash",
    kind.signedHalf ? "half signed by the oracle" : "",
  ];
  return parts.filter((part) => part !== "").join(", ");
}

export function describeScenario({ kind, arbiter, members }: Scenario): string {
  return `${members.join(" + ")}, arbiter ${arbiter}; ${describeKind(kind)}`;
}
