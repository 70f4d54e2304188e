import { describe, expect, it } from "bun:test";
import { DrizzleQueryError } from "drizzle-orm/errors";
import { isDatabaseAway, isIndexerMissing } from "./errors.ts";

const withCode = (code: string, message = "an error") => Object.assign(new Error(message), { code });
const query = (cause: Error, ...params: string[]) => new DrizzleQueryError("update payout", params, cause);

describe("an error of a statement", () => {
  it("is recognized as an unavailable database by its cause, not by the statement's parameters", () => {
    const params = ["fetch failed: connection timeout", "Connection terminated"];
    expect(isDatabaseAway(query(withCode("22003"), ...params))).toBe(false);
    expect(isDatabaseAway(query(new Error("Connection terminated unexpectedly")))).toBe(true);
    expect(isDatabaseAway(query(withCode("57P01")))).toBe(true);
  });

  it("is recognized as missing indexer tables by its cause", () => {
    expect(isIndexerMissing(query(withCode("42P01", 'relation "chain.order" does not exist')))).toBe(true);
    expect(isIndexerMissing(query(withCode("42P01", 'relation "nothing" does not exist'), "chain"))).toBe(
      false,
    );
  });
});
