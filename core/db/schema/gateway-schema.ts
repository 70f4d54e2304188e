// The PostgreSQL schema of the service's own tables. The chain's tables are the indexer's (core/db/chain.ts).
import { pgSchema } from "drizzle-orm/pg-core";

export const gatewaySchema = pgSchema("gateway");
