// Settings that operations make for every replica at once (docs/runbook.md, "Controls").

/** Each stops one kind of work by itself: signing and broadcasting, settling on chain, ordering payouts. */
export const SWITCHES = ["relaying", "settling", "payouts"] as const;
export type SwitchName = (typeof SWITCHES)[number];

/**
 * In whole units of each currency. `approval`: above it a command that moves or excuses money requires a second person.
 * `merchant_hour`, `account_hour`: the amount that is ordered within an hour for a merchant, or from a provider
 * account, before further payouts wait for approval.
 */
export const LIMITS = ["approval", "merchant_hour", "account_hour"] as const;
export type LimitName = (typeof LIMITS)[number];

export type ControlName = SwitchName | LimitName;
