// Kinds of columns that the tables share.
import { sql } from "drizzle-orm";
import { customType, numeric, text, timestamp } from "drizzle-orm/pg-core";
import type { Address, Hex } from "viem";

export const hex = () => text().$type<Hex>();
export const address = () => text().$type<Address>();
/** An amount in a token's smallest unit. */
export const units = () => numeric({ precision: 40, scale: 0, mode: "bigint" });
export const moment = () => timestamp({ withTimezone: true, mode: "date" });
/** When the row was inserted. */
export const now = () => moment().notNull().default(sql`clock_timestamp()`);
/** Hexadecimal to the program, bytes in the row: half as long. */
export const hexBytes = customType<{ data: Hex; driverData: Buffer }>({
  dataType: () => "bytea",
  toDriver: (hex) => Buffer.from(hex.slice(2), "hex"),
  fromDriver: (bytes) => `0x${bytes.toString("hex")}`,
});
export const bytea = customType<{ data: Buffer }>({ dataType: () => "bytea" });
