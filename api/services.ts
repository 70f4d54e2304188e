// The dependencies of operations on one network (created by create-services.ts).
import type { ChainClient } from "#core/chain/client.ts";
import type { Config } from "#core/config/config.ts";
import type { Database } from "#core/db/client.ts";
import type { Deployment } from "#core/deployment/deployment.ts";
import type { IntentId } from "#core/ids.ts";
import type { IntentReader } from "#core/intent/read-intent.ts";
import type { Logger } from "#core/log.ts";
import type { Relayer } from "#core/relayer/relayer.ts";
import type { Drain } from "#core/runtime/shutdown.ts";
import type { AccessControl } from "./access/authenticate.ts";
import type { Auth } from "./access/dashboard-sign-in.ts";
import type { RequestLog } from "./access/request-log.ts";
import type { FundingOffers } from "./funding/funding-offers.ts";
import type { ListedTokens } from "./funding/listed-tokens.ts";
import type { Idempotency } from "./idempotency/idempotency.ts";
import type { PaymentTime } from "./indexed-payment-time.ts";
import type { InsertIntent } from "./insert-intents.ts";
import type { Metrics } from "./metrics/metrics.ts";
import type { Networks } from "./networks.ts";
import type { ChooseWallet } from "./off-ramp/choose-wallet.ts";
import type { StreamClient } from "./streams/event-streams.ts";

/** Streams of server-sent events to payment pages (checkout/streams.ts). */
export type CheckoutStreams = {
  /** @returns undefined if too many streams are open */
  open(id: IntentId, client: StreamClient): ReadableStream<Uint8Array> | undefined;
  stop(): Promise<void>;
};

/** The merchant whose changes a stream reports, and the session with which the stream ends. */
export type Watcher = { merchantId: string; sessionId: string };

/** Streams of server-sent events to dashboards (dashboard/change-streams.ts). */
export type ChangeStreams = {
  /** @returns undefined if too many streams are open */
  open(watcher: Watcher, client: StreamClient): ReadableStream<Uint8Array> | undefined;
  stop(): void;
};

/** The dependencies of a network. */
export type NetworkResources = {
  config: Config;
  database: Database;
  /** Connections for prepared reads with cached plans. */
  reads: Database;
  deployment: Deployment;
};

export type Services = NetworkResources & {
  client: ChainClient;
  reader: IntentReader;
  relayer: Relayer;
  /** Sends transactions as the arbiter. Undefined unless the chain is local. */
  arbiter: Relayer | undefined;
  idempotency: Idempotency;
  insertIntent: InsertIntent;
  paymentTime: PaymentTime;
  offers: FundingOffers;
  listedTokens: ListedTokens;
  chooseWallet: ChooseWallet;
  checkouts: CheckoutStreams;
  changes: ChangeStreams;
  requestLog: RequestLog;
  log: Logger;
  /** Shared by all networks: */
  networks: Networks<Services>;
  accessControl: AccessControl;
  /** Undefined if the gateway has no dashboard. */
  auth: Auth | undefined;
  metrics: Metrics;
  drain: Drain;
  /** Ends the streams of all networks, because streams do not end by themselves. */
  endStreams(): Promise<void>;
  /** Releases all resources except the databases. */
  stop(): Promise<void>;
};
