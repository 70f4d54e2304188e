// `npm run deploy`: deploys the escrow, transfers its ownership, and writes the gateway's environment.
import { isAbsolute, join, relative } from "node:path";
import { loadGenesisHash } from "#core/chain/client.ts";
import { readTokens } from "#core/config/token-config.ts";
import { compareSettings } from "#core/deployment/compare-settings.ts";
import type { Compiled } from "../devnet/compiled.ts";
import { printLine, step as showStep } from "../devnet/screen.ts";
import { fail, parseCommand, refuse } from "../shared/command-line.ts";
import { UsageError, UserError } from "../shared/errors.ts";
import { root } from "../shared/paths.ts";
import { until } from "../shared/wait.ts";
import { isRecorded, recordAddress } from "./deploy/address-list.ts";
import {
  isUpToDate,
  listVariables,
  readStartBlock,
  type Variables,
  writeEnvironment,
} from "./deploy/environment-file.ts";
import { buildEscrow, requireCompiled } from "./deploy/escrow.ts";
import { connectEtherscan } from "./deploy/explorers/etherscan.ts";
import {
  type Explorer,
  type Submission,
  TemporaryProblem,
  verifySource,
} from "./deploy/explorers/explorer.ts";
import { connectSourcify } from "./deploy/explorers/sourcify.ts";
import { buildStandardInput } from "./deploy/explorers/standard-input.ts";
import { HELP } from "./deploy/help.ts";
import { connectNode, requireChain } from "./deploy/node.ts";
import { makePlan, requireFunds } from "./deploy/plan.ts";
import { readSecrets, type Secrets } from "./deploy/read-secrets.ts";
import { readSettings, type Settings } from "./deploy/settings.ts";
import { findStartBlock, requirePastBlock } from "./deploy/start-block.ts";
import type { Deployment, Step } from "./deploy/step.ts";
import { describeAcceptance, planSteps } from "./deploy/steps.ts";
import { buildTestTokens, requireDevelopmentNode } from "./deploy/test-tokens.ts";
import { requireTokens } from "./deploy/tokens.ts";
import { requireWritable } from "./deploy/writable.ts";

const { values: options } = parseCommand(HELP, {
  network: { type: "string" },
  owner: { type: "string" },
  guardian: { type: "string" },
  env: { type: "string", default: "gateway.env" },
  force: { type: "boolean", default: false },
  "start-block": { type: "string" },
  record: { type: "string" },
  plan: { type: "boolean", default: false },
  yes: { type: "boolean", default: false },
});
const locate = (path: string) => (isAbsolute(path) ? path : join(root, path));
const file = locate(options.env);
const list = options.record === undefined ? undefined : locate(options.record);
const startBlock = options["start-block"];
if (startBlock !== undefined && !/^\d{1,15}$/.test(startBlock))
  refuse("--start-block must be a block number.");

/**
 * Timeout for a step's effect to be visible: nodes behind a load balancer may lag behind the one that has the
 * transaction.
 */
const SEEN_MS = 60_000;

async function deploy(): Promise<void> {
  const settings = readSettings(options.network ?? "", { owner: options.owner, guardian: options.guardian });
  requireWritable("--env", file);
  if (list !== undefined) requireWritable("--record", list);
  const secrets = readSecrets(settings);
  const compiled = requireCompiled();
  const node = connectNode({ rpcUrl: secrets.rpcUrl, ...settings });
  try {
    await run(await prepare(settings, secrets, compiled, node), secrets, compiled);
  } catch (error) {
    throw node.translate(error);
  }
}

/** Checks everything that the settings refer to before anything is sent. */
async function prepare(
  settings: Settings,
  { deployer, newOwner }: Secrets,
  compiled: Compiled,
  node: Deployment["node"],
): Promise<Deployment> {
  const { chainId, salt } = settings;
  await requireChain(node, chainId);
  if (startBlock !== undefined) await requirePastBlock(node, BigInt(startBlock));
  if (await node.hasPending(deployer.address)) {
    await showStep("Pending transactions of an earlier run mined", () =>
      node.untilNothingPending(deployer.address),
    );
  }
  const escrow = buildEscrow(compiled, { deployer: deployer.address, salt, chainId });
  const common = { settings, node, escrow, deployer, newOwner };
  if (settings.tokens === "test") {
    await requireDevelopmentNode(node);
    return { ...common, tokens: buildTestTokens(compiled) };
  }
  await requireTokens(node, settings.tokens);
  return { ...common, tokens: settings.tokens };
}

