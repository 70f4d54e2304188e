// Payment pages that show a given response, whether or not the gateway would send it.
import type { Browser } from "playwright-core";
import type { StoredTerms } from "#core/chain/terms.ts";
import { Client, type Intent } from "#test/api/support/client.ts";
import type { SharedStack } from "#test/support/shared-stack.ts";
import { type Payer, payerOf, withoutPayment } from "./payer.ts";
import type { Appearance } from "./visitor.ts";
import type { TestWallet } from "./wallet.ts";

export type Shown = {
  id: string;
  status: string;
  data: {
    amount: string;
    chainId: number;
    contractAddress: `0x${string}`;
    terms: StoredTerms;
    order: object | null;
    tokenListed: boolean;
  };
};

export const createShownPayments = (stack: SharedStack, browser: Browser) => ({
  checkout: async ({ id }: Pick<Intent, "id">): Promise<Shown> =>
    (await new Client(stack.baseUrl).get<Shown>(`/payment-intents/public/${id}/checkout`)).body,

  /** Opens the page of `id` with this gateway response. */
  payerShown: (
    id: string,
    answer: Shown | (() => Shown),
    appearance: Appearance & { wallets?: TestWallet[] } = {},
  ): Promise<Payer> =>
    payerOf(browser, stack, { id }, appearance, async ({ page }) => {
      await withoutPayment(page);
      await page.route("**/checkout", (route) =>
        route.request().headers().accept?.includes("event-stream")
          ? route.fulfill({ status: 503, body: "" })
          : route.fulfill({ json: typeof answer === "function" ? answer() : answer }),
      );
    }),
});
