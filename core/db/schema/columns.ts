// Column types that the tables share.
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { sql } from "drizzle-orm";
import { customType, numeric, text, timestamp } from "drizzle-orm/pg-core";
import type { Address, Hex } from "viem";
import type { IdPrefix, IntentId, OrderId } from "../../ids.ts";

export const address = () => text().$type<Address>();
/** An amount in a token's smallest unit. */
export const units = () => numeric({ precision: 40, scale: 0, mode: "bigint" });
/**
 * Settings of the indexes on metadata. With a list of pending entries, every search would read the list, which grows to
 * 4 MB, and each row would write the list's header.
 */
export const METADATA_INDEX = { fastupdate: false };
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
/** Text that is ordered by its bytes, so that an index supports prefix searches. */
export const bytewiseText = customType<{ data: string }>({ dataType: () => 'text collate "C"' });

/** Bytes as PostgreSQL writes them. They are passed as text, so that a value can also be part of JSON or of an array. */
export type Bytes = Buffer | string;

export const writeBytes = (bytes: Buffer): string => `\\x${bytes.toString("hex")}`;
export const readBytes = (bytes: Bytes): Buffer =>
  typeof bytes === "string" ? Buffer.from(bytes.slice(2), "hex") : bytes;

/** Writes hexadecimal digits as bytes. Text that is not of this form becomes empty bytes, which match no row. */
const bytesFrom = (text: string, prefix: string): string =>
  text.startsWith(prefix) && /^([0-9a-f]{2})*$/.test(text.slice(prefix.length))
    ? `\\x${text.slice(prefix.length)}`
    : "\\x";
const digitsFrom = (bytes: Bytes): string =>
  typeof bytes === "string" ? bytes.slice(2) : bytes.toString("hex");

/** Text with a prefix and hexadecimal digits. The row has only the digits, as bytes: less than half of the space. */
const digitsAfter = <Text extends string>(prefix: string, normalize = (text: string) => text) =>
  customType<{ data: Text; driverData: Bytes }>({
    dataType: () => "bytea",
    toDriver: (text) => bytesFrom(normalize(text), prefix),
    fromDriver: (bytes) => `${prefix}${digitsFrom(bytes)}` as Text,
  });
/** A hash or other bytes, in either case. */
export const hex = digitsAfter<Hex>("0x", (text) => text.toLowerCase());
/** An address, written in either case and read in lower case, unlike `address`, which keeps its checksum. */
export const addressBytes = digitsAfter<Address>("0x", (text) => text.toLowerCase());
/** A SHA-256 hash as 64 hexadecimal digits. */
export const digest = digitsAfter<string>("");
export const orderId = digitsAfter<OrderId>("0x");
/** A merchant's id, which is in every row and key of a merchant's. */
export const merchantKey = digitsAfter<string>("merchant_");
/** The bytes are those of the order's id. */
export const intentId = digitsAfter<IntentId>("intent_");

const NIL = "00000000-0000-0000-0000-000000000000";

/** An id such as `payout_0198…`, stored as its UUID. An id of another form is written as the nil UUID, which no row has. */
export const idColumn = (prefix: IdPrefix) => {
  const form = new RegExp(`^${prefix}_[0-9a-f]{32}$`);
  return customType<{ data: string; driverData: string }>({
    dataType: () => "uuid",
    toDriver: (id) => (form.test(id) ? id.slice(prefix.length + 1) : NIL),
    fromDriver: (uuid) => `${prefix}_${uuid.replaceAll("-", "")}`,
  })();
};
