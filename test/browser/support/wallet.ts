// A browser wallet (EIP-1193, announced by EIP-6963) that the test controls. It signs with a local key, calls the real
// chain, and rejects requests or changes its account or network on demand.
import type { BrowserContext, Page } from "playwright-core";
import { createWalletClient, type Hex, http, keccak256, type TypedDataDefinition } from "viem";
import type { PrivateKeyAccount } from "viem/accounts";
import { hardhatChain } from "#scripts/devnet/hardhat-chain.ts";

type Call = { method: string; params?: unknown[] };
type Answer = { result: unknown } | { error: { code: number; message: string; data?: unknown } };

/** Wallet error codes (EIP-1193 and EIP-3085). */
const REJECTED = { code: 4001, message: "User rejected the request." };
const UNKNOWN_CHAIN = { code: 4902, message: "Unrecognized chain ID." };

const ICON = `data:image/svg+xml;base64,${btoa(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#3b5bdb"/><circle cx="16" cy="16" r="7" fill="#fff"/></svg>',
)}`;

export type WalletOptions = {
  name?: string;
  rpcUrl: string;
  /** The wallet's chain when the page first connects to it. */
  chainId: number;
  account: PrivateKeyAccount;
  /** Whether the wallet announces itself (EIP-6963) or is only available at window.ethereum. */
  announced?: boolean;
  icon?: string;
};

export class TestWallet {
  readonly name: string;
  readonly rdns: string;
  /** Every request that the wallet has received from the page. */
  readonly requests: Call[] = [];
  account: PrivateKeyAccount;
  chainId: number;
  /** Networks that the wallet can switch to without adding them first. */
  readonly knownChains: Set<number>;
  /** Methods that the owner rejects. */
  readonly declined = new Set<string>();
  /** Responses that replace the chain's responses, for cases that the real chain cannot produce. */
  readonly answers = new Map<string, (params: unknown[]) => unknown>();
  connected = false;
  /** The owner's change of a transaction before the wallet sends it. */
  edit: (transaction: Record<string, Hex>) => Record<string, Hex> = (transaction) => transaction;
  /** The gas limit that the owner sets for a transaction. */
  gas: bigint | undefined;

  constructor(private readonly options: WalletOptions) {
    this.name = options.name ?? "Test Wallet";
    this.rdns = `test.${this.name.toLowerCase().replaceAll(/\W/g, "-")}`;
    this.account = options.account;
    this.chainId = options.chainId;
    this.knownChains = new Set([options.chainId]);
  }

  count(method: string): number {
    return this.requests.filter((call) => call.method === method).length;
  }

  /** Must be called before the page is opened. */
  async join(context: BrowserContext): Promise<void> {
    const binding = `ask_${this.rdns.replaceAll(/\W/g, "_")}`;
    await context.exposeBinding(binding, (_, call: Call) => this.#answer(call));
    const { announced = true, icon = ICON } = this.options;
    await context.addInitScript(inject, { binding, announced, name: this.name, rdns: this.rdns, icon });
  }

  /** Used instead of `join` if the wallet is on another device. Its connector calls `window[binding]`. */
  async joinBy(context: BrowserContext, binding: string): Promise<void> {
    await context.exposeBinding(binding, (_, call: Call) => this.#answer(call));
  }

  /** Changes the account in the wallet, as its owner does. */
  async changeAccount(page: Page, account: PrivateKeyAccount): Promise<void> {
    this.account = account;
    await this.#emit(page, "accountsChanged", [account.address]);
  }

  async disconnect(page: Page): Promise<void> {
    this.connected = false;
    await this.#emit(page, "accountsChanged", []);
  }

  async changeNetwork(page: Page, chainId: number): Promise<void> {
    this.chainId = chainId;
    await this.#emit(page, "chainChanged", `0x${chainId.toString(16)}`);
  }

  #emit(page: Page, event: string, value: unknown): Promise<void> {
    return page.evaluate(
      ([rdns, name, data]) =>
        (window as unknown as Record<string, (event: unknown, data: unknown) => void>)[`emit ${rdns}`]?.(
          name,
          data,
        ),
      [this.rdns, event, value] as const,
    );
  }

  async #answer(call: Call): Promise<Answer> {
    this.requests.push(call);
    if (this.declined.has(call.method)) return { error: REJECTED };
    const own = this.answers.get(call.method);
    try {
      if (own) return { result: await own(call.params ?? []) };
      return await this.#do(call.method, call.params ?? []);
    } catch (error) {
      const { code = -32603, message, data } = error as { code?: number; message: string; data?: unknown };
      return { error: { code, message, data } };
    }
  }

