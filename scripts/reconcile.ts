// `npm run reconcile`: compares ledger, contract, payouts and provider, names every difference, and ends with 1 on one.
import { connectChain } from "#core/chain/client.ts";
import type { Config } from "#core/config.ts";
import { connect, type Database } from "#core/db/client.ts";
import { createIndexerGuard } from "#core/db/guard.ts";
import { currentDeployment, DeploymentMismatch } from "#core/deployment.ts";
import { ServiceError } from "#core/errors.ts";
import { indexerBuildOf } from "#core/indexer-build.ts";
import { chooseOffRamps } from "#settlement/offramp/choose.ts";
import { type Discrepancy, partition } from "#settlement/reconcile/discrepancy.ts";
import { reconcile } from "#settlement/reconcile/reconcile.ts";
import { fail, parseCommand, refuse } from "./local/command-line.ts";
import { UserError } from "./local/errors.ts";
import { findMerchant } from "./local/find-merchant.ts";
import { gatewayConfig } from "./local/gateway-config.ts";
import { printLine } from "./local/screen.ts";

const HELP = `Compares the ledger with itself, the contract's balances, the payouts and the provider's transfers.

  npm run reconcile -- [--merchant NAME] [--days NUMBER] [--json]

  --merchant   one merchant's payments alone, by name or id; contract, wallets and unknown transfers are left out then
  --days       how far the provider's transfers are looked at (30)
  --json       answers for programs

What anybody may have sent to the contract is named and is no difference.
Ends with 0 if there is no difference, with 1 if there is one or if it could not be told.
Of the running gateway (.data/local.json), or of that in DATABASE_URL and the other variables of the roles.`;

const DAY_MS = 86_400_000;

const { values: options } = parseCommand(HELP, {
  merchant: { type: "string" },
  days: { type: "string", default: "30" },
  json: { type: "boolean", default: false },
});
const days = Number(options.days);
if (!(days > 0)) refuse("--days is a number above zero.");

async function compare(config: Config, database: Database): Promise<number> {
  const merchant =
    options.merchant === undefined ? undefined : await findMerchant(database, options.merchant);
  const client = connectChain(config);
  const deployment = await currentDeployment(database, client, config);
  const build = indexerBuildOf(deployment);
  const found = await reconcile(
    {
      ...{ config, database, client, deployment },
      guard: createIndexerGuard({ database, client, deployment, build }),
      offRamps: await chooseOffRamps(config, database),
    },
    {
      since: new Date(Date.now() - days * DAY_MS),
      ...(merchant ? { merchantId: merchant.id } : {}),
    },
  );
  const { differences, notes } = partition(found);
  if (options.json) printLine(JSON.stringify({ differences, notes }, null, 2));
  else {
    if (differences.length === 0)
      printLine("No difference: ledger, contract, payouts and provider say the same.");
    else printLine(`${differences.length} ${differences.length === 1 ? "difference" : "differences"}:`);
    printEach(differences);
    if (notes.length > 0) printLine("Not a difference, but worth knowing:");
    printEach(notes);
  }
  return differences.length === 0 ? 0 : 1;
}

function printEach(found: Discrepancy[]): void {
  for (const { kind, says } of found) printLine(`  ${kind}: ${says}`);
}

async function run(): Promise<number> {
  const config = gatewayConfig();
  const database = connect(config.databaseUrl, { max: 4, application: "reconcile" });
  try {
    return await compare(config, database);
  } finally {
    await database.$client.end();
  }
}

run().then(
  (code) => process.exit(code),
  // A part that is away is no surprise, nor is a configuration that does not fit.
  (error: unknown) => {
    const known = error instanceof ServiceError || error instanceof DeploymentMismatch;
    fail(known ? new UserError(error.message) : error);
  },
);
