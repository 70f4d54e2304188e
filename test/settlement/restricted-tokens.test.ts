// A token that its issuer restricts is delisted as soon as the watcher finds the restriction in a block.
import { afterEach, describe, it } from "bun:test";
import { expect } from "chai";
import {
  type Address,
  encodeFunctionData,
  encodeFunctionResult,
  type Hex,
  multicall3Abi,
  numberToHex,
  parseTransaction,
} from "viem";
import { generatePrivateKey } from "viem/accounts";
import { deliveryVsPaymentAbi } from "#core/chain/abi/delivery-vs-payment.ts";
import { transaction } from "#core/db/schema/transactions.ts";
import { createTokenWatcher } from "#settlement/escrow/watch-tokens.ts";
import { createGuardian } from "#settlement/runtime/guardian.ts";
import { relayingChain } from "./support/fake-rpc.ts";
import { CONTRACT, configFor, makeWorld, type World } from "./support/world.ts";

const GUARDIAN_KEY = generatePrivateKey();

/** The watcher's queries for each token, in order. */
const QUESTIONS = ["paused", "escrow", "escrowOfTether", "offRamp", "offRampOfTether", "rate", "maximum"];
type Restricted = { currency: string; answers: Record<string, number> };

let world: World;
afterEach(() => world.close());

const word = (value: number): Hex => numberToHex(value, { size: 32 });

/** Starts a chain with this restriction. Returns the watcher's run and the calls that it has broadcast. */
async function watched(restricted?: Restricted, { listed = true } = {}) {
  let block = 10;
  const { sent, ...chain } = relayingChain();
  const states = () =>
    Object.keys(world.context.deployment.tokens).flatMap((currency) => {
      const answers = restricted?.currency === currency ? restricted.answers : {};
      const words = [...QUESTIONS.map((question) => answers[question] ?? 0), Number(listed)].map(word);
      return words.map((returnData) => ({ success: true, returnData }));
    });
  const answers = {
    ...chain,
    eth_blockNumber: () => numberToHex(block),
    // The watcher reads the tokens with code that is sent with the call, so the call has no recipient.
    eth_call: ([call]: unknown[]) =>
      (call as { to?: Address }).to === undefined
        ? encodeFunctionResult({ abi: multicall3Abi, functionName: "aggregate3", result: states() })
        : word(Number(listed)),
  };
  world = await makeWorld({ answers });
  const { context } = world;
  const config = configFor(world.databaseUrl, { GUARDIAN_KEY });
  const guardian = createGuardian({ ...context, config });
  const watch = createTokenWatcher({ ...context, guardian });
  return {
    watch,
    nextBlock: () => {
      block += 1;
      return watch();
    },
    calls: () =>
      sent.map((raw) => parseTransaction(raw)).map(({ to, data }) => ({ to: to?.toLowerCase(), data })),
  };
}

const delisting = (currency: string) => ({
  to: CONTRACT.toLowerCase(),
  data: encodeFunctionData({
    abi: deliveryVsPaymentAbi,
    functionName: "setTokenListed",
    args: [world.context.deployment.tokens[currency] as Address, false],
  }),
});

describe("a token that its issuer restricts", () => {
  it.each<[string, Restricted]>([
    ["it is paused", { currency: "USDC", answers: { paused: 1 } }],
    ["the escrow is blacklisted by USDC", { currency: "USDC", answers: { escrow: 1 } }],
    ["the escrow is blacklisted by USDT", { currency: "USDT", answers: { escrowOfTether: 1 } }],
    ["it charges a fee", { currency: "USDT", answers: { rate: 10, maximum: 5 } }],
  ])("is delisted by the guardian with one transaction, and no other token is: %s", async (_, restricted) => {
    const { watch, nextBlock, calls } = await watched(restricted);
    await watch();
    expect(calls()).to.deep.equal([delisting(restricted.currency)]);
    // The transaction is still pending.
    await nextBlock();
    await nextBlock();
    expect(calls()).to.have.length(1);
    const stored = await world.context.database.select().from(transaction);
    expect(stored.map(({ purpose }) => purpose)).to.deep.equal(["delist_token"]);
  });

  it("is not delisted again once it is off the list", async () => {
    const { watch, calls } = await watched({ currency: "USDC", answers: { paused: 1 } }, { listed: false });
    await watch();
    expect(calls()).to.deep.equal([]);
  });
});

describe("a token stays listed", () => {
  it("without a restriction, or if only the off-ramp's wallet is blacklisted", async () => {
    const { watch, calls } = await watched({ currency: "USDC", answers: { offRamp: 1 } });
    await watch();
    expect(calls()).to.deep.equal([]);
  });
});
