// A payer on the payment page, from opening the URL to the receipt, with a browser wallet.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import type { Browser, Route } from "playwright-core";
import { connect } from "#core/db/client.ts";
import { setGasBalances } from "#scripts/devnet/deploy.ts";
import { updateMerchant } from "#scripts/shared/merchants.ts";
import { Client } from "../api/support/client.ts";
import { create, newPayer, prove, retrieve, untilStatus } from "../api/support/payments.ts";
import { inDeep } from "../support/deep.ts";
import { type SharedStack, sharedStack } from "../support/shared-stack.ts";
import { startBrowser } from "./support/chromium.ts";
import { payerOf, walletOf, withoutPayment } from "./support/payer.ts";

const PAY = "Pay 100.00 USDC";

/** Responds like the gateway to a rate-limited client. */
const tooOften = (route: Route) =>
  route.fulfill({
    status: 429,
    json: { error: { code: "rate_limit_exceeded", message: "Too many requests." } },
  });

let stack: SharedStack;
let client: Client;
let browser: Browser;

beforeAll(async () => {
  [stack, browser] = await Promise.all([sharedStack(), startBrowser()]);
  client = new Client(stack.baseUrl, stack.merchants[0]?.apiKey);
});
afterAll(async () => {
  await browser?.close();
  await stack?.stop();
});

