// `npm run reconcile`: compares ledger, contract, payouts and provider, lists every difference, and exits with 1 if
// there is one.
import type { Config } from "#core/config/config.ts";
import type { Database } from "#core/db/client.ts";
import type { Discrepancy } from "#settlement/reconciliation/discrepancy.ts";
import type { KnownDifference } from "#settlement/reconciliation/known-differences.ts";
import type { Dependencies } from "#settlement/reconciliation/scope.ts";
import type { StoredRun } from "#settlement/reconciliation/stored-run.ts";
import { fail, parseCommand, refuse } from "../shared/command-line.ts";
import { UserError } from "../shared/errors.ts";

const HELP = `Compares the ledger with itself, the contract's balances, the payouts and the provider's transfers.

  npm run reconcile -- [--merchant NAME] [--days NUMBER] [--restart] [--json]

  --merchant   only one merchant's payments, by name or id; skips the contract, the wallets and unknown transfers
  --days       the maximum age of the provider's transfers (30)
  --restart    starts over, instead of resuming a run that was interrupted within the last hour
  --json       prints JSON

A surplus that anyone may have sent to the contract is reported, but is not a difference.
Each difference has a number for npm run ops -- acknowledge, after which it is reported as acknowledged.
Exits with 0 if there are no other differences, and with 1 if there are any or if the result could not be determined.
Uses the running gateway (.data/local.json), or the one given by DATABASE_URL and the roles' other variables.`;

const DAY_MS = 86_400_000;
/** Maximum age of an interrupted run that is resumed. */
const RESUMED_MS = 3_600_000;

const { values: options } = parseCommand(HELP, {
  merchant: { type: "string" },
  days: { type: "string", default: "30" },
  restart: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
});

// These modules are loaded only after the usage has been checked.
const { connectChain } = await import("#core/chain/client.ts");
const { connect } = await import("#core/db/client.ts");
const { currentDeployment, DeploymentMismatch } = await import("#core/deployment/deployment.ts");
const { ServiceError } = await import("#core/errors.ts");
const { openIndexerGuard } = await import("#core/indexer-state/guard.ts");
const { partition } = await import("#settlement/reconciliation/discrepancy.ts");
const { isOpen, keepDifferences } = await import("#settlement/reconciliation/known-differences.ts");
const { carryOut } = await import("#settlement/reconciliation/reconcile.ts");
const { beginRun, endRun, resumeRun } = await import("#settlement/reconciliation/stored-run.ts");
const { printLine } = await import("../devnet/screen.ts");
const { findMerchant } = await import("./shared/find-merchant.ts");
const { gatewayConfig } = await import("./shared/gateway-config.ts");
const { openNamedOffRamps } = await import("./shared/open-named-off-ramps.ts");

const days = Number(options.days);
if (!(days > 0)) refuse("--days must be a number above zero.");

/** Resumes an interrupted run of the same command, or starts a new one. */
const openRun = (parts: Dependencies, merchantId: string | undefined): Promise<StoredRun> =>
  parts.database.transaction(async (tx) => {
    const name = `command: ${merchantId ?? "all merchants"}, ${days} days`;
    const open = options.restart ? undefined : await resumeRun(tx, parts, name, RESUMED_MS);
    if (open && open !== "taken") {
      if (!options.json)
        printLine(`Resuming the comparison that started at ${open.createdAt.toISOString()}.`);
      return open;
    }
    const since = new Date(Date.now() - days * DAY_MS);
    return beginRun(tx, parts, { since, ...(merchantId === undefined ? {} : { merchantId }) }, name);
  });

async function compare(config: Config, database: Database, signal: AbortSignal): Promise<number> {
  const merchant =
    options.merchant === undefined ? undefined : await findMerchant(database, options.merchant);
  const client = connectChain(config);
  const deployment = await currentDeployment(database, client, config);
  const guard = openIndexerGuard(config, { database, client, deployment });
  const offRamps = await openNamedOffRamps(config, database);
  const parts = { config, database, client, deployment, guard, offRamps, signal };
  const run = await openRun(parts, merchant?.id);
  const found = await carryOut(parts, run, () => endRun(database, run));
  const { notes, ...compared } = partition(found);
  const known = await keepDifferences(database, compared.differences);
  const differences = known.filter(isOpen);
  const acknowledged = known.filter((difference) => !isOpen(difference));
  if (options.json) printLine(JSON.stringify({ differences, acknowledged, notes }, null, 2));
  else {
    if (differences.length === 0) printLine("No differences: ledger, contract, payouts and provider agree.");
    else printLine(`${differences.length} ${differences.length === 1 ? "difference" : "differences"}:`);
    printEach(differences.map((one) => ({ ...one, says: `${one.says} (${one.id})` })));
    if (acknowledged.length > 0) printLine("Acknowledged:");
    printEach(acknowledged.map((one) => ({ ...one, says: `${one.says} ${sayAcknowledged(one)}` })));
    if (notes.length > 0) printLine("Not differences, but worth noting:");
    printEach(notes);
  }
  return differences.length === 0 ? 0 : 1;
}

const sayAcknowledged = ({ id, acknowledged }: KnownDifference): string =>
  `(${id}, ${acknowledged?.by}: ${acknowledged?.reason})`;

function printEach(found: Pick<Discrepancy, "kind" | "says">[]): void {
  for (const { kind, says } of found) printLine(`  ${kind}: ${says}`);
}

async function run(): Promise<number> {
  const config = gatewayConfig();
  const database = connect(config.databaseUrl, { max: 4, application: "reconcile", seekCost: 1.1 });
  const interrupted = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () =>
      interrupted.abort(new UserError("Interrupted. Run the same command within an hour to resume.")),
    );
  }
  try {
    return await compare(config, database, interrupted.signal);
  } finally {
    await database.$client.end();
  }
}

run().then(
  (code) => process.exit(code),
  // Unavailable dependencies and invalid configurations are expected errors.
  (error: unknown) => {
    const known = error instanceof ServiceError || error instanceof DeploymentMismatch;
    fail(known ? new UserError(error.message) : error);
  },
);
