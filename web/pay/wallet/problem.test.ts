// Tests how errors of wallets, chains and the gateway are mapped to problems that a payer can act on.
import { describe, expect, test } from "bun:test";
import { HttpRequestError, InsufficientFundsError, UserRejectedRequestError } from "viem";
import { Refusal, Unreachable } from "../../ui/api-errors.ts";
import { PaymentProblem, toProblem } from "./problem.ts";

const because = (cause: unknown) => new Error("Outer", { cause: new Error("Inner", { cause }) });

describe("a problem", () => {
  test("is found at any nesting depth", () => {
    expect(toProblem(because({ code: 4001 })).kind).toBe("rejected");
    expect(toProblem(because(new UserRejectedRequestError(new Error("no")))).kind).toBe("rejected");
    expect(toProblem(because(new PaymentProblem({ kind: "allowance" }))).kind).toBe("allowance");
  });

  test("with the wallet, the gas or the connection is distinguished", () => {
    expect(toProblem({ code: -32002 }).kind).toBe("busy");
    expect(toProblem(because(new InsufficientFundsError())).kind).toBe("gas");
    expect(toProblem(new HttpRequestError({ url: "https://node.example" })).kind).toBe("offline");
    expect(toProblem(new Unreachable("away")).kind).toBe("offline");
    expect(toProblem(new Refusal(429, "rate_limit_exceeded", "Slow down.", undefined)).kind).toBe("often");
  });

  test("from the gateway keeps its message, except when it concerns the payer's own account", () => {
    const refusal = (param?: string) => toProblem(new Refusal(400, "invalid_request", "It is so.", param));
    expect(refusal()).toEqual({ kind: "refused", message: "It is so." });
    expect(refusal("payerAddress")).toEqual({ kind: "account" });
  });

  test("of unknown kind keeps its message, and a cyclic cause does not loop", () => {
    const circle = new Error("Odd") as Error & { cause?: unknown };
    circle.cause = circle;
    expect(toProblem(circle)).toEqual({ kind: "other", message: "Odd" });
    expect(toProblem("text").kind).toBe("other");
    expect(toProblem(undefined).kind).toBe("other");
  });
});
