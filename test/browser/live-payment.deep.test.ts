// A live payment from the page, with real balances and allowances and a wallet that pays its own gas.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { join } from "node:path";
import { expect } from "chai";
import type { Browser } from "playwright-core";
import { type Address, encodeFunctionData, erc20Abi, type Hex, maxUint256 } from "viem";
import { authorizationAbi, permit2NonceAbi } from "#core/chain/abi/authorization.ts";
import type { FundingMethod } from "#core/chain/funding-methods.ts";
import type { LocalCurrency } from "#core/money.ts";
import { PERMIT2 } from "#scripts/devnet/permit2.ts";
import { openTestFolder } from "#scripts/devnet/test-folder.ts";
import { until } from "#scripts/shared/wait.ts";
import type { Checkout } from "#web/pay/payment/checkout.ts";
import { Client } from "../api/support/client.ts";
import { create, retrieve, untilStatus } from "../api/support/payments.ts";
import { placePermit2 } from "../live/support/permit2.ts";
import { type LiveNetwork, startTwoNetworks, TO_BANK } from "../live/support/two-networks.ts";
import type { SharedStack } from "../support/shared-stack.ts";
import { startBrowser } from "./support/chromium.ts";
import { type Payer, payerOf, walletOf, withoutPayment } from "./support/payer.ts";
import type { Appearance, Visitor } from "./support/visitor.ts";
import type { TestWallet } from "./support/wallet.ts";

const PRICE = 100_000_000n;
const PAY = "Pay 100.00 USDC";
const ANY_AMOUNT = "You will allow any amount of DAI until you revoke the permit";
const PRICES = { USDC: PRICE, USDT: PRICE, DAI: 100n * 10n ** 18n };

let stack: SharedStack;
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
  await placePermit2(live);
  client = new Client(stack.baseUrl, live.apiKey);
});
afterAll(async () => {
  await browser?.close();
  await stop?.();
});

type Scene = { payer: Payer; wallet: TestWallet; id: string };

type Beforehand = Appearance & {
  /** A spender that already has an allowance. */
  approved?: Address;
  /** A funding method that the gateway does not offer, as for the tokens of some other networks. */
  without?: FundingMethod;
};

/** Removes a funding method from the gateway's response, and blocks the stream so that the page polls. */
const withoutMethod =
  (without: FundingMethod) =>
  async ({ page }: Visitor): Promise<void> => {
    await withoutPayment(page);
    await page.route("**/checkout", async (route) => {
      if (route.request().headers().accept?.includes("event-stream")) {
        return route.fulfill({ status: 503, body: "" });
      }
      const response = await route.fetch();
      const checkout = (await response.json()) as Checkout;
      const fundingMethods = checkout.data.fundingMethods.filter(({ method }) => method !== without);
      return route.fulfill({ json: { ...checkout, data: { ...checkout.data, fundingMethods } } });
    });
  };

/** Opens a payment of 100 for a connected payer with this many units of the token. */
async function withMoney(
  units: bigint,
  currency: LocalCurrency = "USDC",
  { approved: spender, without, ...appearance }: Beforehand = {},
  prepare: (wallet: TestWallet) => void = () => undefined,
): Promise<Scene> {
  const { LIVE_RPC_URL: rpcUrl, LIVE_CHAIN_ID } = live.environment;
  const wallet = walletOf({ rpcUrl, chainId: Number(LIVE_CHAIN_ID) });
  prepare(wallet);
  await live.give(wallet.account, units, currency);
  if (spender) await live.approve(wallet.account, units, { currency, spender });
  const intent = await create(client, { ...TO_BANK, currency, amount: "100.00" });
  const beforePage = without && withoutMethod(without);
  const payer = await payerOf(browser, stack, intent, { wallets: [wallet], ...appearance }, beforePage);
  await payer.connect();
  return { payer, wallet, id: intent.id };
}

/**
 * Expects the payment to succeed with five confirmations and with this many transactions and signatures by the payer.
 */
async function expectPaid({ payer, wallet, id }: Scene, asked: { sent: number; signed: string[] }) {
  await payer.sees("Paid – your money is in escrow");
  const { data } = await untilStatus(client, id, "SUCCEEDED");
  expect(data.signerAddress).to.equal(wallet.account.address);
  expect(wallet.count("eth_sendTransaction")).to.equal(asked.sent);
  expect(signedBy(wallet).map(({ primaryType }) => primaryType)).to.deep.equal(asked.signed);
  await payer.leave();
}

