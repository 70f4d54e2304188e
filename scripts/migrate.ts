// `npm run migrate`: makes a production database ready for the roles. Its tables are brought up to date, and the chain and
// contract of the configuration are recorded, or compared with what was recorded: another genesis is a refusal.
import { connectChain, genesisHashOf } from "#core/chain/client.ts";
import { migrate } from "#core/db/migrate.ts";
import { DeploymentMismatch, recordDeployment } from "#core/deployment.ts";
import { configured } from "#core/role.ts";

const { chain, databaseUrl, environment } = configured();

await migrate(databaseUrl);
try {
  const genesisHash = await genesisHashOf(connectChain({ chain }));
  await recordDeployment(
    databaseUrl,
    {
      chainId: chain.id,
      genesisHash,
      contractAddress: chain.contract,
      startBlock: chain.startBlock,
      tokens: chain.tokens,
    },
    environment,
  );
  console.log(`Ready: contract ${chain.contract} on chain ${chain.id}, genesis ${genesisHash}.`);
} catch (error) {
  if (!(error instanceof DeploymentMismatch)) throw error;
  console.error(error.message);
  process.exit(1);
}
