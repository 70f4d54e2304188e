/** The kinds of actors that the audit log records. */
export const ACTOR_TYPES = [
  "api_key",
  "user",
  "payer",
  "payee",
  "oracle",
  "arbiter",
  "account",
  "operations",
  "system",
] as const;

export type ActorType = (typeof ACTOR_TYPES)[number];
