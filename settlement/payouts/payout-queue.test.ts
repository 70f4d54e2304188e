import { describe, it } from "bun:test";
import { expect } from "chai";
import { isDatabaseAway } from "#core/db/errors.ts";
import { describe as inWords } from "#core/log.ts";
import { restoreError } from "./payout-queue.ts";

describe("a failure that the queue reports", () => {
  it("is an error with its words and its code, also where pg-boss has made a plain object of it", () => {
    const away = { message: "the database system is starting up", code: "57P03", queue: "payout" };
    const error = restoreError(away as unknown as Error);
    expect(inWords(error)).to.equal("Error: the database system is starting up");
    expect(isDatabaseAway(error)).to.equal(true);
  });

  it("stays the error that it was", () => {
    const error = new Error("timeout");
    expect(restoreError(error)).to.equal(error);
  });
});
