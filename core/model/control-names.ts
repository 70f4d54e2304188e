// Settings that operators change for every replica at once (docs/runbook.md, "Switches and limits").

/** Each switch stops one kind of work: signing and broadcasting, on-chain settlement, or ordering payouts. */
export const SWITCHES = ["relaying", "settling", "payouts"] as const;
export type SwitchName = (typeof SWITCHES)[number];

/**
 * Limits, in whole units of each currency. `approval`: commands that move or acknowledge more than this amount require a
 * second person. `merchant_hour`, `account_hour`: the amount that may be ordered within an hour for a merchant, or from
 * a provider account, before further payouts wait for approval.
 */
export const LIMITS = ["approval", "merchant_hour", "account_hour"] as const;
export type LimitName = (typeof LIMITS)[number];

export type ControlName = SwitchName | LimitName;
