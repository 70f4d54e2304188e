// Ten payer tasks from opening the page to completion, with the number of clicks and seconds for each task; and wallets
// that are on another device or do not respond.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import type { Browser } from "playwright-core";
import { faucet, setGasBalances } from "#scripts/devnet/deploy.ts";
import type { Checkout } from "#web/pay/payment/checkout.ts";
import { Client, type Intent } from "../api/support/client.ts";
import { create, fund } from "../api/support/payments.ts";
import { type SharedStack, sharedStack } from "../support/shared-stack.ts";
import { startBrowser } from "./support/chromium.ts";
import { type Payer, payerOf, walletOf, withoutPayment } from "./support/payer.ts";
import { allowPairing, answerWalletConnect, PAIRING } from "./support/remote-wallet.ts";
import type { Appearance, Visitor } from "./support/visitor.ts";
import type { TestWallet } from "./support/wallet.ts";

const PAY = "Pay 100.00 USDC";
const PAID = "Paid – your money is in escrow";
const never = () => new Promise(() => undefined);

let stack: SharedStack;
let client: Client;
let browser: Browser;
const table: { task: string; clicks: number; seconds: string }[] = [];

beforeAll(async () => {
  [stack, browser] = await Promise.all([sharedStack(), startBrowser()]);
  client = new Client(stack.baseUrl, stack.merchants[0]?.apiKey);
});
afterAll(async () => {
  console.table(table);
  await browser?.close();
  await stack?.stop();
});

type Task = Payer & { wallet: TestWallet };
type Scene = {
  wallet?: TestWallet;
  intent?: Pick<Intent, "id">;
  appearance?: Appearance;
  without?: boolean;
  prepare?(visitor: Visitor): Promise<void>;
};

/** Defines a task. Counting starts when the page is usable. */
function task(name: string, open: () => Promise<Scene>, work: (task: Task) => Promise<void>): void {
  it(name, async () => {
    const { wallet = walletOf(stack), intent, appearance = {}, without, prepare } = await open();
    const wallets = without ? [] : [wallet];
    let clicks = 0;
    const payer = await payerOf(
      browser,
      stack,
      intent ?? (await create(client, { description: "Two oak chairs, order 2041" })),
      { ...appearance, wallets },
      async (visitor) => {
        await visitor.context.exposeBinding("clicked", () => void clicks++);
        await visitor.context.addInitScript(() =>
          document.addEventListener(
            "click",
            () => (window as unknown as { clicked(): void }).clicked(),
            true,
          ),
        );
        await prepare?.(visitor);
      },
    );
    const startedAt = performance.now();
    await work({ ...payer, wallet });
    table.push({ task: name, clicks, seconds: ((performance.now() - startedAt) / 1_000).toFixed(1) });
    await payer.screenshot(`task-${name.replaceAll(/\W+/g, "-")}`);
    await payer.leave();
  });
}

/** Returns the payment as the gateway reports it for a network without test tokens. */
async function asOnALiveNetwork({ page }: Visitor): Promise<void> {
  await withoutPayment(page);
  await page.route("**/checkout", async (route) => {
    if (route.request().headers().accept?.includes("event-stream")) {
      return route.fulfill({ status: 503, body: "" });
    }
    const checkout = (await (await route.fetch()).json()) as Checkout;
    return route.fulfill({ json: { ...checkout, data: { ...checkout.data, testMode: false } } });
  });
}

/** Creates a funded payment with the wallet that paid it. */
async function paid(changes: object = {}): Promise<Scene> {
  const wallet = walletOf(stack);
  await setGasBalances(stack.rpcUrl, [wallet.account.address]);
  return { wallet, intent: await fund(client, changes, wallet.account) };
}

