// The steps of a deployment, in order. Each step checks on chain, before and after it runs, whether it is done. A run
// that was interrupted at any point can therefore resume without stored state.
import { type Address, encodeFunctionData, isAddressEqual, zeroAddress } from "viem";
import { deliveryVsPaymentAbi } from "#core/chain/abi/delivery-vs-payment.ts";
import type { Currency } from "#core/money.ts";
import { UserError } from "../../shared/errors.ts";
import {
  DETERMINISTIC_DEPLOYER,
  deployDeterministicDeployer,
  hasDeterministicDeployer,
  missingFunds,
  PRESIGNED_SENDER,
  requireAcceptance,
  requirePossible,
} from "./deterministic-deployer.ts";
import type { Call } from "./node.ts";
import type { Deployment, Step } from "./step.ts";
import { planTestFunding, planTestTokens } from "./test-tokens.ts";

const TRANSFER_GAS = 21_000n;
/** Gas of a call that writes one storage slot. */
const CALL_GAS = 60_000n;
/** Extra gas for the deterministic deployer: it forwards 63/64 of its gas to CREATE2, so the estimate may be tight. */
const CREATE2_GAS = 60_000n;

/** @throws UserError if another contract is at the escrow's address, or someone else owns it */
export async function planSteps(deployment: Deployment): Promise<Step[]> {
  const available = await hasDeterministicDeployer(deployment.node);
  if (await isDeployed(deployment)) await requireOwner(deployment);
  return [
    ...(available ? [] : await planDeterministicDeployer(deployment)),
    ...planTestTokens(deployment),
    await planEscrow(deployment, available),
    ...planTestFunding(deployment),
    ...Object.entries(deployment.tokens).map(([currency, { address }]) =>
      planListing(deployment, currency, address),
    ),
    ...planGuardian(deployment),
    ...planHandover(deployment),
  ];
}

/** @throws UserError if other code is at the address */
export async function isDeployed({ node: { reader }, escrow }: Deployment): Promise<boolean> {
  const code = await reader.getCode({ address: escrow.address });
  if (code === undefined || code === escrow.runtime) return code !== undefined;
  throw new UserError(
    `The code at ${escrow.address} differs from the compiled escrow. Do not use this contract.`,
  );
}

async function requireOwner(deployment: Deployment): Promise<void> {
  const { deployer, settings, escrow } = deployment;
  const owner = await readOwner(deployment);
  if ([deployer.address, settings.owner].some((expected) => isAddressEqual(expected, owner))) return;
  throw new UserError(
    `The settings specify ${settings.owner} as the owner of ${escrow.address}, but its owner is ${owner}.`,
  );
}

const readOwner = ({ node: { reader }, escrow: { address } }: Deployment): Promise<Address> =>
  reader.readContract({ address, abi: deliveryVsPaymentAbi, functionName: "owner" });

async function planDeterministicDeployer({ node, deployer }: Deployment): Promise<Step[]> {
  await requirePossible(node);
  return [
    {
      name: `Fund ${PRESIGNED_SENDER}`,
      gas: TRANSFER_GAS,
      value: await missingFunds(node),
      isDone: async () => (await hasDeterministicDeployer(node)) || (await missingFunds(node)) === 0n,
      async run() {
        await requireAcceptance(node);
        if (await hasDeterministicDeployer(node)) return;
        await node.send(deployer, { to: PRESIGNED_SENDER, value: await missingFunds(node) });
      },
    },
    {
      name: "Deploy the deterministic deployer",
      gas: 0n,
      isDone: () => hasDeterministicDeployer(node),
      run: () => deployDeterministicDeployer(node),
    },
  ];
}

/**
 * Anyone may deploy this code with these arguments first; the result is the same contract with the same address and
 * owner.
 */
async function planEscrow(deployment: Deployment, available: boolean): Promise<Step> {
  const { node, deployer, escrow } = deployment;
  const call: Call = { to: DETERMINISTIC_DEPLOYER, data: escrow.deployData };
  const estimate = async () =>
    available
      ? node.reader.estimateGas({ account: deployer.address, ...call })
      : (await node.reader.estimateGas({ account: deployer.address, data: escrow.initCode })) + CREATE2_GAS;
  return {
    name: "Deploy the escrow",
    gas: (await isDeployed(deployment)) ? 0n : await estimate(),
    isDone: () => isDeployed(deployment),
    run: () => node.send(deployer, call),
  };
}

