// `npm run migrate`: makes a production database ready for the roles.
import { connectChain, genesisHashOf, isUnreachable } from "#core/chain/client.ts";
import { migrate } from "#core/db/migrate.ts";
import { DeploymentMismatch, describeUnlisted, recordDeployment } from "#core/deployment.ts";
import { ServiceError } from "#core/errors.ts";
import { configured } from "#core/role.ts";
import { parseCommand } from "./local/command-line.ts";

const HELP = `Makes a production database ready for the roles. Its tables are brought up to date; the chain, contract and tokens of the
configuration are compared with what the chain says and with what was recorded, and recorded. A mismatch is refused.

  npm run migrate

The database is in DATABASE_URL; all variables of the roles are needed. GATEWAY_NETWORK=live: those of the live network.`;

parseCommand(HELP, {});

const { chain, databaseUrl, environment } = configured();
const client = connectChain({ chain });

await migrate(databaseUrl);
try {
  const genesisHash = await genesisHashOf(client);
  const facts = {
    chainId: chain.id,
    genesisHash,
    contractAddress: chain.contract,
    startBlock: chain.startBlock,
    tokens: chain.tokens,
    units: chain.units,
  };
  const { unlisted } = await recordDeployment(databaseUrl, facts, {
    client,
    environment,
    verifiedBy: "npm run migrate",
  });
  for (const currency of unlisted) {
    console.error(describeUnlisted({ contract: chain.contract, tokens: chain.tokens }, currency));
  }
  console.log(`Ready: contract ${chain.contract} on chain ${chain.id}, genesis ${genesisHash}.`);
} catch (error) {
  if (error instanceof DeploymentMismatch) console.error(error.message);
  else if (error instanceof ServiceError || isUnreachable(error)) {
    // Its address may hold a key.
    console.error("The node in RPC_URL does not answer: contract and tokens cannot be verified.");
  } else throw error;
  process.exit(1);
}
