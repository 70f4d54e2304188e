// The contracts that the service has worked with, and the blocks that the indexer has reached.
import { sql } from "drizzle-orm";
import { bigint, boolean, integer, jsonb, text, uniqueIndex } from "drizzle-orm/pg-core";
import type { Address, Hex } from "viem";
import type { Tokens, TokenUnits } from "../../config/token-config.ts";
import { address, moment, now } from "./columns.ts";
import { gatewaySchema } from "./gateway-schema.ts";

/** A contract and its tokens on a chain. The genesis block identifies the chain. At most one deployment is current. */
export const deployment = gatewaySchema.table(
  "deployment",
  {
    /** Short, because many rows and keys contain it. The unique index below identifies a deployment. */
    id: integer().primaryKey().generatedAlwaysAsIdentity(),
    chainId: integer().notNull(),
    genesisHash: text().$type<Hex>().notNull(),
    contract: address().notNull(),
    startBlock: bigint({ mode: "number" }).notNull(),
    tokens: jsonb().$type<Tokens>().notNull(),
    /** The decimals and the on-chain symbol of each token. */
    units: jsonb().$type<TokenUnits>().notNull(),
    /** The off-ramp wallets that new payments may name. */
    wallets: jsonb().$type<Address[]>().notNull(),
    current: boolean().notNull(),
    /**
     * The hash of the settings that were verified against the chain, the time of the verification, and the command that
     * performed it (core/deployment/deployment.ts).
     */
    verifiedHash: text().$type<Hex>(),
    verifiedAt: moment(),
    verifiedBy: text(),
    /** The highest indexed block that any reader has seen (core/indexer-state/high-water-mark.ts). */
    highWaterBlock: bigint({ mode: "number" }).notNull().default(0),
    /** Work items exist for every order that changed up to this block (settlement/runtime/track-orders.ts). */
    trackedBlock: bigint({ mode: "number" }).notNull().default(0),
    /** The ledger is complete up to this block (settlement/ledger). */
    ledgerBlock: bigint({ mode: "number" }).notNull().default(0),
    createdAt: now(),
  },
  (t) => [
    uniqueIndex().on(t.chainId, t.genesisHash, t.contract),
    uniqueIndex("deployment_one_current").on(t.current).where(sql`${t.current}`),
  ],
);

/** A column for the deployment that a row belongs to. */
export const deploymentId = () =>
  integer()
    .notNull()
    .references(() => deployment.id);
