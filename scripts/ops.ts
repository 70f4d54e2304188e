// `npm run ops`: what operations see and set going again, in the running gateway's database or the one in DATABASE_URL.
import type { Database } from "#core/db/client.ts";
import { chooseOffRamps } from "#settlement/offramp/choose.ts";
import { fail, parseCommand, refuse } from "./local/command-line.ts";
import { UsageError } from "./local/errors.ts";
import { type Commands, gatewayDatabaseUrl, gatewayRpcUrl, runCommand } from "./local/gateway-command.ts";
import { gatewayConfig } from "./local/gateway-config.ts";
import { table } from "./local/table.ts";
import { broadcastAgain } from "./ops/broadcast-again.ts";
import { cancelPayout } from "./ops/cancel-payout.ts";
import { lookNow, redeliver, retryPayouts, tryWorkAgain } from "./ops/changes.ts";
import { HELP } from "./ops/help.ts";
import {
  deadDeliveries,
  deadPayouts,
  failedJobs,
  type Row,
  refusedWork,
  stuckTransactions,
  trailOf,
} from "./ops/lists.ts";
import { reorderPayout } from "./ops/reorder-payout.ts";

const { values: options, positionals } = parseCommand(HELP, {
  older: { type: "string", default: "60" },
  json: { type: "boolean", default: false },
});
const older = Number(options.older);
if (!(older >= 0)) refuse("--older is a number of seconds.");

function answer(json: object, text: string): void {
  console.log(options.json ? JSON.stringify(json, null, 2) : text);
}

function show(title: string, rows: Row[]): string {
  const [first] = rows;
  if (!first) return `${title}: none`;
  const head = Object.keys(first);
  return `${title}:\n${table(
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
  const deliveries = await deadDeliveries(database);
  const work = await refusedWork(database);
  const jobs = await failedJobs(database);
  answer(
    { payouts, deliveries, work, jobs },
    [show("Payouts", payouts), show("Webhooks", deliveries), show("Work", work), show("Jobs", jobs)].join(
      "\n\n",
    ),
  );
}

async function trail(database: Database, id: string): Promise<void> {
  const rows = await trailOf(database, id);
  if (rows.length === 0) throw new UsageError(`There is no payment ${id}.`);
  answer({ trail: rows }, show(`Payment ${id}`, rows));
}

async function retry(database: Database, id: string): Promise<void> {
  const attempts = await retryPayouts(database, id);
  answer({ attempts }, `Tried again: ${attempts.join(", ")}`);
}

async function work(database: Database, id: string): Promise<void> {
  const purposes = await tryWorkAgain(database, id);
  answer({ work: purposes }, `Due now: ${purposes.join(", ")}`);
}

async function look(database: Database, id: string): Promise<void> {
  await lookNow(database, id);
  answer({ payout: id }, `${id} is due now.`);
}

async function send(database: Database, id: string): Promise<void> {
  await redeliver(database, id);
  answer({ delivery: id }, `${id} is sent again.`);
}

async function rebroadcast(database: Database, id: string): Promise<void> {
  const attempts = await broadcastAgain(database, gatewayRpcUrl(), id);
  answer({ attempts }, show("Attempts", attempts));
}

async function cancel(database: Database, id: string): Promise<void> {
  await cancelPayout(database, await chooseOffRamps(gatewayConfig(), database), id);
  answer({ payout: id }, `${id} was called back.`);
}

async function reorder(database: Database, id: string): Promise<void> {
  await reorderPayout(database, await chooseOffRamps(gatewayConfig(), database), id);
  answer({ payout: id }, `${id} is ordered by another call.`);
}

const COMMANDS: Commands = {
  stuck,
  dead,
  show: trail,
  retry,
  work,
  look,
  cancel,
  reorder,
  rebroadcast,
  redeliver: send,
};

runCommand(COMMANDS, positionals, { application: "ops", databaseUrl: gatewayDatabaseUrl }).then(
  () => process.exit(0),
  fail,
);
