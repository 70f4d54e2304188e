import { describe, it } from "bun:test";
import { expect } from "chai";
import type { Transfer } from "../off-ramp.ts";
import { ApiError } from "./api.ts";
import { cancelPending } from "./cancel.ts";

const pending = { state: "pending", providerId: "transfer_1" } as Transfer;
const canceled = { state: "failed", providerId: "transfer_1" } as Transfer;

const catchError = (work: Promise<unknown>) => work.catch((error: unknown) => error);
const rejection = (status: number, code?: string) => new ApiError(status, code, undefined);
const cancelWith = (failure: Error | undefined, after: Transfer | undefined) =>
  cancelPending(
    pending,
    () => (failure ? Promise.reject(failure) : Promise.resolve()),
    () => Promise.resolve(after),
  );

describe("a cancellation", () => {
  it.each([401, 403, 404, 422, 429, 500, 503])(
    "that fails with %d is not reported as too late",
    async (status) => {
      expect(await catchError(cancelWith(rejection(status), pending))).to.be.instanceOf(ApiError);
    },
  );

  it("is not reported as too late if its key was used before", async () => {
    const failure = rejection(400, "idempotency_key_reused");
    expect(await catchError(cancelWith(failure, pending))).to.equal(failure);
  });

  it.each([400, 409])("that the provider rejects with %d leaves the transfer pending", async (status) => {
    expect(await cancelWith(rejection(status), pending)).to.deep.equal(pending);
  });

  it.each([
    ["fails", rejection(500)],
    ["times out", new DOMException("The operation timed out.", "TimeoutError")],
  ])("that took effect although the call %s is reported as such", async (_, failure) => {
    expect(await cancelWith(failure, canceled)).to.deep.equal(canceled);
  });

  it("that is accepted without an effect yet is not reported as too late", async () => {
    expect(String(await catchError(cancelWith(undefined, pending)))).to.include("accepted the cancellation");
  });

  it("of a transfer that is no longer found is not reported as too late", async () => {
    expect(String(await catchError(cancelWith(undefined, undefined)))).to.include("no longer finds");
  });
});
