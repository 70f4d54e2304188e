// A live payment from the page: real balances and allowances, and a wallet that pays its own gas.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { join } from "node:path";
import { expect } from "chai";
import type { Browser } from "playwright-core";
import { encodeFunctionData, erc20Abi } from "viem";
import { openTestFolder } from "#scripts/local/test-folder.ts";
import { Client } from "../api/support/client.ts";
import { create, retrieve, untilStatus } from "../api/support/payments.ts";
import { type LiveNetwork, startTwoNetworks } from "../live/support/two-networks.ts";
import type { Stack } from "../support/stack.ts";
import { startBrowser } from "./support/chromium.ts";
import { type Payer, payerOf, walletOf } from "./support/payer.ts";
import type { TestWallet } from "./support/wallet.ts";

const PRICE = 100_000_000n;
const PAY = "Pay 100.00 USDC";

let stack: Stack;
let live: LiveNetwork;
let stop: () => Promise<void>;
let client: Client;
let browser: Browser;

beforeAll(async () => {
  const folder = process.env.TEST_FOLDER ?? (await openTestFolder()).folder;
  [{ stack, live, stop }, browser] = await Promise.all([
    startTwoNetworks(join(folder, "live-page-chain.log")),
    startBrowser(),
  ]);
  client = new Client(stack.baseUrl, live.apiKey);
});
afterAll(async () => {
  await browser?.close();
  await stop?.();
});

/** Somebody with this much USDC, in front of a payment of 100, connected. */
async function withMoney(usdc: bigint): Promise<{ payer: Payer; wallet: TestWallet; id: string }> {
  const { LIVE_RPC_URL: rpcUrl, LIVE_CHAIN_ID } = live.environment;
  const wallet = walletOf({ rpcUrl, chainId: Number(LIVE_CHAIN_ID) });
  await live.give(wallet.account, usdc);
  const intent = await create(client, {});
  const payer = await payerOf(browser, stack, intent, { wallets: [wallet] });
  await payer.connect();
  return { payer, wallet, id: intent.id };
}

describe("a live payer", () => {
  it("approves and pays by his own transactions, when the escrow may take nothing yet", async () => {
    const { payer, wallet, id } = await withMoney(PRICE);
    expect(await payer.page.getByText("Test mode").count()).to.equal(0);
    await payer.reads("If the escrow may not take the amount from your account yet");
    await payer.click(PAY);
    await payer.sees("Paid – your money is in escrow");
    const { data } = await untilStatus(client, id, "SUCCEEDED");
    expect(data.signerAddress).to.equal(wallet.account.address);
    expect(wallet.count("eth_sendTransaction")).to.equal(2);
    expect(wallet.count("eth_signTypedData_v4")).to.equal(0);
    await payer.leave();
  });

  it("only signs, when the escrow may take the amount already", async () => {
    const { payer, wallet, id } = await withMoney(PRICE);
    await live.approve(wallet.account, PRICE);
    await payer.click(PAY);
    await payer.sees("Paid – your money is in escrow");
    await untilStatus(client, id, "SUCCEEDED");
    expect(wallet.count("eth_sendTransaction")).to.equal(0);
    expect(wallet.count("eth_signTypedData_v4")).to.equal(1);
    await payer.leave();
  });

  it("with too little is told how much is there and how much is needed, before anything is asked", async () => {
    const { payer, wallet, id } = await withMoney(PRICE - 1n);
    await payer.click(PAY);
    await payer.reads("Not enough in this account");
    await payer.reads(/It holds 99\.999999 USDC, and the payment needs 100\.00 USDC/);
    await payer.expectSound();
    await payer.screenshot("too-little");
    expect(wallet.count("eth_sendTransaction") + wallet.count("eth_signTypedData_v4")).to.equal(0);
    await live.give(wallet.account, 1n);
    await payer.click("Try again");
    await payer.sees("Paid – your money is in escrow");
    await untilStatus(client, id, "SUCCEEDED");
    await payer.leave();
  });

  it("who allows less than the amount is told so, and can allow it after all", async () => {
    const { payer, wallet, id } = await withMoney(PRICE);
    wallet.edit = (transaction) => ({
      ...transaction,
      data: encodeFunctionData({
        abi: erc20Abi,
        functionName: "approve",
        args: [live.contractAddress, PRICE - 1n],
      }),
    });
    await payer.click(PAY);
    await payer.reads("The escrow may not take the amount");
    await payer.expectSound();
    await payer.screenshot("too-little-allowed");
    expect((await retrieve(client, id)).status).to.equal("INITIATED");
    wallet.edit = (transaction) => transaction;
    await payer.click("Try again");
    await payer.sees("Paid – your money is in escrow");
    await payer.leave();
  });
});