describe("a payer with a wallet", () => {
  it("pays with a signature, starting from only the URL, and follows the payment to the receipt", async () => {
    const intent = await create(client, {
      autoRelease: true,
      description: "Two oak chairs, order 2041",
      returnUrl: "http://localhost:3000/done",
      cancelUrl: "http://localhost:3000/cart",
    });
    const wallet = walletOf(stack);
    const payer = await payerOf(browser, stack, intent, { wallets: [wallet] });
    await payer.reads("Two oak chairs, order 2041");
    const back = payer.page.getByRole("link", { name: /^Return to / });
    expect(await back.getAttribute("href")).to.equal("http://localhost:3000/cart");
    expect(await back.textContent()).to.match(/ without paying$/);
    await payer.connect();
    await payer.click(PAY);
    await payer.sees("Paid – your money is in escrow");
    await payer.reads("Your rights as the payer");
    expect(await back.getAttribute("href")).to.equal(`http://localhost:3000/done?intent=${intent.id}`);
    await payer.page.getByRole("status").getByText("100.00 USDC to").waitFor();
    await payer.expectSound();
    await payer.screenshot("locked");
    expect((await prove(client, intent.id)).status).to.equal(200);
    await payer.sees("Payment complete");
    await payer.page.getByRole("button", { name: "Print receipt" }).waitFor();
    await payer.expectSound();
    await payer.screenshot("settled");
    const settled = await untilStatus(client, intent.id, "SETTLED");
    expect(settled.data.signerAddress).to.equal(wallet.account.address);
    expect(wallet.count("eth_signTypedData_v4")).to.equal(1);
    expect(wallet.count("eth_sendTransaction")).to.equal(0);
    await payer.leave();
  });

  inDeep("signs what was shown: the intent's own typed data with the payer's address", async () => {
    const intent = await create(client);
    const wallet = walletOf(stack);
    const payer = await payerOf(browser, stack, intent, { wallets: [wallet] });
    await payer.connect();
    await payer.page.getByText("What you will sign").click();
    const shown = await payer.page.getByRole("region", { name: "What you will sign" }).textContent();
    // The summary is in words, shows the amount, and fits without scrolling.
    expect(shown).to.include("You pay100.00 USDC");
    expect(
      await payer.page.locator(".signed").evaluate((box) => box.scrollHeight <= box.clientHeight),
    ).to.equal(true);
    await payer.expectSound();
    await payer.click(PAY);
    await payer.sees(/on its way|in escrow/);
    const [, text] = wallet.requests.find(({ method }) => method === "eth_signTypedData_v4")?.params ?? [];
    const { domain, message } = JSON.parse(String(text)) as Record<string, Record<string, unknown>>;
    const lower = (values: object) => JSON.stringify(values).toLowerCase();
    for (const value of Object.values({ ...domain, ...message })) {
      expect(shown?.toLowerCase()).to.include(String(value).toLowerCase());
    }
    const { typedData } = intent.data;
    expect(lower(domain ?? {})).to.equal(lower(typedData.domain));
    // Wallets receive numbers as strings.
    expect(lower(Object.values(message ?? {}).map(String))).to.equal(
      lower(Object.values({ ...typedData.message, payer: wallet.account.address }).map(String)),
    );
    await payer.leave();
  });

  inDeep("may send their own transaction, and the page reports it to the gateway", async () => {
    const intent = await create(client);
    const wallet = walletOf(stack, { account: newPayer() });
    const payer = await payerOf(browser, stack, intent, { wallets: [wallet] });
    await setGasBalances(stack.rpcUrl, [wallet.account.address]);
    await payer.connect();
    await payer.click("Pay with a transaction instead");
    await payer.click(PAY);
    await payer.sees("Paid – your money is in escrow");
    const { data } = await untilStatus(client, intent.id, "SUCCEEDED");
    expect(data.signerAddress).to.equal(wallet.account.address);
    expect(wallet.count("eth_signTypedData_v4")).to.equal(0);
    await payer.leave();
  });

  inDeep("chooses among all announced wallets, each with its icon", async () => {
    const intent = await create(client);
    const wallets = [walletOf(stack, { name: "Fox" }), walletOf(stack, { name: "Rabbit" })];
    const payer = await payerOf(browser, stack, intent, { wallets });
    for (const { name } of wallets) {
      const button = payer.page.getByRole("button", { name });
      await button.waitFor();
      expect(await button.locator("img").getAttribute("src")).to.match(/^data:image\//);
    }
    await payer.expectSound();
    await payer.screenshot("wallets");
    await payer.click("Rabbit");
    await payer.page.getByRole("button", { name: PAY }).waitFor();
    expect(wallets[0]?.count("eth_requestAccounts")).to.equal(0);
    await payer.leave();
  });

  inDeep("loads no external icon", async () => {
    const wallet = walletOf(stack, { name: "Spy", icon: "https://spy.example/pixel.svg" });
    const payer = await payerOf(browser, stack, await create(client), { wallets: [wallet] });
    await payer.page.getByRole("button", { name: "Spy" }).waitFor();
    await payer.expectSound();
    await payer.leave();
  });

  inDeep("uses the wallet at window.ethereum if none is announced", async () => {
    const wallet = walletOf(stack, { announced: false });
    const payer = await payerOf(browser, stack, await create(client), { wallets: [wallet] });
    await payer.click("Browser wallet");
    await payer.click(PAY);
    await payer.sees(/on its way|in escrow/);
    await payer.leave();
  });

  inDeep("switches from another network, even to one unknown to the wallet", async () => {
    const wallet = walletOf(stack, { chainId: 1 });
    const payer = await payerOf(browser, stack, await create(client), { wallets: [wallet] });
    await payer.connect();
    await payer.reads("Your wallet is on a different network");
    await payer.expectSound();
    await payer.screenshot("other-network");
    wallet.declined.add("wallet_addEthereumChain");
    await payer.click("Switch to Local test network");
    await payer.reads("You declined the request");
    wallet.declined.clear();
    await payer.click("Switch to Local test network");
    await payer.page.getByRole("button", { name: PAY }).waitFor();
    expect(wallet.chainId).to.equal(stack.chainId);
    await wallet.changeNetwork(payer.page, 1);
    await payer.reads("Your wallet is on a different network");
    await payer.leave();
  });

  inDeep("can change the account or disconnect, in the wallet or on the page", async () => {
    const wallet = walletOf(stack);
    const payer = await payerOf(browser, stack, await create(client), { wallets: [wallet] });
    await payer.connect();
    const second = newPayer();
    await wallet.changeAccount(payer.page, second);
    await payer.page.getByTitle(second.address).waitFor();
    await wallet.disconnect(payer.page);
    await payer.sees("Choose your wallet");
    await payer.connect();
    await payer.click("Disconnect");
    await payer.sees("Choose your wallet");
    await payer.leave();
  });

  inDeep("finds a reopened page in its last state", async () => {
    const wallet = walletOf(stack);
    const payer = await payerOf(browser, stack, await create(client), { wallets: [wallet] });
    await payer.connect();
    await payer.page.reload();
    await payer.page.getByRole("button", { name: PAY }).waitFor();
    await payer.leave();
  });
});

describe("the merchant", () => {
  inDeep("is shown with its image, the only external resource, and a support contact", async () => {
    const { apiKey, merchantId = "" } = stack.merchants[1] ?? {};
    const database = connect(stack.databaseUrl, { application: "test" });
    const profile = { logoUrl: "https://shop.example/logo.svg", supportEmail: "help@shop.example" };
    await updateMerchant(database, merchantId, profile, "test");
    await database.$client.end();
    const payer = await payerOf(
      browser,
      stack,
      await create(new Client(stack.baseUrl, apiKey)),
      {},
      async ({ page }) => {
        await page.route(profile.logoUrl, (route) =>
          route.fulfill({ contentType: "image/svg+xml", body: '<svg xmlns="http://www.w3.org/2000/svg"/>' }),
        );
      },
    );
    const help = payer.page.getByRole("link", { name: profile.supportEmail });
    expect(await help.getAttribute("href")).to.equal(`mailto:${profile.supportEmail}`);
    await payer.page.locator(`img[src="${profile.logoUrl}"]`).waitFor();
    expect(payer.problems.splice(0).every((problem) => problem.endsWith(profile.logoUrl))).to.equal(true);
    await payer.expectSound();
    await payer.leave();
  });
});

describe("a payer without a wallet", () => {
  it("on a phone opens the page in an installed wallet, and does not see a code to scan", async () => {
    const intent = await create(client);
    const payer = await payerOf(browser, stack, intent, { viewport: "phone" });
    await payer.sees("Open this page in your wallet");
    const links = payer.page.getByRole("link", { name: /^Open in / });
    const addresses = await links.evaluateAll((all) => all.map((link) => link.getAttribute("href") ?? ""));
    expect(addresses.length).to.be.at.least(4);
    for (const address of addresses) expect(decodeURIComponent(address)).to.include(`/?intent=${intent.id}`);
    expect(await payer.page.getByText(/scan|phone that has|Continue on your phone/i).count()).to.equal(0);
    await payer.expectSound();
    await payer.screenshot("no-wallet-phone");
    await payer.leave();
  });

  inDeep("on a desktop sees the code that the text mentions", async () => {
    const payer = await payerOf(browser, stack, await create(client));
    await payer.sees("No wallet found in this browser");
    await payer.page.getByRole("img", { name: "QR code for this page" }).waitFor();
    await payer.expectSound();
    await payer.screenshot("no-wallet-desktop");
    await payer.leave();
  });
});

describe("on a small phone", () => {
  it("the next step is visible from the start", async () => {
    const description = "Two oak chairs, order 2041, delivered to the third floor";
    const payer = await payerOf(browser, stack, await create(client, { description }), {
      viewport: "phone",
      wallets: [walletOf(stack)],
    });
    const { page } = payer;
    await page.setViewportSize({ width: 375, height: 667 });
    const endOf = async (name: string) => {
      const box = await page.getByRole("button", { name }).boundingBox();
      return (box?.y ?? Number.POSITIVE_INFINITY) + (box?.height ?? 0);
    };
    expect(await endOf("Test Wallet")).to.be.at.most(667);
    await payer.screenshot("small-phone-choose");
    await payer.connect();
    await page.evaluate(() => scrollTo(0, 0));
    expect(await endOf(PAY)).to.be.at.most(667);
    await payer.expectSound();
    await payer.screenshot("small-phone-pay");
    await payer.leave();
  });
});

describe("when something goes wrong", () => {
  it("a declined signature costs nothing, and can still be given", async () => {
    const intent = await create(client);
    const wallet = walletOf(stack);
    wallet.declined.add("eth_signTypedData_v4");
    const payer = await payerOf(browser, stack, intent, { wallets: [wallet] });
    await payer.connect();
    await payer.click(PAY);
    await payer.reads("You declined the request");
    await payer.expectSound();
    await payer.screenshot("declined");
    expect((await retrieve(client, intent.id)).status).to.equal("REQUIRES_SIGNATURE");
    wallet.declined.clear();
    await payer.click("Try again");
    await payer.sees(/on its way|in escrow/);
    await payer.leave();
  });

  inDeep(
    "a signature that was not delivered is kept, and submitted after a reload without a second one",
    async () => {
      const intent = await create(client);
      const wallet = walletOf(stack);
      const payer = await payerOf(browser, stack, intent, { wallets: [wallet] });
      await payer.page.route("**/confirm", (route) => route.abort("internetdisconnected"));
      await payer.connect();
      await payer.click(PAY);
      await payer.reads("Connection lost");
      await payer.expectSound();
      await payer.screenshot("connection-lost");
      await payer.page.unroute("**/confirm");
      await payer.page.route("**/confirm", tooOften);
      await payer.page.reload();
      await payer.reads("You already signed this payment");
      await payer.click("Notify the service");
      await payer.reads("Too many requests");
      await payer.expectSound();
      await payer.screenshot("too-often");
      await payer.page.unroute("**/confirm");
      await payer.click("Notify the service");
      await payer.sees(/on its way|in escrow/);
      expect(wallet.count("eth_signTypedData_v4")).to.equal(1);
      await payer.leave();
    },
  );

  inDeep("an account without money for gas sees what to do", async () => {
    const wallet = walletOf(stack);
    const payer = await payerOf(browser, stack, await create(client), { wallets: [wallet] });
    await payer.connect();
    await payer.click("Pay with a transaction instead");
    await payer.click(PAY);
    await payer.reads("Not enough ETH for the network fee");
    await payer.expectSound();
    await payer.leave();
  });

  inDeep(
    "a reverted transaction is shown as such, and can be sent again even if the gateway does not accept its hash",
    async () => {
      const intent = await create(client);
      const wallet = walletOf(stack);
      await setGasBalances(stack.rpcUrl, [wallet.account.address]);
      wallet.gas = 60_000n;
      const payer = await payerOf(browser, stack, intent, { wallets: [wallet] });
      await payer.connect();
      await payer.page.route("**/transaction-hash", tooOften);
      await payer.click("Pay with a transaction instead");
      await payer.click(PAY);
      await payer.reads("The network rejected the transaction");
      await payer.expectSound();
      await payer.screenshot("reverted");
      wallet.gas = undefined;
      await payer.click("Try again");
      await payer.sees("Paid – your money is in escrow");
      await payer.leave();
    },
  );

  inDeep(
    "a payment whose transaction has failed can be paid with a signature, even by a returning payer",
    async () => {
      const intent = await create(client);
      const wallet = walletOf(stack);
      const { address: payerAddress } = wallet.account;
      await Promise.all([
        setGasBalances(stack.rpcUrl, [payerAddress]),
        client.post(`/payment-intents/public/${intent.id}/payer`, { payerAddress }),
      ]);
      wallet.gas = 60_000n;
      const payer = await payerOf(browser, stack, intent, { wallets: [wallet] });
      await payer.connect();
      await payer.click("Pay with a transaction instead");
      await payer.click(PAY);
      await payer.reads("The network rejected the transaction");
      await untilStatus(client, intent.id, "REQUIRES_ACTION");
      await payer.page.reload();
      await payer.reads("The payment did not go through");
      await payer.click(PAY);
      await payer.sees(/on its way|in escrow/);
      expect(wallet.count("eth_signTypedData_v4")).to.equal(1);
      await payer.leave();
    },
  );

  it("an unavailable gateway loses nothing: the page waits, and continues automatically", async () => {
    const intent = await create(client);
    const payer = await payerOf(browser, stack, intent, {}, async ({ page }) => {
      await withoutPayment(page);
      await page.route("**/checkout", (route) => route.abort("connectionrefused"));
    });
    await payer.reads("We cannot reach the payment service");
    await payer.page.unroute("**/checkout");
    await payer.reads("Choose your wallet");
    await payer.page.unrouteAll();
    await payer.page.route("**/checkout", (route) => route.abort("connectionrefused"));
    await payer.page.reload();
    // The document contains the payment, so the page shows it with a note that it may be outdated.
    await payer.reads("Connection lost.");
    await payer.reads("Choose your wallet");
    await payer.leave();
  });

  inDeep("without a stream the page polls at the spec's intervals", async () => {
    const intent = await create(client);
    const wallet = walletOf(stack);
    let asked = 0;
    const payer = await payerOf(browser, stack, intent, { wallets: [wallet] }, async ({ page }) => {
      await page.route("**/checkout", (route) => {
        const streams = route.request().headers().accept?.includes("event-stream");
        if (!streams) asked++;
        return streams ? route.fulfill({ status: 503, body: "" }) : route.continue();
      });
    });
    await payer.connect();
    await payer.click(PAY);
    await payer.sees("Paid – your money is in escrow");
    expect(asked).to.be.within(2, 20);
    await payer.leave();
  });
});
