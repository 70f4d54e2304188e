// Tests the formatting of money and time.
import { describe, expect, test } from "bun:test";
import { MAX_AMOUNT } from "#core/money.ts";
import { shortHex, showAmount, showDuration, showMoment } from "./format.ts";

describe("an amount", () => {
  test("is grouped by the locale's rules, with at least two decimal places", () => {
    expect(showAmount(1_234_500_000n, "USDC", "en")).toBe("1,234.50 USDC");
    expect(showAmount(1_234_500_000n, "USDC", "de")).toBe("1.234,50 USDC");
    expect(showAmount(1n, "USDC", "en")).toBe("0.000001 USDC");
  });

  test("keeps every digit that a float would lose", () => {
    expect(showAmount(MAX_AMOUNT, "DAI", "en")).toBe("1,329,227,995,784,915,872.903807060280344575 DAI");
  });
});

test("a duration is formatted in its two largest units", () => {
  expect(showDuration(6 * 86_400 + 23 * 3_600 + 59, "en")).toBe("6 days 23 hours");
  expect(showDuration(86_400, "en")).toBe("1 day");
  expect(showDuration(61, "de")).toBe("1 Minute 1 Sekunde");
  expect(showDuration(-5, "en")).toBe("0 seconds");
});

test("an address is shortened in its middle", () => {
  expect(shortHex("0x70997970C51812dc3A010C7d01b50e0d17dc79C8")).toBe("0x7099…79C8");
  expect(shortHex("intent_0123456789abcdef")).toBe("intent_01…cdef");
});

test("a moment is formatted with date and time and, outside a browser, with the time zone", () => {
  expect(showMoment(1_767_225_600, "en")).toContain("2026");
  expect(showMoment(1_767_225_600, "de")).toMatch(/\d{2}:\d{2} UTC$/);
});
