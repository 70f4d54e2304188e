import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "postgresql",
  schema: [
    "./core/db/schema.ts",
    "./core/db/transaction-schema.ts",
    "./core/db/payout-schema.ts",
    "./core/db/event-schema.ts",
    "./core/db/audit-schema.ts",
    "./core/db/user-schema.ts",
    "./core/db/ledger-schema.ts",
    "./core/db/off-ramp-schema.ts",
  ],
  out: "./core/db/migrations",
  casing: "snake_case",
  schemaFilter: ["gateway"],
});
