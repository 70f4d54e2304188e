import { describe, it } from "bun:test";
import { expect } from "chai";
import type { Address } from "viem";
import type { Limits, OffRampAccount } from "#core/config/off-ramp-account.ts";
import { type AccountHealth, routePayment } from "./route-payment.ts";

const wallet = (n: number): Address => `0x${String(n).repeat(40)}`;
const LIMITS: Limits = { minimum: 100n, maximum: null, step: 1n };

const account = (name: string, more: Partial<OffRampAccount> = {}) =>
  ({
    name,
    limits: { OFF_RAMP_TO_BANK: LIMITS },
    currencies: null,
    wallets: [{ id: name, address: wallet(Number(name)), currencies: null }],
    ...more,
  }) as OffRampAccount;

const ACCOUNTS = [
  account("1", { limits: { OFF_RAMP_TO_BANK: { ...LIMITS, maximum: 1_000_00n } } }),
  account("2", {
    limits: { OFF_RAMP_TO_BANK: LIMITS, OFF_RAMP_TO_RTP: { ...LIMITS, step: 100n } },
    currencies: ["USDC", "DAI"],
    wallets: [
      { id: "2", address: wallet(2), currencies: ["USDC"] },
      { id: "3", address: wallet(3), currencies: ["DAI"] },
    ],
  }),
];

type Asked = Parameters<typeof routePayment>[2];

function route(asked: Partial<Asked>, health: Record<string, AccountHealth> = {}) {
  const payment = { method: "OFF_RAMP_TO_BANK", currency: "USDC", amount: 100_000_000n, ...asked } as Asked;
  return routePayment(ACCOUNTS, new Map(Object.entries(health)), payment);
}

describe("a new payment goes to", () => {
  it("the first account that serves its method and currency, within its limits", () => {
    expect(route({})).to.equal(wallet(1));
    expect(route({ method: "OFF_RAMP_TO_RTP" })).to.equal(wallet(2));
    expect(route({ amount: 1_000_010_000n })).to.equal(wallet(2));
    expect(route({ currency: "USDT" })).to.equal(wallet(1));
  });

  it("the account's wallet for the payment's token", () => {
    expect(route({ method: "OFF_RAMP_TO_RTP", currency: "DAI", amount: 10n ** 20n })).to.equal(wallet(3));
  });

  it("a responsive account in preference to an unresponsive one, which is used if there is no other", () => {
    const health = { "1": { state: "active", failing: true } } as const;
    expect(route({}, health)).to.equal(wallet(2));
    expect(route({ currency: "USDT" }, health)).to.equal(wallet(1));
  });

  it("no account that is drained or removed, or whose limits or step the payment does not match", () => {
    for (const state of ["draining", "removed"] as const) {
      expect(route({}, { "1": { state, failing: false } })).to.equal(wallet(2));
      expect(route({ currency: "USDT" }, { "1": { state, failing: false } })).to.equal(undefined);
    }
    expect(route({ method: "OFF_RAMP_TO_RTP", amount: 1_500_000n })).to.equal(undefined);
    expect(route({ amount: 990_000n })).to.equal(undefined);
  });
});
