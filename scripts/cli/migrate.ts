// `npm run migrate`: prepares a production database for the roles.
import type { Change } from "#core/deployment/deployment-change.ts";
import { fail, parseCommand, refuse } from "../shared/command-line.ts";
import { UserError } from "../shared/errors.ts";

const HELP = `Prepares a production database for the roles. Migrates its tables, verifies the configured chain, contract and tokens
against the chain and the recorded deployment, and records them. Fails on a mismatch.

  npm run migrate -- [--change] [--approve OPERATION] [--by NAME] [--reason TEXT]

  --change   requests approval to record a configuration that intentionally differs from the record in tokens, wallets or contract.
             Rejected while there are unfinished payments that it would lose. Waits for a second person
  --approve  approves and records it, as a second person with the same configuration. Both names and the reason go to the audit log
             (npm run ops -- operations lists pending requests, npm run ops -- refuse drops one)

Uses the database in DATABASE_URL and requires all variables of the roles; with GATEWAY_NETWORK=live, those of the live network.`;

const { values: options } = parseCommand(HELP, {
  change: { type: "boolean", default: false },
  approve: { type: "string" },
  by: { type: "string", default: "" },
  reason: { type: "string", default: "" },
});

// These modules are loaded only after the usage has been checked.
const { connectChain, isUnreachable, loadGenesisHash } = await import("#core/chain/client.ts");
const { ConfigError } = await import("#core/config/config-error.ts");
const { isNobody } = await import("#core/controls/same-person.ts");
const { DeploymentMismatch, describeUnlisted, listWallets, recordDeployment } = await import(
  "#core/deployment/deployment.ts"
);
const { ServiceError } = await import("#core/errors.ts");
const { configured } = await import("#core/runtime/startup.ts");
const { migrate } = await import("../shared/migrate.ts");

function readChange(): Change | undefined {
  const { change, approve, by, reason } = options;
  if (change && approve !== undefined)
    refuse("--change and --approve cannot be combined, because a different person must approve.");
  if (change && (isNobody(by) || !reason.trim()))
    refuse("--change requires --reason TEXT and --by NAME, the name of a person.");
  if (change) return { by, reason };
  if (approve === undefined) return undefined;
  if (!/^\d{1,9}$/.test(approve) || isNobody(by))
    refuse("--approve requires an operation's number and --by NAME, the name of a person.");
  return { by, approves: Number(approve) };
}

const change = readChange();
const config = configured();
const { chain, databaseUrl, environment } = config;
const client = connectChain({ chain });

await migrate(databaseUrl).catch((error: unknown) => {
  if (error instanceof UserError) fail(error);
  throw error;
});
try {
  const genesisHash = await loadGenesisHash(client);
  const facts = {
    chainId: chain.id,
    genesisHash,
    contractAddress: chain.contract,
    startBlock: chain.startBlock,
    tokens: chain.tokens,
    units: chain.units,
    wallets: listWallets(config),
  };
  const { unlisted, waits } = await recordDeployment(databaseUrl, facts, {
    client,
    environment,
    verifiedBy: "npm run migrate",
    ...(change && { change }),
  });
  for (const currency of unlisted) {
    console.error(describeUnlisted({ contract: chain.contract, tokens: chain.tokens }, currency));
  }
  if (waits === undefined)
    console.log(`Ready: contract ${chain.contract} on chain ${chain.id}, genesis ${genesisHash}.`);
  else {
    console.log(
      `Operation ${waits} requires approval; nothing is recorded yet. A second person must run, with the same configuration: ` +
        `npm run migrate -- --approve ${waits} --by NAME`,
    );
  }
} catch (error) {
  if (error instanceof DeploymentMismatch || error instanceof ConfigError) console.error(error.message);
  else if (error instanceof ServiceError || isUnreachable(error)) {
    // The error may contain the node's URL, which may contain a key.
    console.error("The node in RPC_URL does not respond, so the contract and the tokens cannot be verified.");
  } else throw error;
  process.exit(1);
}