describe("a payer's tasks", () => {
  task(
    "pay with an extension",
    async () => ({}),
    async ({ click, sees, expectSound }) => {
      await click("Test Wallet");
      await click(PAY);
      await sees(PAID);
      await expectSound();
    },
  );

  task(
    "pay on a phone without a wallet in its browser",
    async () => ({ without: true, appearance: { viewport: "phone" } }),
    async ({ page, context, wallet, sees }) => {
      const link = page.getByRole("link", { name: "Open in MetaMask" });
      const address = `${new URL(page.url()).protocol}//${(await link.getAttribute("href"))?.split("/dapp/")[1]}`;
      // The wallet's built-in browser opens the page that the link names.
      await wallet.join(context);
      const inWallet = await context.newPage();
      await inWallet.goto(address);
      await inWallet.getByRole("button", { name: "Test Wallet" }).click();
      await inWallet.getByRole("button", { name: PAY }).click();
      await inWallet.getByRole("heading", { name: PAID }).waitFor();
      // The first page updates automatically.
      await sees(PAID);
    },
  );

  task(
    "pay on the wrong network",
    async () => ({ wallet: walletOf(stack, { chainId: 1 }) }),
    async ({ click, sees }) => {
      await click("Test Wallet");
      await click("Switch to Local test network");
      await click(PAY);
      await sees(PAID);
    },
  );

  task(
    "pay without tokens",
    async () => ({ prepare: asOnALiveNetwork }),
    async ({ click, sees, reads, wallet, page }) => {
      await click("Test Wallet");
      await reads("Insufficient balance");
      await reads(/This account has 0\.00 USDC, but the payment needs 100\.00 USDC/);
      await faucet(stack.rpcUrl, stack.tokens.USDC, wallet.account.address, 100_000_000n);
      await page.getByText("Account balance").locator("..").getByText("100.00 USDC").waitFor();
      await click(PAY);
      await sees(PAID);
    },
  );

  task(
    "pay after declining once",
    async () => {
      const wallet = walletOf(stack);
      wallet.declined.add("eth_signTypedData_v4");
      return { wallet };
    },
    async ({ click, sees, reads, wallet }) => {
      await click("Test Wallet");
      await click(PAY);
      await reads("You declined the request");
      wallet.declined.clear();
      await click("Try again");
      await sees(PAID);
    },
  );

  task(
    "pay although the page is reloaded in the middle",
    async () => ({}),
    async ({ click, sees, reads, page, wallet }) => {
      await page.route("**/confirm", (route) => route.abort("internetdisconnected"));
      await click("Test Wallet");
      await click(PAY);
      await reads("Connection lost");
      await page.unroute("**/confirm");
      await page.reload();
      await click("Notify the service");
      await sees(PAID);
      expect(wallet.count("eth_signTypedData_v4")).to.equal(1);
    },
  );

  task(
    "pay although the API is away for 20 seconds",
    async () => ({ prepare: ({ page }) => page.clock.install() }),
    async ({ click, sees, reads, page }) => {
      await click("Test Wallet");
      await page.getByRole("button", { name: PAY }).waitFor();
      await page.route("**/v1/**", (route) => route.abort("connectionrefused"));
      await click(PAY);
      await reads("Connection lost");
      await page.clock.fastForward(20_000);
      await page.unroute("**/v1/**");
      await click(/Try again|Notify the service/);
      await sees(PAID);
    },
  );

  task(
    "raise a dispute",
    () => paid(),
    async ({ click, sees, page }) => {
      await click("Test Wallet");
      await click("Raise a dispute");
      await page.getByLabel("What is wrong?").fill("One chair is missing");
      await click("Raise dispute now");
      await sees("Disputed – money on hold");
    },
  );

  task(
    "reclaim the money",
    () => paid({ deliveryPeriod: 4 }),
    async ({ click, sees }) => {
      await click("Test Wallet");
      await click("Reclaim your money");
      await click("Reclaim now");
      await sees("Refunded to you");
    },
  );

  task(
    "print the receipt",
    () => paid(),
    async ({ page, click }) => {
      await page.evaluate(() => {
        window.print = () => document.body.setAttribute("data-printed", "");
      });
      await click("Print receipt");
      await page.locator("body[data-printed]").waitFor();
      await page.emulateMedia({ media: "print" });
      expect(await page.getByText("Paid on").isVisible()).to.equal(true);
    },
  );
});

