import { describe, it } from "bun:test";
import { expect } from "chai";
import { isDatabaseUnavailable } from "#core/db/errors.ts";
import { describe as inWords } from "#core/log.ts";
import { restoreError } from "./payout-queue.ts";

describe("a failure reported by the queue", () => {
  it("is an error with its message and code, even if pg-boss has turned it into a plain object", () => {
    const away = { message: "the database system is starting up", code: "57P03", queue: "payout" };
    const error = restoreError(away as unknown as Error);
    expect(inWords(error)).to.equal("Error: the database system is starting up");
    expect(isDatabaseUnavailable(error)).to.equal(true);
  });

  it("stays the same error", () => {
    const error = new Error("timeout");
    expect(restoreError(error)).to.equal(error);
  });
});
