// Adapter for a provider that works with quotes, modeled on BVNK (https://docs.bvnk.com): a quote offers a price for
// some seconds, and accepting the quote makes the payment. An expired quote is replaced by a new one with a new price.
//
// The provider's list can be filtered by our reference, so all quotes of a payout are known before one is accepted. At
// most one is accepted: the n-th quote of a reference has its own idempotency key, and is requested only once the
// provider reports all earlier quotes as expired or canceled. Accepting a quote twice has no further effect.
import { randomUUID } from "node:crypto";
import { Type } from "@sinclair/typebox";
import type { Config } from "#core/config/config.ts";
import { nameAccount } from "#core/config/off-ramp-accounts.ts";
import type { Provider } from "#core/config/off-ramp-config.ts";
import type { Database } from "#core/db/client.ts";
import type { Mode } from "#core/model/mode.ts";
import { formatAmount } from "#core/money.ts";
import { computeQuote } from "#core/off-ramp/quotes-and-limits.ts";
import { hashToUuid } from "#core/payouts/payout-reference.ts";
import { accountBody, chooseRail } from "../bridge/account.ts";
import { ApiError, createApiClient, formatErrorCode } from "../bridge/api.ts";
import { cancelPending } from "../bridge/cancel.ts";
import { createVerifier } from "../bridge/verify.ts";
import {
  type Known,
  type OffRamp,
  type Route,
  type Transfer,
  TransferDeclined,
  type TransferOrder,
  TransferRefused,
} from "../off-ramp.ts";
import { isDead, isOpen, Quote, readQuote } from "./quote.ts";
import { readWebhook } from "./webhook.ts";

export type BvnkOptions = Pick<Config, "mockPayout" | "fees"> & {
  database: Database;
  provider: Provider;
  wallets: readonly { id: string; address: `0x${string}` }[];
  mode: Mode;
  routes?: readonly Route[];
  /** Default: 30 seconds, after which an abandoned request has either arrived or never will. */
  lookUpAfterMs?: number;
};

const Quotes = Type.Object({ content: Type.Array(Quote) });

/** Maximum number of quotes that one attempt requests before it leaves the payout to the next attempt. */
const MOST_QUOTES = 3;
const AT_ONCE = 200;

export function openBvnk(options: BvnkOptions): OffRamp {
  const { database, provider, wallets, mode, routes, lookUpAfterMs = 30_000, ...terms } = options;
  const api = createApiClient(provider);
  const account = nameAccount(provider);

  /** Returns every quote of a reference, oldest first. */
  const listQuotes = async (reference: string, signal?: AbortSignal): Promise<Quote[]> =>
    (await api.get(Quotes, `/quotes?reference=${encodeURIComponent(reference)}`, signal)).content.map(
      (quote) => {
        if (quote.reference !== reference)
          throw new Error("The provider's response is for a different quote.");
        return quote;
      },
    );

  /** Returns the accepted quote. @throws Error if there are two, which a person has to investigate */
  function findAccepted(quotes: readonly Quote[]): Transfer | undefined {
    const accepted = quotes.filter((quote) => !isDead(quote) && !isOpen(quote));
    if (accepted.length > 1) throw new Error("The provider has accepted two quotes with the same reference.");
    return accepted[0] && readQuote(accepted[0]);
  }

  const lookUp = async (reference: string, _known?: Known): Promise<Transfer | undefined> =>
    findAccepted(await listQuotes(reference));

  const askForQuote = (wanted: TransferOrder, number: number, signal: AbortSignal): Promise<Quote> => {
    const { reference, wallet, amount, currency } = wanted;
    const { currency: to, payment_rail } = chooseRail(mode, wanted);
    return api.post(
      Quote,
      "/quotes",
      hashToUuid(`${reference} quote ${number}`),
      {
        ...{ reference, customerId: provider.customerId, walletId: wallet },
        ...{ from: currency, to: to.toUpperCase(), amountIn: formatAmount(amount, currency) },
        ...{ payOutMethod: payment_rail, beneficiary: accountBody(mode, wanted) },
      },
      signal,
    );
  };

  /** @returns undefined if the price expired before it was accepted */
  async function accept({ uuid }: Quote, signal: AbortSignal): Promise<Quote | undefined> {
    try {
      return await api.post(Quote, `/quotes/${encodeURIComponent(uuid)}/accept`, uuid, {}, signal);
    } catch (error) {
      if (error instanceof ApiError && error.code === "quote_expired") return undefined;
      throw error;
    }
  }

  async function order(wanted: TransferOrder): Promise<Transfer> {
    if (wanted.wallet === null) throw new Error("The payout has no wallet to pay from.");
    const signal = api.deadline();
    for (let tried = 0; tried < MOST_QUOTES; tried++) {
      const quotes = await listQuotes(wanted.reference, signal);
      const known = findAccepted(quotes);
      if (known) return known;
      const quote = quotes.find(isOpen) ?? (await askForQuote(wanted, quotes.length + 1, signal));
      if (isDead(quote)) continue;
      const accepted = isOpen(quote) ? await accept(quote, signal) : quote;
      if (accepted && !isOpen(accepted)) return readQuote(accepted);
    }
    throw new TransferDeclined("the provider's prices expired before they were accepted");
  }

  async function create(wanted: TransferOrder): Promise<Transfer> {
    try {
      return await order(wanted);
    } catch (error) {
      if (!(error instanceof ApiError && (error.isRefusal || error.isDecline))) throw error;
      const known = await lookUp(wanted.reference);
      if (known) return known;
      if (error.isDecline) throw new TransferDeclined(`declined by the provider${formatErrorCode(error)}`);
      throw new TransferRefused(`refused by the provider${formatErrorCode(error)}`);
    }
  }

  /**
   * Each cancellation has a new key, because the provider replays its response to a rejected one for a day. Canceling a
   * payment twice has no further effect.
   */
  const cancelQuote = (uuid: string) =>
    api.post(Type.Unknown(), `/quotes/${encodeURIComponent(uuid)}/cancel`, randomUUID(), {});

  const cancel = async (reference: string): Promise<Transfer> =>
    cancelPending(await lookUp(reference), cancelQuote, () => lookUp(reference));

  async function* transfers({ since, after }: { since: Date; after?: string }) {
    for (let last = after ?? ""; ; ) {
      const path = `/quotes?since=${since.getTime()}&after=${encodeURIComponent(last)}`;
      const { content } = await api.get(Quotes, path);
      for (const quote of content) if (!isDead(quote) && !isOpen(quote)) yield readQuote(quote);
      const end = content.at(-1);
      if (!end) return;
      last = end.uuid;
    }
  }

  return {
    account,
    hasWallets: true,
    ...(routes && { routes }),
    verify: createVerifier({ database, api, account, provider, wallets }),
    atOnce: AT_ONCE,
    lookUpAfterMs,
    readWebhook: (headers, body) => readWebhook(provider.webhookKey, headers, body),
    quote: (asked) => computeQuote(terms, asked),
    ...{ lookUp, create, cancel, transfers },
  };
}
