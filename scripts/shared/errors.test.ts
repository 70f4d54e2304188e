// Tests what a command prints for an error.
import { describe as group, it } from "bun:test";
import { expect } from "chai";
import { describe, UserError } from "./errors.ts";

group("an error", () => {
  it("is shown only as its message if it is a user error, and with its stack if it is unexpected", () => {
    expect(describe(new UserError("Do this."))).to.equal("Do this.");
    expect(describe(new Error("Surprise."))).to.match(/Surprise\.[\s\S]* at /);
  });

  it("is shown with its name if it has no stack, such as a platform timeout", async () => {
    const signal = AbortSignal.timeout(1);
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    expect(describe(signal.reason)).to.equal("TimeoutError: The operation timed out.");
  });
});