describe("a wallet on another device", () => {
  it("is connected by WalletConnect, whose scripts are loaded when it is chosen, and pays", async () => {
    const wallet = walletOf(stack);
    let counted = { loads: 0 };
    const payer = await payerOf(browser, stack, await create(client), {}, async ({ page, context }) => {
      await wallet.joinBy(context, "askPaired");
      counted = await answerWalletConnect(page, "askPaired", stack.chainId);
    });
    await payer.page.getByRole("button", { name: "WalletConnect" }).waitFor();
    expect(counted.loads).to.equal(0);
    await payer.click("WalletConnect");
    const pairing = payer.page.getByRole("region", { name: "Connect your wallet" });
    await pairing.getByRole("img", { name: "WalletConnect code" }).waitFor();
    await payer.expectSound();
    await payer.screenshot("pairing");
    await allowPairing(payer.page);
    await pairing.waitFor({ state: "detached" });
    await payer.click(PAY);
    await payer.sees(PAID);
    expect(wallet.count("eth_signTypedData_v4")).to.equal(1);
    await payer.leave();
  });

  it("on the same phone is opened by a link, and can be abandoned for a different wallet", async () => {
    const appearance = { viewport: "phone", colorScheme: "dark" } as const;
    const payer = await payerOf(
      browser,
      stack,
      await create(client),
      appearance,
      async ({ page, context }) => {
        await walletOf(stack).joinBy(context, "askPaired");
        await answerWalletConnect(page, "askPaired", stack.chainId);
      },
    );
    await payer.click("WalletConnect");
    const link = payer.page.getByRole("link", { name: "Open wallet" });
    expect(await link.getAttribute("href")).to.equal(PAIRING);
    await payer.expectSound();
    await payer.screenshot("pairing-phone-dark");
    await payer.click("Choose another wallet");
    await link.waitFor({ state: "detached" });
    await payer.page.getByRole("button", { name: "WalletConnect", disabled: false }).waitFor();
    await payer.leave();
  });
});

describe("a wallet that never responds", () => {
  it("is reported while connecting and signing, with a way out; a late signature is not used", async () => {
    const wallet = walletOf(stack);
    wallet.answers.set("wallet_requestPermissions", never);
    wallet.answers.set("eth_requestAccounts", never);
    const payer = await payerOf(browser, stack, await create(client), { wallets: [wallet] }, ({ page }) =>
      page.clock.install(),
    );
    const { page } = payer;
    await payer.click("Test Wallet");
    await payer.reads("Waiting for Test Wallet…");
    await page.clock.fastForward(11_000);
    await payer.reads("Your wallet has not responded yet");
    await payer.expectSound();
    await payer.screenshot("silent-connect");
    wallet.answers.clear();
    await payer.click("Stop waiting");
    await payer.connect();

    const late = Promise.withResolvers<string>();
    wallet.answers.set("eth_signTypedData_v4", () => late.promise);
    let confirmed = 0;
    page.on("request", (request) => void (request.url().endsWith("/confirm") && confirmed++));
    await payer.click(PAY);
    await payer.reads("Confirm the signature in your wallet.");
    await page.clock.fastForward(21_000);
    await payer.reads("Your wallet has not responded yet");
    await payer.expectSound();
    await payer.screenshot("silent-sign");
    await payer.click("Stop waiting");
    await payer.reads("Your wallet did not respond");
    late.resolve(`0x${"11".repeat(65)}`);
    wallet.answers.clear();
    await payer.click("Try again");
    await payer.sees(PAID);
    expect(confirmed, "only the second signature").to.equal(1);
    await payer.leave();
  });
});
