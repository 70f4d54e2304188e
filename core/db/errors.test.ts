import { describe, expect, it } from "bun:test";
import { DrizzleQueryError } from "drizzle-orm/errors";
import { isDatabaseUnavailable, isIndexerMissing } from "./errors.ts";

const withCode = (code: string, message = "an error") => Object.assign(new Error(message), { code });
const query = (cause: Error, ...params: string[]) => new DrizzleQueryError("update payout", params, cause);
const read = (table: string, cause: Error, ...params: string[]) =>
  new DrizzleQueryError(`select "new_column" from ${table} where id = $1`, params, cause);

describe("a failed statement", () => {
  it("counts as an unavailable database because of its cause, not its parameters", () => {
    const params = ["fetch failed: connection timeout", "Connection terminated"];
    expect(isDatabaseUnavailable(query(withCode("22003"), ...params))).toBe(false);
    expect(isDatabaseUnavailable(query(new Error("Connection terminated unexpectedly")))).toBe(true);
    expect(isDatabaseUnavailable(query(withCode("57P01")))).toBe(true);
    expect(isDatabaseUnavailable(withCode("EHOSTUNREACH"))).toBe(true);
    expect(isDatabaseUnavailable(query(new Error("Query read timeout")))).toBe(true);
  });

  it("counts as missing indexer tables because of its cause, not its parameters", () => {
    expect(isIndexerMissing(query(withCode("42P01", 'relation "chain.order" does not exist')))).toBe(true);
    expect(isIndexerMissing(query(withCode("42P01", 'relation "nothing" does not exist'), "chain"))).toBe(
      false,
    );
  });
  it("counts as missing indexer tables if an older indexer's view lacks a column", () => {
    const missing = withCode("42703", "column order.new_column does not exist");
    expect(isIndexerMissing(read('"chain"."order"', missing))).toBe(true);
    expect(isIndexerMissing(read('"gateway"."payout"', missing, '"chain"."order"'))).toBe(false);
    const joined = '"gateway"."intent" left join "chain"."order" "o" on true';
    expect(isIndexerMissing(read(joined, withCode("42703", "column o.new_column does not exist")))).toBe(
      true,
    );
    expect(isIndexerMissing(read(joined, withCode("42703", "column intent.new_column does not exist")))).toBe(
      false,
    );
  });
});
