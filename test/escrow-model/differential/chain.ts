// An in-process Hardhat network with the compiled escrow and two tokens, on which every account has ETH and tokens.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { network } from "hardhat";
import solc from "solc";
import {
  type Abi,
  type Address as ChainAddress,
  decodeEventLog,
  decodeFunctionResult,
  encodeDeployData,
  encodeFunctionData,
  type Hex,
  isAddressEqual,
  numberToHex,
  parseAbi,
  toFunctionSelector,
  zeroAddress,
} from "viem";
import { deliveryVsPaymentAbi as escrowAbi } from "#core/chain/abi/delivery-vs-payment.ts";
import { type Artifact, committedArtifacts, compiledArtifact } from "#scripts/devnet/compiled.ts";
import { root } from "#scripts/shared/paths.ts";
import { type Address, ESCROW } from "../terms.ts";
import { addressOf, keyOf, PEOPLE } from "./people.ts";
import { MODES, type TokenBehaviour, WELL_BEHAVED } from "./token.ts";

export type ChainOrder = ReturnType<typeof decodeOrder>;

/**
 * `error` is the error with which the call reverted or `settle` skipped the order: its name, or its selector if it is
 * unknown. Null if the call succeeded.
 */
export interface CallResult {
  error: string | null;
}

export const START = 1_900_000_000;
const OWNER = "stranger";
const ACCOUNT_BALANCE = 1n << 125n;
/**
 * Amount of each token that the escrow holds besides orders' funds, so that a transfer that charges the sender a fee does
 * not underflow.
 */
const ESCROW_SURPLUS = 10n;
const GAS = numberToHex(3_000_000);
const HOSTILE = "contracts/test/support/mocks/HostileToken.sol";

const tokenAbi = parseAbi([
  "function approve(address spender, uint256 value)",
  "function balanceOf(address account) view returns (uint256)",
  "function faucet(address to, uint256 amount)",
  "function setBalance(address account, uint256 balance)",
  "function setBlocked(address account, bool blocked)",
  "function setMode(uint8 mode)",
  "error Refused()",
  "error SafeERC20FailedOperation(address token)",
  "error Panic(uint256 code)",
]);

const errorNames = new Map(
  [...(escrowAbi as Abi), ...tokenAbi].flatMap((item) =>
    item.type === "error"
      ? [[toFunctionSelector({ ...item, type: "function", outputs: [], stateMutability: "view" }), item.name]]
      : [],
  ),
);
const decodeErrorName = (data: Hex) => errorNames.get(data.slice(0, 10) as Hex) ?? data.slice(0, 10);

export async function startChain(): Promise<Chain> {
  const accounts = PEOPLE.map((name) => ({ privateKey: keyOf(name), balance: String(10n ** 24n) }));
  const { provider } = await network.connect({
    override: { accounts, allowBlocksWithSameTimestamp: true },
  });
  const chain = new Chain(async (method, ...params) => provider.request({ method, params }));
  await chain.deploy();
  return chain;
}

export class Chain {
  escrow: ChainAddress = zeroAddress;
  tokens: { wellBehaved: ChainAddress; hostile: ChainAddress } = {
    wellBehaved: zeroAddress,
    hostile: zeroAddress,
  };
  chainId = 0;
  private snapshot: unknown;
  private behaviour: TokenBehaviour | null = null;

  constructor(private readonly request: (method: string, ...params: unknown[]) => Promise<unknown>) {}

  async deploy(): Promise<void> {
    this.chainId = Number(await this.request("eth_chainId"));
    await this.at(START);
    const committed = committedArtifacts();
    const artifact = (name: string) => committed?.[name] ?? compiledArtifact(name);
    const owner = addressOf(OWNER, zeroAddress);
    this.escrow = await this.create(artifact("DeliveryVsPayment"), [owner, zeroAddress]);
    this.tokens = {
      wellBehaved: await this.create(artifact("tokens/USDC"), []),
      hostile: await this.create(compileHostileToken(), []),
    };
    const { wellBehaved, hostile } = this.tokens;
    for (const token of [wellBehaved, hostile]) await this.list(token, true);
    for (const name of [...PEOPLE, ESCROW]) {
      const wealth = name === ESCROW ? ESCROW_SURPLUS : ACCOUNT_BALANCE;
      const account = addressOf(name, this.escrow);
      await this.setUp(wellBehaved, "faucet", [account, wealth]);
      await this.setUp(hostile, "setBalance", [account, wealth]);
      if (name === ESCROW) continue;
      const approve = encodeFunctionData({
        abi: tokenAbi,
        functionName: "approve",
        args: [this.escrow, (1n << 256n) - 1n],
      });
      for (const token of [wellBehaved, hostile]) await this.transact(name, token, approve);
    }
    this.snapshot = await this.request("evm_snapshot");
  }

  /** Reverts the chain to its state after `deploy`: tokens listed, balances and approvals set. */
  async reset(): Promise<void> {
    await this.request("evm_revert", this.snapshot);
    this.snapshot = await this.request("evm_snapshot");
    this.behaviour = null;
  }

  /** Sets the timestamp of the next block. */
  async at(now: number): Promise<void> {
    await this.request("evm_setNextBlockTimestamp", numberToHex(now));
  }

