// The help of `npm run deploy`.
export const HELP = `Deploys the escrow contract for a network, at the same address on every chain, and writes the gateway's environment.

  npm run deploy -- --network NAME

  --owner ADDRESS         who owns the contract in the end, in place of the settings' owner
  --guardian ADDRESS      who may take tokens off the list, in place of the settings' guardian
  --env FILE              the gateway's environment file (gateway.env)
  --force                 replaces lines of that file that say otherwise
  --start-block NUMBER    where the contract begins, if the node does not know any more
  --record FILE           adds the address to a list; the one that is published: contracts/abi/addresses.json
  --plan                  shows what there is to do and what it costs, and does nothing
  --yes                   without a question; needed where there is no terminal

NAME is a file in deploy/networks without its ending, or the path of such a file; docs/deployment.md describes it.
In the environment, each as NAME or as NAME_FILE with the path of a file that holds it:
  RPC_URL             a node of the network
  DEPLOYER_KEY        pays for everything, and owns the contract until the handover; its account decides the address
  OWNER_KEY           optional: the new owner's, to accept the ownership at once (for tests; a multisig accepts by itself)
  EXPLORER_API_KEY    optional: for the explorers where the source is verified

Every step asks the chain first whether it is done: run it again after an interruption, and it goes on from there.`;