type Signed = { primaryType: string; domain: object; message: object };

const signedBy = (wallet: TestWallet): Signed[] =>
  wallet.requests
    .filter(({ method }) => method === "eth_signTypedData_v4")
    .map(({ params = [] }) => JSON.parse(String(params[1])) as Signed);

/** Returns every leaf value at any depth, in lower case. */
const valuesOf = (value: unknown): string[] =>
  typeof value === "object" && value !== null
    ? Object.values(value).flatMap(valuesOf)
    : [String(value).toLowerCase()];

/** Returns the escrow's allowance of the wallet's DAI. */
const daiAllowanceOf = ({ account }: TestWallet): Promise<bigint> =>
  live.client.readContract({
    address: live.tokens.DAI,
    abi: erc20Abi,
    functionName: "allowance",
    args: [account.address, live.contractAddress],
  });

describe("a live payer", () => {
  it("only signs once if the token accepts an authorization, exactly as shown on the page", async () => {
    const scene = await withMoney(PRICE);
    const { payer, wallet } = scene;
    expect(await payer.page.getByText("no real money").count()).to.equal(0);
    await payer.reads("Your wallet will ask for one signature");
    await payer.page.getByText("What you will sign").click();
    const shown = await payer.page.getByRole("region", { name: "What you will sign" }).textContent();
    await payer.expectSound();
    await payer.screenshot("authorization");
    await payer.click(PAY);
    await payer.sees("Paid – your money is in escrow");
    const [signed] = signedBy(wallet);
    if (!signed) throw new Error("Nothing was signed.");
    for (const value of valuesOf({ ...signed.domain, ...signed.message })) {
      expect(shown?.toLowerCase()).to.include(value);
    }
    await expectPaid(scene, { sent: 0, signed: ["ReceiveWithAuthorization"] });
  });

  it("only signs once if the payer has approved Permit2", async () => {
    const scene = await withMoney(PRICES.DAI, "DAI", { approved: PERMIT2 });
    await scene.payer.click("Pay 100.00 DAI");
    await expectPaid(scene, { sent: 0, signed: ["PermitWitnessTransferFrom"] });
  });

  it("signs twice if the token accepts a permit", async () => {
    const scene = await withMoney(PRICE, "USDC", { without: "ERC_3009" });
    const { payer } = scene;
    await payer.reads("Your wallet will ask for two signatures: one lets the escrow take exactly this");
    expect(await payer.page.getByText(ANY_AMOUNT).count()).to.equal(0);
    await payer.click(PAY);
    await expectPaid(scene, { sent: 0, signed: ["Permit", "DeliveryVsPayment"] });
  });

  it("is informed that DAI's permit allows any amount before signing it, and removes the allowance after the payment", async () => {
    const scene = await withMoney(PRICES.DAI, "DAI", { viewport: "phone", colorScheme: "dark" });
    const { payer, wallet } = scene;
    await payer.reads(ANY_AMOUNT);
    await payer.reads("Your wallet will ask for two signatures: one lets the escrow take any amount");
    await payer.page.getByText("What you will sign").click();
    await payer.expectSound();
    await payer.screenshot("permit-phone-dark");
    await payer.click("Pay 100.00 DAI");
    await payer.sees("Paid – your money is in escrow");
    expect(await daiAllowanceOf(wallet)).to.equal(maxUint256);
    await payer.reads("This account allows the escrow contract to take any amount of DAI");
    await payer.expectSound();
    await payer.screenshot("any-amount-phone-dark");
    // The wallet first never responds.
    await payer.page.clock.install();
    wallet.answers.set("eth_sendTransaction", () => new Promise(() => undefined));
    await payer.click("Remove allowance");
    await payer.reads("Confirm in your wallet.");
    await until(() => wallet.count("eth_sendTransaction") === 1, {
      what: "The wallet being asked",
      timeoutMs: 20_000,
    });
    await payer.page.clock.fastForward(21_000);
    await payer.click("Stop waiting");
    await payer.reads("Your wallet did not respond");
    wallet.answers.delete("eth_sendTransaction");
    await payer.click("Remove allowance");
    await payer.reads("Revoked. The escrow can no longer use the signature or allowance.");
    expect(await daiAllowanceOf(wallet)).to.equal(0n);
    await expectPaid(scene, { sent: 2, signed: ["Permit", "DeliveryVsPayment"] });
  });

  it("can approve DAI's exact amount with their own transactions instead of any amount with a signature", async () => {
    const scene = await withMoney(PRICES.DAI, "DAI");
    const { payer, wallet } = scene;
    await payer.reads(ANY_AMOUNT);
    await payer.click("Pay with a transaction instead");
    await payer.reads("then to send a transaction. Network fees apply.");
    expect(await payer.page.getByText(ANY_AMOUNT).count()).to.equal(0);
    await payer.click("Pay 100.00 DAI");
    await payer.sees("Paid – your money is in escrow");
    expect(await daiAllowanceOf(wallet)).to.equal(0n);
    await expectPaid(scene, { sent: 2, signed: [] });
  });

  it("approves and pays with their own transactions if no signature is possible", async () => {
    const scene = await withMoney(PRICES.USDT, "USDT");
    await scene.payer.reads(/^up to 0\.0\d+ ETH$/);
    await scene.payer.reads("100.00 USDT plus the network fee");
    await scene.payer.screenshot("costs-transaction");
    await scene.payer.reads("then to send a transaction. Network fees apply.");
    await scene.payer.click("Pay 100.00 USDT");
    await expectPaid(scene, { sent: 2, signed: [] });
  });

  it("may send their own transactions even if it is unknown whether a signature is possible", async () => {
    const scene = await withMoney(PRICE, "USDC", {}, ({ answers }) =>
      answers.set("eth_getCode", () => Promise.reject(new Error("The node is away."))),
    );
    await scene.payer.click("Pay with a transaction instead");
    await scene.payer.reads("then to send a transaction. Network fees apply.");
    await scene.payer.click(PAY);
    await expectPaid(scene, { sent: 2, signed: [] });
  });

  it("signs only the payment if the escrow has received an allowance in the meantime, and is informed beforehand", async () => {
    const scene = await withMoney(PRICE);
    const { payer, wallet } = scene;
    await payer.page.getByText("What you will sign").click();
    const shown = payer.page.getByRole("region", { name: "What you will sign" });
    await shown.getByText("ReceiveWithAuthorization").waitFor();
    await live.approve(wallet.account, PRICE);
    await payer.click(PAY);
    await payer.reads("Your wallet request has changed");
    await shown.getByText("DeliveryVsPayment", { exact: true }).first().waitFor();
    await payer.expectSound();
    await payer.screenshot("something-else");
    expect(wallet.count("eth_signTypedData_v4")).to.equal(0);
    await payer.click(PAY);
    await expectPaid(scene, { sent: 0, signed: ["DeliveryVsPayment"] });
  });

  it("whose balance is too low is shown the available and the required amount before the wallet is opened", async () => {
    const { payer, wallet, id } = await withMoney(PRICE - 1n);
    await payer.reads("Insufficient balance");
    await payer.reads("100.00 USDC and nothing else");
    await payer.click(PAY);
    await payer.page.getByRole("button", { name: "Try again" }).waitFor();
    await payer.reads(/This account has 99\.999999 USDC, but the payment needs 100\.00 USDC/);
    await payer.expectSound();
    await payer.screenshot("too-little");
    expect(wallet.count("eth_sendTransaction") + wallet.count("eth_signTypedData_v4")).to.equal(0);
    await live.give(wallet.account, 1n);
    await payer.click("Try again");
    await payer.sees("Paid – your money is in escrow");
    await untilStatus(client, id, "SUCCEEDED");
    await payer.leave();
  });

  it("who approves less than the amount is informed, and can still approve it", async () => {
    const { payer, wallet, id } = await withMoney(PRICE, "USDT");
    wallet.edit = (transaction) => ({
      ...transaction,
      data: encodeFunctionData({
        abi: erc20Abi,
        functionName: "approve",
        args: [live.contractAddress, PRICE - 1n],
      }),
    });
    await payer.click("Pay 100.00 USDT");
    await payer.reads("The escrow cannot take the amount");
    await payer.expectSound();
    await payer.screenshot("too-little-allowed");
    expect((await retrieve(client, id)).status).to.equal("INITIATED");
    wallet.edit = (transaction) => transaction;
    await payer.click("Try again");
    await payer.sees("Paid – your money is in escrow");
    await payer.leave();
  });
});