  async list(token: ChainAddress, listed: boolean): Promise<void> {
    const data = encodeFunctionData({
      abi: escrowAbi,
      functionName: "setTokenListed",
      args: [token, listed],
    });
    await this.transact(OWNER, this.escrow, data);
  }

  async behave(behaviour: TokenBehaviour, now: number): Promise<void> {
    const before = this.behaviour ?? WELL_BEHAVED;
    const { hostile } = this.tokens;
    if (before.mode !== behaviour.mode) {
      await this.at(now);
      await this.setUp(hostile, "setMode", [MODES[behaviour.mode]]);
    }
    for (const name of [...PEOPLE, ESCROW]) {
      const blocked = behaviour.blocked.includes(name);
      if (before.blocked.includes(name) === blocked) continue;
      await this.at(now);
      await this.setUp(hostile, "setBlocked", [addressOf(name, this.escrow), blocked]);
    }
    if (before.seized !== behaviour.seized) {
      await this.at(now);
      const balance = behaviour.seized ? 0n : ACCOUNT_BALANCE;
      await this.setUp(hostile, "setBalance", [addressOf(ESCROW, this.escrow), balance]);
    }
    this.behaviour = behaviour;
  }

  /**
   * Sends a transaction to the escrow in a separate block. If `settle` skips the order, the error is the reason in its
   * event.
   */
  async send(by: Address, now: number, data: Hex): Promise<CallResult> {
    await this.at(now);
    try {
      const hash = await this.transact(by, this.escrow, data);
      const receipt = (await this.request("eth_getTransactionReceipt", hash)) as Receipt;
      if (Number(receipt.status) !== 1) throw new Error(`The transaction failed: ${JSON.stringify(receipt)}`);
      return { error: findSkipReason(receipt, this.escrow) };
    } catch (error) {
      const revert = (error as { data?: unknown }).data;
      if (typeof revert !== "string" || !revert.startsWith("0x")) throw error;
      return { error: decodeErrorName(revert as Hex) };
    }
  }

  async order(getOrder: Hex) {
    return decodeOrder(await this.read(this.escrow, getOrder));
  }

  async credit(name: Address, token: ChainAddress): Promise<bigint> {
    const args = [addressOf(name, this.escrow), token] as const;
    return BigInt(
      await this.read(this.escrow, encodeFunctionData({ abi: escrowAbi, functionName: "creditOf", args })),
    );
  }

  /** Returns the token balance of every account and of the escrow. */
  async balances(token: ChainAddress): Promise<Map<Address, bigint>> {
    const balances = new Map<Address, bigint>();
    for (const name of [...PEOPLE, ESCROW]) {
      const args = [addressOf(name, this.escrow)] as const;
      const data = encodeFunctionData({ abi: tokenAbi, functionName: "balanceOf", args });
      balances.set(name, BigInt(await this.read(token, data)));
    }
    return balances;
  }

  private async read(to: ChainAddress, data: Hex): Promise<Hex> {
    return (await this.request("eth_call", { to, data }, "latest")) as Hex;
  }

  private transact(by: Address, to: ChainAddress | undefined, data: Hex): Promise<unknown> {
    const from = addressOf(by, this.escrow);
    return this.request("eth_sendTransaction", { from, to, data, gas: to ? GAS : numberToHex(15_000_000) });
  }

  private async create({ abi, bytecode }: Artifact, args: unknown[]): Promise<ChainAddress> {
    const data = encodeDeployData({ abi, bytecode, args } as never);
    const hash = await this.transact(OWNER, undefined, data);
    const receipt = (await this.request("eth_getTransactionReceipt", hash)) as Receipt;
    return receipt.contractAddress;
  }

  private async setUp(
    token: ChainAddress,
    functionName: "faucet" | "setBalance" | "setBlocked" | "setMode",
    args: readonly unknown[],
  ): Promise<void> {
    await this.transact(OWNER, token, encodeFunctionData({ abi: tokenAbi, functionName, args } as never));
  }
}

interface Receipt {
  status: Hex;
  contractAddress: ChainAddress;
  logs: { address: Hex; topics: [Hex, ...Hex[]]; data: Hex }[];
}

function findSkipReason({ logs }: Receipt, escrow: ChainAddress): string | null {
  for (const { address, topics, data } of logs) {
    if (!isAddressEqual(address, escrow)) continue;
    const event = decodeEventLog({ abi: escrowAbi, topics, data, strict: false });
    if (event.eventName === "SettlementSkipped" && event.args.reason)
      return decodeErrorName(event.args.reason);
  }
  return null;
}

function decodeOrder(data: Hex) {
  return decodeFunctionResult({ abi: escrowAbi, functionName: "getOrder", data });
}

/** Compiles the hostile token, which is not in the committed compilation. */
function compileHostileToken(): Artifact {
  const input = {
    language: "Solidity",
    sources: { [HOSTILE]: { content: readFileSync(join(root, HOSTILE), "utf8") } },
    settings: { outputSelection: { "*": { "*": ["abi", "evm.bytecode.object"] } } },
  };
  const output = JSON.parse(solc.compile(JSON.stringify(input)));
  const compiled = output.contracts?.[HOSTILE]?.HostileToken;
  if (!compiled) throw new Error(`HostileToken does not compile: ${JSON.stringify(output.errors)}`);
  return { abi: compiled.abi, bytecode: `0x${compiled.evm.bytecode.object}` };
}
