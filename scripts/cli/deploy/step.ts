// The type of a deployment step, and its input.
import type { Account, Hex } from "viem";
import type { Currency } from "#core/money.ts";
import type { Escrow } from "./escrow.ts";
import type { Node } from "./node.ts";
import type { NamedToken, Settings } from "./settings.ts";

export type TestToken = NamedToken & { bytecode: Hex };

export interface Step {
  name: string;
  /** Maximum gas, paid by the deployer's account. */
  gas: bigint;
  /** The transferred value, in the native currency's smallest unit. */
  value?: bigint;
  isDone(): Promise<boolean>;
  run(): Promise<unknown>;
}

export interface Deployment {
  settings: Settings;
  node: Node;
  escrow: Escrow;
  deployer: Account;
  /** Accepts ownership of the contract, if the owner's key is available. */
  newOwner: Account | undefined;
  tokens: Record<Currency, NamedToken | TestToken>;
}