async function run(deployment: Deployment, secrets: Secrets, compiled: Compiled): Promise<void> {
  const steps = [
    ...(await planSteps(deployment)),
    planEnvironment(deployment),
    ...planRecord(deployment),
    ...planVerification(deployment, secrets, compiled),
  ];
  const plan = await makePlan(deployment, steps);
  printLine(plan.text);
  printLine("");
  if (plan.steps.length > 0) {
    requireFunds(plan, deployment);
    if (options.plan) return;
    confirm();
    for (const step of plan.steps) await showStep(step.name, () => complete(step));
    await requireUsable(deployment);
  }
  const acceptance = await describeAcceptance(deployment);
  printLine(plan.steps.length > 0 ? "\nDeployed." : "Nothing to do: everything is already deployed.");
  if (acceptance) printLine(acceptance);
}

function confirm(): void {
  if (options.yes) return;
  if (!process.stdin.isTTY) {
    throw new UsageError("Confirmation requires a terminal. To deploy without confirmation, use --yes.");
  }
  if (prompt("Type yes to continue:") !== "yes") throw new UserError("Nothing was done.");
}

/** Runs a step unless another run, or an earlier run's transaction, has completed it in the meantime. */
async function complete(step: Step): Promise<void> {
  if (await step.isDone()) return;
  await step.run();
  await until(() => step.isDone(), {
    what: `${step.name}: mined, but its effect is not visible on chain`,
    timeoutMs: SEEN_MS,
  });
}

function planEnvironment(deployment: Deployment): Step {
  const variables = listVariables(deployment);
  // Reports a conflict before anything is sent.
  const isDone = () => {
    try {
      return isUpToDate(file, variables);
    } catch (error) {
      if (options.force) return false;
      throw error;
    }
  };
  return {
    name: `Write ${relative(root, file)}`,
    gas: 0n,
    isDone: async () => isDone(),
    async run() {
      const block = await knowStartBlock(deployment, variables);
      writeEnvironment(file, { ...variables, START_BLOCK: String(block) });
    },
  };
}

async function knowStartBlock({ node, escrow }: Deployment, variables: Variables): Promise<number> {
  if (startBlock !== undefined) return Number(startBlock);
  return readStartBlock(file, variables) ?? (await findStartBlock(node, escrow.address));
}

/** Requires --record, because an operator's private network does not belong in a published list. */
function planRecord(deployment: Deployment): Step[] {
  if (list === undefined) return [];
  const { name, chainId } = deployment.settings;
  const { address } = deployment.escrow;
  return [
    {
      name: `Record the address in ${relative(root, list)}`,
      gas: 0n,
      isDone: async () => isRecorded(list, { chainId, address }),
      async run() {
        const block = await knowStartBlock(deployment, listVariables(deployment));
        recordAddress(list, { network: name, chainId, address, startBlock: block });
      },
    },
  ];
}

function planVerification(
  { settings, escrow }: Deployment,
  { explorerApiKey }: Secrets,
  { escrow: source }: Compiled,
): Step[] {
  const submission = (): Submission => ({
    chainId: settings.chainId,
    address: escrow.address,
    constructorArguments: escrow.constructorArguments,
    input: buildStandardInput(source),
    contract: source.contract,
    compiler: source.compiler,
  });
  const connect = (service: "etherscan" | "sourcify", url: string): Explorer =>
    service === "etherscan"
      ? connectEtherscan(url, submission(), explorerApiKey)
      : connectSourcify(url, submission());
  return settings.verify.map(({ service, url }) => {
    const explorer = connect(service, url);
    let verified = false;
    return {
      name: `Verify the source at ${new URL(url).host}`,
      gas: 0n,
      async isDone() {
        try {
          return verified || (await explorer.isVerified());
        } catch (error) {
          // The step is attempted anyway and reports the failure.
          if (error instanceof TemporaryProblem) return false;
          throw error;
        }
      },
      async run() {
        await verifySource(explorer);
        // An explorer may not show the verification immediately.
        verified = true;
      },
    };
  });
}

/** Makes the same comparison as the gateway on start. */
async function requireUsable(deployment: Deployment): Promise<void> {
  const { settings, node, escrow } = deployment;
  const { tokens: addresses, units } = readTokens(listVariables(deployment).TOKENS ?? "");
  const { differences, unlisted } = await compareSettings(node.reader, {
    chainId: settings.chainId,
    genesisHash: await loadGenesisHash(node.reader),
    contract: escrow.address,
    tokens: addresses,
    units,
  });
  const problems = [...differences, ...unlisted.map((currency) => `${currency} is no longer listed.`)];
  if (problems.length > 0) throw new UserError(problems.join("\n"));
}

await deploy().catch(fail);