  async #do(method: string, params: unknown[]): Promise<Answer> {
    const { address } = this.account;
    switch (method) {
      case "eth_requestAccounts":
        this.connected = true;
        return { result: [address] };
      case "eth_accounts":
        return { result: this.connected ? [address] : [] };
      case "wallet_requestPermissions":
        this.connected = true;
        return {
          result: [
            {
              parentCapability: "eth_accounts",
              caveats: [{ type: "restrictReturnedAccounts", value: [address] }],
            },
          ],
        };
      case "wallet_revokePermissions":
        this.connected = false;
        return { result: null };
      case "eth_chainId":
        return { result: `0x${this.chainId.toString(16)}` };
      case "wallet_switchEthereumChain":
        return this.#switch(Number((params[0] as { chainId: string }).chainId));
      case "wallet_addEthereumChain":
        this.knownChains.add(Number((params[0] as { chainId: string }).chainId));
        return this.#switch(Number((params[0] as { chainId: string }).chainId));
      case "eth_signTypedData_v4":
        return {
          result: await this.account.signTypedData(JSON.parse(params[1] as string) as TypedDataDefinition),
        };
      case "eth_sendTransaction":
        return { result: await this.#send(this.edit(params[0] as Record<string, Hex>)) };
      default:
        return this.#askChain(method, params);
    }
  }

  #switch(chainId: number): Answer {
    if (!this.knownChains.has(chainId)) return { error: UNKNOWN_CHAIN };
    this.chainId = chainId;
    this.#switched(chainId);
    return { result: null };
  }

  /** Reports the switch through the page's own listener, as real wallets do. */
  #switched: (chainId: number) => void = () => undefined;

  /** Notifies this page of network switches. */
  notifies(page: Page): void {
    this.#switched = (chainId) => void this.changeNetwork(page, chainId);
  }

  /**
   * The transaction is mined even if it fails, as on a public network. A development node would report the failure to
   * the sender.
   */
  async #send({ to, data, gas }: Record<string, Hex>): Promise<Hex> {
    const chain = { ...hardhatChain, id: this.chainId };
    const client = createWalletClient({ account: this.account, chain, transport: http(this.options.rpcUrl) });
    const request = await client.prepareTransactionRequest({
      to: to as Hex,
      data: data ?? "0x",
      gas: this.gas ?? (gas === undefined ? undefined : BigInt(gas)),
      type: "eip1559",
    });
    const raw = await client.signTransaction(request as never);
    const hash = keccak256(raw);
    await client.sendRawTransaction({ serializedTransaction: raw }).catch((error: Error) => {
      if (!/revert|out of gas/i.test(error.message)) throw error;
    });
    return hash;
  }

  async #askChain(method: string, params: unknown[]): Promise<Answer> {
    const response = await fetch(this.options.rpcUrl, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    return (await response.json()) as Answer;
  }
}

type Injected = { binding: string; announced: boolean; name: string; rdns: string; icon: string };

/** Runs in the page before the page's own scripts. */
function inject({ binding, announced, name, rdns, icon }: Injected): void {
  type Listener = (data: unknown) => void;
  const world = window as unknown as Record<string, unknown>;
  const listeners = new Map<string, Set<Listener>>();
  const remember = (all: unknown) => sessionStorage.setItem(binding, JSON.stringify(all));
  const accounts = () => JSON.parse(sessionStorage.getItem(binding) ?? "[]") as unknown;
  const provider = {
    async request(call: Call): Promise<unknown> {
      // Responds immediately, as installed wallets do: when a page is reopened, wagmi waits 100 ms for them.
      if (call.method === "eth_accounts") return accounts();
      const answer = await (world[binding] as (call: Call) => Promise<Answer>)(call);
      if ("error" in answer) throw Object.assign(new Error(answer.error.message), answer.error);
      if (call.method === "eth_requestAccounts") remember(answer.result);
      if (call.method === "wallet_requestPermissions") {
        remember(
          await (world[binding] as (call: Call) => Promise<Answer>)({ method: "eth_accounts" }).then((all) =>
            "result" in all ? all.result : [],
          ),
        );
      }
      if (call.method === "wallet_revokePermissions") remember([]);
      return answer.result;
    },
    on(event: string, listener: Listener) {
      listeners.set(event, (listeners.get(event) ?? new Set()).add(listener));
    },
    removeListener(event: string, listener: Listener) {
      listeners.get(event)?.delete(listener);
    },
  };
  world[`emit ${rdns}`] = (event: string, data: unknown) => {
    if (event === "accountsChanged") remember(data);
    for (const listener of listeners.get(event) ?? []) listener(data);
  };
  if (!announced) {
    world.ethereum = provider;
    return;
  }
  const detail = Object.freeze({
    info: { uuid: crypto.randomUUID(), name, icon, rdns },
    provider,
  });
  const announce = () => window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
  window.addEventListener("eip6963:requestProvider", announce);
  announce();
}
