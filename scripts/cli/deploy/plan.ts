// Describes what a deployment will do and cost, before it starts.
import { formatEther, formatGwei } from "viem";
import { PERMIT2 } from "../../devnet/permit2.ts";
import { UserError } from "../../shared/errors.ts";
import { formatTable } from "../../shared/format-table.ts";
import { DETERMINISTIC_DEPLOYER } from "./deterministic-deployer.ts";
import type { Deployment, Step } from "./step.ts";

export interface Plan {
  /** The remaining steps. */
  steps: Step[];
  text: string;
  /** The maximum amount that the deployer's account needs, and its balance. */
  cost: bigint;
  balance: bigint;
}

export async function makePlan(deployment: Deployment, steps: readonly Step[]): Promise<Plan> {
  const { reader } = deployment.node;
  const done: boolean[] = [];
  for (const step of steps) done.push(await step.isDone());
  const open = steps.filter((_, index) => !done[index]);
  const [balance, price] = await Promise.all([
    reader.getBalance({ address: deployment.deployer.address }),
    readGasPrice(deployment),
  ]);
  const gas = open.reduce((sum, step) => sum + step.gas, 0n);
  const value = open.reduce((sum, step) => sum + (step.value ?? 0n), 0n);
  const cost = gas * price.most + value;
  const amount = (wei: bigint) => `${formatEther(wei)} ${deployment.settings.nativeCurrency}`;
  const rows = steps.map((step, index) => [
    `  ${index + 1}. ${step.name}`,
    done[index] ? "done" : describeCost(step, amount),
  ]);
  const text = [
    await describeDeployment(deployment),
    "",
    formatTable(["Steps", ""], rows),
    "",
    ...(cost === 0n
      ? []
      : [
          `Gas: at most ${gas}, at ${formatGwei(price.now)} gwei now: ${amount(gas * price.now)}; ` +
            `at most ${formatGwei(price.most)} gwei: ${amount(gas * price.most)}. On a rollup, plus its data fee.`,
        ]),
    `At most ${amount(cost)} in total; the deployer has ${amount(balance)}.`,
  ].join("\n");
  return { steps: open, text, cost, balance };
}

/** @throws UserError if the deployer's account cannot pay for the plan */
export function requireFunds({ cost, balance }: Plan, { deployer, settings }: Deployment): void {
  if (balance >= cost) return;
  const amount = (wei: bigint) => `${formatEther(wei)} ${settings.nativeCurrency}`;
  throw new UserError(
    `The deployer ${deployer.address} has ${amount(balance)} and needs ${amount(cost)}: ${amount(cost - balance)} more.`,
  );
}

/** Returns the gas price of the next block, and the maximum that a transaction offers. */
async function readGasPrice({ node: { reader } }: Deployment): Promise<{ now: bigint; most: bigint }> {
  const { baseFeePerGas } = await reader.getBlock();
  if (baseFeePerGas === null || baseFeePerGas === undefined) {
    const price = await reader.getGasPrice();
    return { now: price, most: price };
  }
  const { maxFeePerGas, maxPriorityFeePerGas } = await reader.estimateFeesPerGas();
  return { now: baseFeePerGas + maxPriorityFeePerGas, most: maxFeePerGas };
}

function describeCost({ gas, value = 0n }: Step, amount: (wei: bigint) => string): string {
  const parts = [gas > 0n ? `${gas} gas` : "", value > 0n ? amount(value) : ""].filter(Boolean);
  return parts.join(" and ");
}

async function describeDeployment({ settings, node, escrow, deployer, tokens }: Deployment): Promise<string> {
  const permit2 = await node.reader.getCode({ address: PERMIT2 });
  const named = Object.entries(tokens).map(([currency, { address, symbol, decimals }]) => {
    return ["", `${currency}`, `${address}, ${symbol}, ${decimals} decimals`];
  });
  const rows = [
    ["", "Chain", `${settings.chainId} (${settings.name})`],
    ["", "Escrow", `${escrow.address}, by ${DETERMINISTIC_DEPLOYER} with the salt ${settings.salt}`],
    ["", "Deployer", deployer.address],
    ["", "Owner", settings.owner],
    ["", "Guardian", settings.guardian ?? "none"],
    ["", "Permit2", permit2 === undefined ? "not on this chain: payers can use the other methods" : PERMIT2],
    ...named,
  ];
  return formatTable(["Deployment", "", ""], rows);
}