function planListing(deployment: Deployment, currency: Currency, token: Address): Step {
  const { node, escrow } = deployment;
  return {
    name: `List ${currency}`,
    gas: CALL_GAS,
    isDone: async () =>
      (await isDeployed(deployment)) &&
      (await node.reader.readContract({
        address: escrow.address,
        abi: deliveryVsPaymentAbi,
        functionName: "isTokenListed",
        args: [token],
      })),
    run: () =>
      sendAsOwner(
        deployment,
        encodeFunctionData({
          abi: deliveryVsPaymentAbi,
          functionName: "setTokenListed",
          args: [token, true],
        }),
        `setTokenListed(${token}, true)`,
      ),
  };
}

function planGuardian(deployment: Deployment): Step[] {
  const { node, escrow, settings } = deployment;
  const { guardian } = settings;
  if (guardian === undefined) return [];
  return [
    {
      name: "Set the guardian",
      gas: CALL_GAS,
      isDone: async () =>
        (await isDeployed(deployment)) &&
        isAddressEqual(
          guardian,
          await node.reader.readContract({
            address: escrow.address,
            abi: deliveryVsPaymentAbi,
            functionName: "guardian",
          }),
        ),
      run: () =>
        sendAsOwner(
          deployment,
          encodeFunctionData({ abi: deliveryVsPaymentAbi, functionName: "setGuardian", args: [guardian] }),
          `setGuardian(${guardian})`,
        ),
    },
  ];
}

/**
 * Sends a call as the deployer, if the deployer is still the owner.
 * @throws UserError otherwise, with the call that the current owner has to make
 */
async function sendAsOwner(deployment: Deployment, data: `0x${string}`, call: string): Promise<void> {
  const { node, deployer, escrow } = deployment;
  const owner = await readOwner(deployment);
  if (isAddressEqual(owner, deployer.address)) {
    await node.send(deployer, { to: escrow.address, data });
    return;
  }
  throw new UserError(
    `The deployer no longer owns the contract. ${owner} must call ${call} on ${escrow.address}:\n  ${data}\nThen run this again.`,
  );
}

function planHandover(deployment: Deployment): Step[] {
  const { node, deployer, escrow, settings, newOwner } = deployment;
  const { address } = escrow;
  const { owner } = settings;
  if (isAddressEqual(owner, deployer.address)) return [];
  const isAccepted = async () =>
    (await isDeployed(deployment)) && isAddressEqual(await readOwner(deployment), owner);
  const offer: Step = {
    name: `Offer ownership to ${owner}`,
    gas: CALL_GAS,
    isDone: async () =>
      (await isAccepted()) || isAddressEqual((await readPendingOwner(deployment)) ?? zeroAddress, owner),
    run: () =>
      node.send(deployer, {
        to: address,
        data: encodeFunctionData({
          abi: deliveryVsPaymentAbi,
          functionName: "transferOwnership",
          args: [owner],
        }),
      }),
  };
  if (!newOwner) return [offer];
  const accept: Step = {
    name: "Accept ownership",
    // The new owner's account pays for the gas.
    gas: 0n,
    isDone: isAccepted,
    run: () => node.send(newOwner, { to: address, data: ACCEPT }),
  };
  return [offer, accept];
}

const ACCEPT = encodeFunctionData({ abi: deliveryVsPaymentAbi, functionName: "acceptOwnership" });

async function readPendingOwner(deployment: Deployment): Promise<Address | undefined> {
  const { node, escrow } = deployment;
  if (!(await isDeployed(deployment))) return undefined;
  return node.reader.readContract({
    address: escrow.address,
    abi: deliveryVsPaymentAbi,
    functionName: "pendingOwner",
  });
}

/** Describes what the final owner still has to do; undefined if nothing is left to do. */
export async function describeAcceptance(deployment: Deployment): Promise<string | undefined> {
  const { escrow, settings } = deployment;
  if (isAddressEqual(await readOwner(deployment), settings.owner)) return undefined;
  return (
    `${settings.owner} must accept ownership: acceptOwnership() on ${escrow.address}, with the data ${ACCEPT}.\n` +
    "Until then the deployer's account is the owner: protect its key like the owner's."
  );
}
