// Kinds of columns that the tables share.
import { deflateRawSync, inflateRawSync } from "node:zlib";
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
/** Hexadecimal to the program, deflated bytes in the row: of a signed call, mostly zeros, less than a quarter of the text. */
export const deflatedHex = customType<{ data: Hex; driverData: Buffer }>({
  dataType: () => "bytea",
  toDriver: (hex) => deflateRawSync(Buffer.from(hex.slice(2), "hex")),
  fromDriver: (bytes) => `0x${inflateRawSync(bytes).toString("hex")}`,
});
export const bytea = customType<{ data: Buffer }>({ dataType: () => "bytea" });