describe("a live payer who changes their mind", () => {
  /** Signs while the gateway is unreachable, and then revokes the signature. */
  async function revokeSigned({ payer, wallet, id }: Scene, pay: string): Promise<void> {
    await payer.page.route("**/confirm", (route) => route.abort("internetdisconnected"));
    await payer.click(pay);
    await payer.reads("the signature was not delivered");
    await payer.page.getByText("Revoke signatures and allowances").click();
    await payer.expectSound();
    await payer.screenshot("revoke-signature");
    await payer.click("Revoke signature");
    await payer.reads("Revoked. The escrow can no longer use the signature or allowance.");
    expect(await payer.page.getByText("the signature was not delivered").count()).to.equal(0);
    expect(wallet.count("eth_sendTransaction")).to.equal(1);
    expect((await retrieve(client, id)).data.status).to.equal("REQUIRES_SIGNATURE");
  }

  it("cancels a signed authorization (ERC-3009) at the token", async () => {
    const scene = await withMoney(PRICE);
    await revokeSigned(scene, PAY);
    const used = await live.client.readContract({
      address: live.tokens.USDC,
      abi: authorizationAbi,
      functionName: "authorizationState",
      args: [scene.wallet.account.address, scene.id.replace("intent_", "0x") as Hex],
    });
    expect(used).to.equal(true);
    await scene.payer.leave();
  });

  it("invalidates the nonce of a signed Permit2 transfer", async () => {
    const scene = await withMoney(PRICES.DAI, "DAI", { approved: PERMIT2 });
    await revokeSigned(scene, "Pay 100.00 DAI");
    const nonce = BigInt(scene.id.replace("intent_", "0x"));
    const word = await live.client.readContract({
      address: PERMIT2,
      abi: permit2NonceAbi,
      functionName: "nonceBitmap",
      args: [scene.wallet.account.address, nonce >> 8n],
    });
    expect(word).to.equal(1n << (nonce & 0xffn));
    await scene.payer.leave();
  });

  it("uses up the nonce of a signed permit (ERC-2612) with a zero permit", async () => {
    const scene = await withMoney(PRICE, "USDC", { without: "ERC_3009" });
    await revokeSigned(scene, PAY);
    const nonce = await live.client.readContract({
      address: live.tokens.USDC,
      abi: authorizationAbi,
      functionName: "nonces",
      args: [scene.wallet.account.address],
    });
    expect(nonce).to.equal(1n);
    await scene.payer.leave();
  });

  it("uses up the nonce of DAI's signed permit with a permit that allows nothing", async () => {
    const scene = await withMoney(PRICES.DAI, "DAI");
    const { payer, wallet } = scene;
    await revokeSigned(scene, "Pay 100.00 DAI");
    const permits = signedBy(wallet).filter(({ primaryType }) => primaryType === "Permit");
    expect(permits.map(({ message }) => message)).to.deep.include.members([
      { ...permits[0]?.message, nonce: "0", allowed: true },
      { ...permits[0]?.message, nonce: "0", allowed: false },
    ]);
    const nonce = await live.client.readContract({
      address: live.tokens.DAI,
      abi: authorizationAbi,
      functionName: "nonces",
      args: [wallet.account.address],
    });
    expect(nonce).to.equal(1n);
    expect(await daiAllowanceOf(wallet)).to.equal(0n);
    await payer.leave();
  });

  it("removes the remaining allowance of a canceled payment", async () => {
    const { payer, wallet, id } = await withMoney(PRICE, "USDC", { approved: live.contractAddress });
    await client.post(`/payment-intents/${id}/cancel`, {});
    await payer.sees("Revoke signatures and allowances");
    await payer.reads("This account allows the escrow contract to take 100.00 USDC.");
    await payer.expectSound();
    await payer.screenshot("revoke-allowance");
    wallet.declined.add("eth_sendTransaction");
    await payer.click("Remove allowance");
    await payer.reads("You declined the request");
    wallet.declined.clear();
    await payer.click("Remove allowance");
    await payer.reads("Revoked. The escrow can no longer use the signature or allowance.");
    const allowance = await live.client.readContract({
      address: live.tokens.USDC,
      abi: erc20Abi,
      functionName: "allowance",
      args: [wallet.account.address, live.contractAddress],
    });
    expect(allowance).to.equal(0n);
    await payer.leave();
  });
});
