// The PostgreSQL schema of the service's own tables. The chain's tables belong to the indexer (core/db/chain.ts).
import { pgSchema } from "drizzle-orm/pg-core";

export const gatewaySchema = pgSchema("gateway");
