// A payer: a visitor of the payment page whose browser has wallets.
import type { Browser, Page } from "playwright-core";
import type { Intent } from "../../api/support/client.ts";
import { newPayer } from "../../api/support/payments.ts";
import { originOf } from "../../api/support/routes.ts";
import type { RunningStack } from "../../support/shared-stack.ts";
import { type Appearance, type Visitor, visit } from "./visitor.ts";
import { TestWallet, type WalletOptions } from "./wallet.ts";

export const walletOf = (
  stack: Pick<RunningStack, "rpcUrl" | "chainId">,
  changes: Partial<WalletOptions> = {},
): TestWallet =>
  new TestWallet({ rpcUrl: stack.rpcUrl, chainId: stack.chainId, account: newPayer(), ...changes });

/** Serves the page's document without its payment, so that everything shown comes from the API. */
export async function withoutPayment(page: Page): Promise<void> {
  await page.route(
    ({ searchParams }) => searchParams.has("intent"),
    async (route) => {
      const { origin, pathname } = new URL(route.request().url());
      await route.fulfill({ response: await route.fetch({ url: `${origin}${pathname}` }) });
    },
  );
}

export type Payer = Visitor & {
  /** Connects the first wallet and waits for the pay button. */
  connect(): Promise<void>;
  click(name: string | RegExp): Promise<void>;
  /** Waits until the page has this heading. */
  sees(heading: string | RegExp): Promise<void>;
  /** Waits until the page contains this text. */
  reads(text: string | RegExp): Promise<void>;
};

/** Opens the page of an intent, or of an id that may not exist. */
export async function payerOf(
  browser: Browser,
  stack: RunningStack,
  intent: Pick<Intent, "id">,
  { wallets = [], ...appearance }: Appearance & { wallets?: TestWallet[] } = {},
  prepare: (visitor: Visitor) => Promise<void> = async () => undefined,
): Promise<Payer> {
  const visitor = await visit(browser, originOf(stack), appearance);
  const { page } = visitor;
  for (const wallet of wallets) {
    await wallet.join(visitor.context);
    wallet.notifies(page);
  }
  await prepare(visitor);
  await page.goto(`${stack.paymentPageUrl}/?intent=${intent.id}`);
  // Until then the page shows the server-rendered content, which the browser replaces.
  await page.locator(".unstarted").waitFor({ state: "detached" });
  const button = (name: string | RegExp) =>
    page.getByRole("button", { name, exact: typeof name === "string" });
  return {
    ...visitor,
    async connect() {
      await button(wallets[0]?.name ?? "").click();
      await button("Disconnect").waitFor();
    },
    click: (name) => button(name).click(),
    sees: (name) => page.getByRole("heading", { name }).waitFor(),
    reads: (text) => page.getByText(text).first().waitFor(),
  };
}
