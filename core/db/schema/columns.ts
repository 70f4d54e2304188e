// Column types that the tables share.
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { sql } from "drizzle-orm";
import { customType, numeric, text, timestamp } from "drizzle-orm/pg-core";
import type { Address, Hex } from "viem";
import type { IntentId } from "../../ids.ts";

export const hex = () => text().$type<Hex>();
export const address = () => text().$type<Address>();
/** An amount in a token's smallest unit. */
export const units = () => numeric({ precision: 40, scale: 0, mode: "bigint" });
export const moment = () => timestamp({ withTimezone: true, mode: "date" });
/** When the row was inserted. */
export const now = () => moment().notNull().default(sql`clock_timestamp()`);
/**
 * Hexadecimal in the program, deflated bytes in the row. A signed call consists mostly of zeros, so its bytes take less
 * than a quarter of the text's space.
 */
export const deflatedHex = customType<{ data: Hex; driverData: Buffer }>({
  dataType: () => "bytea",
  toDriver: (hex) => deflateRawSync(Buffer.from(hex.slice(2), "hex")),
  fromDriver: (bytes) => `0x${inflateRawSync(bytes).toString("hex")}`,
});
export const bytea = customType<{ data: Buffer }>({ dataType: () => "bytea" });
/** An intent's id, stored as its 32 bytes, which take half of the text's space. */
export const intentIdBytes = customType<{ data: IntentId; driverData: Buffer }>({
  dataType: () => "bytea",
  toDriver: (id) => Buffer.from(id.slice("intent_".length), "hex"),
  fromDriver: (bytes) => `intent_${bytes.toString("hex")}`,
});
/** Text that is ordered by its bytes, so that an index supports prefix searches. */
export const bytewiseText = customType<{ data: string }>({ dataType: () => 'text collate "C"' });
