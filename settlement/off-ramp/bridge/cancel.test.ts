import { describe, it } from "bun:test";
import { expect } from "chai";
import type { Transfer } from "../off-ramp.ts";
import { ApiError } from "./api.ts";
import { cancelPending } from "./cancel.ts";

const pending = { state: "pending", providerId: "transfer_1" } as Transfer;
const canceled = { state: "failed", providerId: "transfer_1" } as Transfer;

const cancelWith = (status: number, after: Transfer) =>
  cancelPending(
    pending,
    () => Promise.reject(new ApiError(status, undefined, undefined)),
    () => Promise.resolve(after),
  );

describe("a cancellation", () => {
  it.each([401, 403, 429, 500, 503])("that fails with %d is not reported as too late", async (status) => {
    expect(await cancelWith(status, pending).catch((error: unknown) => error)).to.be.instanceOf(ApiError);
  });

  it("that the provider rejects because of the transfer's state leaves it pending", async () => {
    expect(await cancelWith(409, pending)).to.deep.equal(pending);
  });

  it("that took effect although the call failed is reported as such", async () => {
    expect(await cancelWith(500, canceled)).to.deep.equal(canceled);
  });
});
