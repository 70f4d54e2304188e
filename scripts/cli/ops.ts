// `npm run ops`: shows and repairs operations, in the running gateway's database or the one in DATABASE_URL.
import type { Database } from "#core/db/client.ts";
import type { IntentId } from "#core/ids.ts";
import type { Currency } from "#core/money.ts";
import { fail, parseCommand, refuse } from "../shared/command-line.ts";
import { UsageError } from "../shared/errors.ts";
import type { OpsParts } from "./ops/approve.ts";
import { HELP } from "./ops/help.ts";
import type { Row } from "./ops/lists.ts";
import type { Commands } from "./shared/database-command.ts";

const { values: options, positionals } = parseCommand(HELP, {
  older: { type: "string", default: "60" },
  json: { type: "boolean", default: false },
  by: { type: "string", default: "" },
  reference: { type: "string" },
  amount: { type: "string" },
  date: { type: "string" },
  reason: { type: "string" },
  days: { type: "string", default: "7" },
  head: { type: "string" },
  apply: { type: "boolean", default: false },
  partial: { type: "boolean", default: false },
});

// These modules are loaded only after the usage has been checked.
const { formatAmount } = await import("#core/money.ts");
const { formatTable } = await import("../shared/format-table.ts");
const { listDifferences } = await import("./ops/acknowledge-difference.ts");
const { approve, ask, describeAsked, refuseOperation, waitingOperations } = await import("./ops/approve.ts");
const { broadcastAgain } = await import("./ops/broadcast-again.ts");
const { cancelPayout } = await import("./ops/cancel-payout.ts");
const { redeliver, refreshPayout, retryPayouts, tryWorkAgain } = await import("./ops/changes.ts");
const { CONTROLLED } = await import("./ops/controlled.ts");
const { listControls, turn } = await import("./ops/controls.ts");
const {
  deadDeliveries,
  deadPayouts,
  failedJobs,
  loadTrail,
  networkFees,
  refusedWork,
  stuckTransactions,
  payoutsNotDebited,
} = await import("./ops/lists.ts");
const { recoverCommand } = await import("./ops/recover-command.ts");
const { gatewayDatabaseUrl, gatewayFeeBearer, gatewayRpcUrl, runCommand } = await import(
  "./shared/database-command.ts"
);
const { gatewayConfig } = await import("./shared/gateway-config.ts");
const { openChain } = await import("./shared/open-chain.ts");
const { openNamedOffRamps } = await import("./shared/open-named-off-ramps.ts");
const { requireName } = await import("./shared/require-name.ts");

const older = Number(options.older);
if (!(older >= 0)) refuse("--older must be a number of seconds.");

function answer(json: object, text: string): void {
  console.log(options.json ? JSON.stringify(json, null, 2) : text);
}

function show(title: string, rows: Row[]): string {
  const [first] = rows;
  if (!first) return `${title}: none`;
  const head = Object.keys(first);
  return `${title}:\n${formatTable(
    head,
    rows.map((row) => head.map((name) => String(row[name] ?? ""))),
  )}`;
}

async function stuck(database: Database): Promise<void> {
  const transactions = await stuckTransactions(database, older);
  answer({ transactions }, show("Transactions", transactions));
}

async function dead(database: Database): Promise<void> {
  const payouts = await deadPayouts(database);
  const notDebited = await payoutsNotDebited(database);
  const deliveries = await deadDeliveries(database);
  const work = await refusedWork(database);
  const jobs = await failedJobs(database);
  answer(
    { payouts, notDebited, deliveries, work, jobs },
    [
      show("Payouts", payouts),
      show("Payouts that are not debited", notDebited),
      ...[show("Webhooks", deliveries), show("Work", work), show("Jobs", jobs)],
    ].join("\n\n"),
  );
}

async function fees(database: Database): Promise<void> {
  const days = Number(options.days);
  if (!(days > 0)) throw new UsageError("--days must be a number above zero.");
  const rows = await networkFees(database, days);
  answer({ fees: rows }, show(`Network fees of ${days} days, in the network's currency`, rows));
}

async function trail(database: Database, id: string): Promise<void> {
  const rows = await loadTrail(database, id as IntentId);
  if (rows.length === 0) throw new UsageError(`No such payment: '${id}'.`);
  answer({ trail: rows }, show(`Payment ${id}`, rows));
}

async function retry(database: Database, id: string): Promise<void> {
  const by = requireName(options.by);
  const attempts = await retryPayouts(database, id, gatewayFeeBearer(), by);
  answer({ attempts }, `Retried: ${attempts.join(", ")}`);
}

