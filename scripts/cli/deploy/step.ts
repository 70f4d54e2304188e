// What a deployment is made of, and from.
import type { Account, Hex } from "viem";
import type { Currency } from "#core/money.ts";
import type { Escrow } from "./escrow.ts";
import type { Node } from "./node.ts";
import type { NamedToken, Settings } from "./settings.ts";

export type TestToken = NamedToken & { bytecode: Hex };

export interface Step {
  name: string;
  /** At most, of the deployer's account. */
  gas: bigint;
  /** What it sends besides, in the smallest unit of the native currency. */
  value?: bigint;
  isDone(): Promise<boolean>;
  run(): Promise<unknown>;
}

export interface Deployment {
  settings: Settings;
  node: Node;
  escrow: Escrow;
  deployer: Account;
  /** Accepts the contract, where its key is at hand. */
  newOwner: Account | undefined;
  tokens: Record<Currency, NamedToken | TestToken>;
}
