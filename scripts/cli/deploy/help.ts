// The help of `npm run deploy`.
export const HELP = `Deploys the escrow contract for a network, at the same address on every chain, and writes the gateway's environment.

  npm run deploy -- --network NAME

  --owner ADDRESS         the contract's final owner, instead of the settings' owner
  --guardian ADDRESS      the account that can delist tokens, instead of the settings' guardian
  --env FILE              the gateway's environment file (gateway.env)
  --force                 replaces lines of that file that have different values
  --start-block NUMBER    the contract's first block, if the node has pruned it
  --record FILE           adds the address to a list; the published one is contracts/abi/addresses.json
  --plan                  shows the steps and their cost, then exits
  --yes                   deploys without asking for confirmation; required without a terminal

NAME is a file in deploy/networks without its extension, or the path of such a file; docs/deployment.md describes it.
Environment variables, each as NAME or as NAME_FILE with the path of a file that contains the value:
  RPC_URL             a node of the network
  DEPLOYER_KEY        pays for everything, and owns the contract until the ownership transfer; its account determines the address
  OWNER_KEY           optional: the new owner's key, to accept the ownership immediately (for tests; a multisig accepts separately)
  EXPLORER_API_KEY    optional: for the explorers where the source is verified

Every step first checks on chain whether it is already done. After an interruption, run the command again to continue.`;
