// Tables, connections and statements that are exempt from the check, and the reasons. A table that grows with every
// payment or user is exempt only in the statements listed here.

/** Tables that are small by nature. */
const BOUNDED_TABLES: readonly (readonly [table: RegExp, reason: string])[] = [
  [/^pg_/, "the catalog"],
  [/^deployment$/, "one row for each contract that this gateway has used"],
  [
    /^off_ramp_(account|balance|wallet)$/,
    "one row for each account with a provider, and for each of its wallets",
  ],
  [/^signer$/, "one row for each signing key"],
  [/^control$/, "one row for each switch and limit"],
  [/^reconciliation_run$/, "one row for each reconciliation in progress, or interrupted within a day"],
  [/^unposted_payout$/, "payouts that ended since the last run of the poster"],
  [/^audit_archive$/, "one row for each archived segment of the audit log"],
  [/^indexer_build$/, "one row"],
  [/^escrow$/, "one row"],
  [/^listed_token$/, "the tokens that the contract's owner has listed"],
  [/^_ponder_(meta|checkpoint|status)$/, "one row for each chain"],
  [/^_reorg__/, "changes by blocks that are not final"],
  [/^kysely_migration/, "one row for each of Ponder's migrations"],
  [/^(queue|version|schedule|subscription|bam)$/, "pg-boss: one row for each queue, schedule or migration"],
];

/** Connections used only by commands and tests, by name. */
const OWN_PACE: readonly (readonly [application: RegExp, reason: string])[] = [
  [/^(audit|reconcile)$/, "a command that reads everything, because that is its purpose"],
  [/^(accounts|keys|ops)$/, "a command that lists everything, run by a person"],
  [/^migrate$/, "runs once for each version"],
  [/^(test|make world|bench.*|faults|failover|on chain|payments)$/, "a test's own queries"],
];

/** Statements that read more than they return, identified by a part of their text. */
const KNOWN: readonly (readonly [table: RegExp, text: string, reason: string])[] = [
  [
    /^(order|credit)$/,
    "json_build_object( 'custody'",
    "reconciliation adds up what the contract holds for all orders",
  ],
  [
    /^payout$/,
    '"payout" where ("gateway"."payout"."next_attempt_at" is not null and "gateway"."payout"."state"',
    "metrics count the open payouts by their state",
  ],
  [
    /^intent$/,
    'interval \'1 day\' and "chain"."order"."id" is null',
    "looks up the order of each transaction reported within a day; the planner cannot estimate their number",
  ],
  [
    /^(order|intent|settlement_skip)$/,
    'from "chain"."settlement_skip" inner join "gateway"."intent"',
    "a metric counts the orders that a batch skipped; the planner overestimates their number",
  ],
  [/^job_common$/, "from pgboss.job where state = 'failed'", "pg-boss deletes ended jobs after an hour"],
];

/** Whether a statement uses a table that a test has created in the gateway's database. */
export const isOfStandIn = (statement: string): boolean => /\bpublic\.(bank_book|away)\b/.test(statement);

export const isBounded = (table: string): boolean => BOUNDED_TABLES.some(([name]) => name.test(table));

export const hasOwnPace = (application: string): boolean => OWN_PACE.some(([name]) => name.test(application));

export const isKnown = (table: string, statement: string): boolean =>
  KNOWN.some(([name, text]) => name.test(table) && statement.replace(/\s+/g, " ").includes(text));
