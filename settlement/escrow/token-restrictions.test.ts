import { describe, it } from "bun:test";
import { expect } from "chai";
import { createPublicClient, custom, encodeFunctionResult, type Hex, multicall3Abi } from "viem";
import type { ChainClient } from "#core/chain/client.ts";
import { ServiceError } from "#core/errors.ts";
import { CURRENCIES } from "#core/money.ts";
import { type Restriction, readTokenStates, trapsOrders } from "./token-restrictions.ts";

const address = (digit: string): Hex => `0x${digit.repeat(40)}`;
const WATCHED = {
  contract: address("c"),
  offRamp: address("d"),
  tokens: { USDC: address("1"), USDT: address("2"), DAI: address("3") },
};
const word = (value: number): Hex => `0x${value.toString(16).padStart(64, "0")}`;

/** Results in the order of the calls; null if the token has no such function. */
type Answers = {
  paused: 0 | 1 | null;
  escrow: 0 | 1 | null;
  escrowOfUsdt: 0 | 1 | null;
  offRamp: 0 | 1 | null;
  offRampOfUsdt: 0 | 1 | null;
  rate: number | null;
  maximum: number | null;
  listed: 0 | 1 | null;
};

const FIAT_TOKEN: Answers = {
  ...{ paused: 0, escrow: 0, escrowOfUsdt: null, offRamp: 0, offRampOfUsdt: null },
  ...{ rate: null, maximum: null, listed: 1 },
};
const TETHER: Answers = {
  ...{ paused: 0, escrow: null, escrowOfUsdt: 0, offRamp: null, offRampOfUsdt: 0 },
  ...{ rate: 0, maximum: 0, listed: 1 },
};
const PLAIN: Answers = { ...FIAT_TOKEN, paused: null, escrow: null, offRamp: null };

const clientThat = (request: () => Promise<unknown>): ChainClient =>
  createPublicClient({ transport: custom({ request }, { retryCount: 0 }) }) as unknown as ChainClient;

/** A client of a node whose tokens all return these answers. */
const clientOf = (answers: Answers): ChainClient =>
  clientThat(async () =>
    encodeFunctionResult({
      abi: multicall3Abi,
      functionName: "aggregate3",
      result: CURRENCIES.flatMap(() =>
        Object.values(answers).map((answer) => ({
          success: answer !== null,
          returnData: answer === null ? "0x" : word(answer),
        })),
      ),
    }),
  );

const restrictionsOf = async (answers: Answers): Promise<Restriction[]> => {
  const [state] = await readTokenStates(clientOf(answers), WATCHED);
  return state?.restrictions ?? [];
};

/** Returns the error that reading the token states throws. */
async function failureOf(request: () => Promise<unknown>): Promise<unknown> {
  try {
    await readTokenStates(clientThat(request), WATCHED);
  } catch (error) {
    return error;
  }
  throw new Error("The tokens were read.");
}

describe("the restrictions that a token reports", () => {
  it.each([
    ["FiatToken", FIAT_TOKEN],
    ["TetherToken", TETHER],
    ["token without any such function", PLAIN],
  ])("are none for an unrestricted %s", async (_, answers) => {
    expect(await restrictionsOf(answers)).to.deep.equal([]);
  });

  it.each<[Restriction, Answers]>([
    ["paused", { ...FIAT_TOKEN, paused: 1 }],
    ["paused", { ...TETHER, paused: 1 }],
    ["escrow_blacklisted", { ...FIAT_TOKEN, escrow: 1 }],
    ["escrow_blacklisted", { ...TETHER, escrowOfUsdt: 1 }],
    ["off_ramp_blacklisted", { ...FIAT_TOKEN, offRamp: 1 }],
    ["off_ramp_blacklisted", { ...TETHER, offRampOfUsdt: 1 }],
    ["fee", { ...TETHER, rate: 10, maximum: 5 }],
    ["fee", { ...PLAIN, rate: 10 }],
  ])("include %s", async (restriction, answers) => {
    expect(await restrictionsOf(answers)).to.deep.equal([restriction]);
  });

  it("do not include a fee whose maximum is zero", async () => {
    expect(await restrictionsOf({ ...TETHER, rate: 10 })).to.deep.equal([]);
  });

  it("are returned for each currency, with whether the escrow lists the token", async () => {
    const states = await readTokenStates(clientOf({ ...PLAIN, listed: 0 }), WATCHED);
    expect(states).to.deep.equal(
      CURRENCIES.map((currency) => ({
        ...{ currency, token: WATCHED.tokens[currency] },
        ...{ listed: false, restrictions: [] },
      })),
    );
  });

  it("trap orders, unless they concern only the off-ramp", () => {
    expect(trapsOrders("escrow_blacklisted")).to.equal(true);
    expect(trapsOrders("off_ramp_blacklisted")).to.equal(false);
  });

  it("are unknown, rather than none, if the node does not respond or the call was not executed", async () => {
    const silent = await failureOf(() => Promise.reject(new Error("connection refused")));
    const failed = await failureOf(() =>
      Promise.reject(Object.assign(new Error("execution reverted: out of gas"), { code: 3 })),
    );
    for (const error of [silent, failed]) {
      expect(error).to.be.instanceOf(ServiceError);
      expect((error as ServiceError).status).to.equal(503);
    }
    expect(await failureOf(async () => "0x")).to.be.instanceOf(ServiceError);
  });
});