async function work(database: Database, id: string): Promise<void> {
  const purposes = await tryWorkAgain(database, id, requireName(options.by));
  answer({ work: purposes }, `Due now: ${purposes.join(", ")}`);
}

async function refresh(database: Database, id: string): Promise<void> {
  await refreshPayout(database, id, requireName(options.by));
  answer({ payout: id }, `${id} is due now.`);
}

async function send(database: Database, id: string): Promise<void> {
  await redeliver(database, id, requireName(options.by));
  answer({ delivery: id }, `${id} will be sent again.`);
}

async function rebroadcast(database: Database, id: string): Promise<void> {
  const by = requireName(options.by);
  const attempts = await broadcastAgain(database, gatewayRpcUrl(), id, by);
  answer({ attempts }, show("Attempts", attempts));
}

async function cancel(database: Database, id: string): Promise<void> {
  const by = requireName(options.by);
  await cancelPayout(database, await openNamedOffRamps(gatewayConfig(), database), id, by);
  answer({ payout: id }, `${id} was canceled.`);
}

const withProviders = (database: Database): OpsParts => ({
  database,
  offRamps: () => openNamedOffRamps(gatewayConfig(), database),
  feeBearer: gatewayFeeBearer(),
  chain: () => openChain(gatewayConfig(), database),
});

/** Returns a command that may require approval by a second person. Its options become the operation's arguments. */
const controlled = (action: string) => async (database: Database, subject: string) => {
  const { by, reference, amount, date, reason } = options;
  const partial = options.partial ? "yes" : undefined;
  const given = Object.entries({ reference, amount, date, partial, reason }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  const wanted = { subject, arguments: Object.fromEntries(given), by };
  const asked = await ask(withProviders(database), CONTROLLED, action, wanted);
  answer(asked, describeAsked(asked));
};

const formatStake = (amount: bigint | null, currency: Currency | null): string =>
  amount === null || currency === null ? "" : `${formatAmount(amount, currency)} ${currency}`;

async function differences(database: Database): Promise<void> {
  const rows = await listDifferences(database);
  const shown = rows.map(({ id, kind, says, amount, currency, firstSeen, acknowledgedBy, reason }) => ({
    ...{ id, kind, says, amount: formatStake(amount, currency), since: firstSeen.toISOString() },
    acknowledged: acknowledgedBy === null ? "" : `${acknowledgedBy}: ${reason}`,
  }));
  answer({ differences: shown }, show("Differences", shown));
}

async function operations(database: Database): Promise<void> {
  const rows = await waitingOperations(database);
  const shown = rows.map(({ id, action, subject, amount, currency, requestedBy, requestedAt, ...row }) => ({
    ...{ id, action, subject, arguments: JSON.stringify(row.arguments) },
    ...{ amount: formatStake(amount, currency), by: requestedBy, since: requestedAt.toISOString() },
  }));
  answer({ operations: shown }, show("Operations", shown));
}

async function controls(database: Database): Promise<void> {
  const rows = await listControls(database);
  answer({ controls: rows }, show("Controls", rows));
}

async function stop(database: Database, name: string): Promise<void> {
  await turn(database, name, options.reason ?? "", options.by);
  answer({ stopped: name }, `${name} is off: every replica applies this within seconds.`);
}

async function resume(database: Database, name: string): Promise<void> {
  await turn(database, name, undefined, options.by);
  answer({ resumed: name }, `${name} is on.`);
}

async function approveOperation(database: Database, id: string): Promise<void> {
  await approve(withProviders(database), CONTROLLED, Number(id), options.by);
  answer({ operation: Number(id) }, `Operation ${id} is done.`);
}

async function refuseWaiting(database: Database, id: string): Promise<void> {
  await refuseOperation(withProviders(database), Number(id), options.by);
  answer({ operation: Number(id) }, `Operation ${id} was refused.`);
}

const COMMANDS: Commands = {
  stuck,
  dead,
  show: trail,
  fees,
  retry,
  work,
  refresh,
  cancel,
  recover: (database) => recoverCommand(database, options, { answer, show }),
  rebroadcast,
  redeliver: send,
  controls,
  stop,
  resume,
  differences,
  operations,
  approve: approveOperation,
  refuse: refuseWaiting,
  ...Object.fromEntries(Object.keys(CONTROLLED).map((action) => [action, controlled(action)])),
};

runCommand(COMMANDS, positionals, { application: "ops", databaseUrl: gatewayDatabaseUrl }).then(
  () => process.exit(0),
  fail,
);
