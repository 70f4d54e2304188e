// Adapter for real transfers over HTTP, modeled on Bridge's transfers API (https://apidocs.bridge.xyz). The source is
// our wallet at the provider; the destination is the merchant's bank account, registered as an external account.
//
// A transfer's first Idempotency-Key is our reference; each key is valid for 24 hours. The `client_reference_id` is
// valid forever, but the API can filter its list only by state, update time and chain transaction, so we store the
// list.
import { randomUUID } from "node:crypto";
import { Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { eq } from "drizzle-orm";
import type { Config } from "#core/config/config.ts";
import type { OffRampAccount } from "#core/config/off-ramp-account.ts";
import { nameAccount } from "#core/config/off-ramp-accounts.ts";
import type { Provider } from "#core/config/off-ramp-config.ts";
import type { Database } from "#core/db/client.ts";
import { offRampWallet } from "#core/db/schema/off-ramp.ts";
import type { Mode } from "#core/model/mode.ts";
import { type Currency, formatAmount } from "#core/money.ts";
import { computeQuote } from "#core/off-ramp/quotes-and-limits.ts";
import { hashToUuid } from "#core/payouts/payout-reference.ts";
import { listRoutes } from "../list-routes.ts";
import {
  KeySpent,
  type Known,
  type OffRamp,
  type Transfer,
  TransferDeclined,
  type TransferOrder,
  TransferRefused,
} from "../off-ramp.ts";
import { accountBody, chooseRail } from "./account.ts";
import { ApiError, ApiTransfer, createApiClient, formatErrorCode, type Listed } from "./api.ts";
import { cancelPending } from "./cancel.ts";
import { openSearch } from "./search-list.ts";
import { toTransfer } from "./transfer.ts";
import { createVerifier } from "./verify.ts";
import { readWebhook } from "./webhook.ts";

export type BridgeOptions = Pick<Config, "mockPayout" | "fees" | "offRamp"> & {
  /** Where the provider's list is stored. */
  database: Database;
  provider: Provider;
  /**
   * The transfers that the account serves, and its wallets. Default: every transfer, from the provider's wallet at
   * `offRamp`.
   */
  account?: OffRampAccount;
  /** The network's currencies. Default: none, for an account without limits. */
  currencies?: readonly Currency[];
  /** In test mode, a destination may be any text. */
  mode: Mode;
  /** Default: 30 seconds, after which an abandoned request has either arrived or never will. */
  lookUpAfterMs?: number;
  /** Maximum time that a look-up may read the provider's list. Default: the timeout of one response. */
  searchMs?: number;
};

const FromWallet = Type.Object({ source: Type.Object({ bridge_wallet_id: Type.String() }) });
const ExternalAccount = Type.Object({ id: Type.String({ minLength: 1 }) });

/** Maximum number of external accounts whose ids are cached. */
const REMEMBERED = 10_000;

/**
 * Bun sends 256 requests at a time. One more would wait in a queue while its timeout runs, and webhooks and other
 * callers need some of the 256.
 */
const AT_ONCE = 200;

export function openBridge(options: BridgeOptions): OffRamp {
  const { database, provider, mode, offRamp: address, lookUpAfterMs = 30_000, searchMs, ...terms } = options;
  const { account: settings, currencies = [] } = options;
  const api = createApiClient(provider);
  const { customerId, walletId } = provider;
  const configured = settings?.wallets ?? [{ id: walletId, address }];
  const account = nameAccount(provider);
  const accounts = new Map<string, string>();

  const search = openSearch({
    ...{ database, account, page: api.page },
    ...{ pageMs: provider.timeoutMs, findMs: searchMs ?? provider.timeoutMs },
  });

  async function lookUp(
    reference: string,
    { providerId, notBefore = new Date(0) }: Known = {},
  ): Promise<Transfer | undefined> {
    if (providerId) return ask(providerId, reference);
    const found = await search.find({ reference, notBefore });
    if (!found) return undefined;
    const transfer = await ask(found, reference);
    // The transfer was in the list, so money may have moved.
    if (!transfer) throw new Error("The provider lists a transfer that it does not find by its id.");
    return transfer;
  }

  async function ask(providerId: string, reference: string): Promise<Transfer | undefined> {
    try {
      return ours(await api.get(ApiTransfer, `/transfers/${encodeURIComponent(providerId)}`), reference);
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return undefined;
      throw error;
    }
  }

  /** Returns the provider's id of the external account, and registers the account if necessary. */
  async function loadAccountId(order: TransferOrder, signal: AbortSignal): Promise<string> {
    const body = accountBody(mode, order);
    const name = hashToUuid(JSON.stringify(body));
    const known = accounts.get(name);
    if (known) return known;
    const id = await register(body, signal);
    if (accounts.size >= REMEMBERED) accounts.clear();
    accounts.set(name, id);
    return id;
  }

  /**
   * Registers an account with a new key each time: an old key is rejected after a day, and registering an account again
   * moves no money. If the account exists already, the provider returns its id.
   */
  async function register(body: object, signal: AbortSignal): Promise<string> {
    try {
      const path = `/customers/${customerId}/external_accounts`;
      return (await api.post(ExternalAccount, path, randomUUID(), body, signal)).id;
    } catch (error) {
      if (error instanceof ApiError && error.code === "duplicate_external_account" && error.about) {
        return error.about;
      }
      throw error;
    }
  }

  async function order(wanted: TransferOrder): Promise<Transfer> {
    const { reference, wallet, amount, currency } = wanted;
    if (wallet === null) throw new Error("The payout has no wallet to pay from.");
    const signal = api.deadline();
    const external_account_id = await loadAccountId(wanted, signal);
    const body = {
      client_reference_id: reference,
      amount: formatAmount(amount, currency),
      on_behalf_of: customerId,
      source: {
        payment_rail: "bridge_wallet",
        currency: currency.toLowerCase(),
        bridge_wallet_id: wallet,
      },
      destination: { ...chooseRail(mode, wanted), external_account_id },
    };
    await search.forget(reference);
    try {
      return ours(await api.post(ApiTransfer, "/transfers", buildKey(wanted), body, signal), reference);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.isDecline) throw new TransferDeclined(`declined by the provider${formatErrorCode(error)}`);
      if (!error.isRepeat) throw error;
      // The same key was used with another body or long ago, so a transfer exists. Its absence from the list does not
      // prove that there will be none.
      const known = await lookUp(reference, wanted);
      if (known) return known;
      throw new KeySpent(error.message);
    }
  }

  async function create(wanted: TransferOrder): Promise<Transfer> {
    try {
      return await order(wanted);
    } catch (error) {
      if (!(error instanceof ApiError && error.isRefusal)) throw error;
      const known = await lookUp(wanted.reference, wanted);
      if (known) return known;
      throw new TransferRefused(`refused by the provider${formatErrorCode(error)}`);
    }
  }

  const cancel = async (reference: string, known?: Known): Promise<Transfer> =>
    cancelPending(await lookUp(reference, known), api.cancel, (found) => lookUp(reference, found));

  async function* transfers({ since, after }: { since: Date; after?: string }) {
    const known = await database
      .select({ id: offRampWallet.walletId })
      .from(offRampWallet)
      .where(eq(offRampWallet.account, account));
    const wallets = new Set([...configured.map(({ id }) => id), ...known.map(({ id }) => id)]);
    for await (const transfer of api.transfers(since, after)) {
      const isOurs = Value.Check(FromWallet, transfer) && wallets.has(transfer.source.bridge_wallet_id);
      if (isOurs) yield toTransfer(requireComplete(transfer));
    }
  }

  return {
    account,
    hasWallets: true,
    ...(settings && { routes: listRoutes(settings, currencies) }),
    verify: createVerifier({ database, api, account, provider, wallets: configured }),
    atOnce: AT_ONCE,
    lookUpAfterMs,
    quote: (asked) => computeQuote(terms, asked),
    lookUp,
    create,
    cancel,
    transfers,
    readWebhook: (headers, body) => readWebhook(provider.webhookKey, headers, body),
  };
}

/** Each call has its own key, because the provider replays the response to a rejected call for a day. */
const buildKey = ({ reference, call = 1 }: TransferOrder): string =>
  call === 1 ? reference : hashToUuid(`${reference} call ${call}`);

/** @throws Error if the list does not have the documented form */
function requireComplete(transfer: Listed): ApiTransfer {
  if (Value.Check(ApiTransfer, transfer)) return transfer;
  throw new Error(
    "The provider's list contains a transfer of this gateway that does not have the documented format.",
  );
}

/** @throws Error if the provider returns a different transfer */
function ours(transfer: ApiTransfer, reference: string): Transfer {
  if (transfer.client_reference_id === reference) return toTransfer(transfer);
  throw new Error("The provider's response is for a different transfer.");
}
