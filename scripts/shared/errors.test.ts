// What a command prints of an error.
import { describe as group, it } from "bun:test";
import { expect } from "chai";
import { describe, UserError } from "./errors.ts";

group("an error", () => {
  it("is its message alone for a user, and a stack for a surprise", () => {
    expect(describe(new UserError("Do this."))).to.equal("Do this.");
    expect(describe(new Error("Surprise."))).to.match(/Surprise\.[\s\S]* at /);
  });

  it("that has no stack, as a timeout of the platform, is named", async () => {
    const signal = AbortSignal.timeout(1);
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    expect(describe(signal.reason)).to.equal("TimeoutError: The operation timed out.");
  });
});
