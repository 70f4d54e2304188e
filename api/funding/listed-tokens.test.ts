import { afterEach, describe, it, setSystemTime } from "bun:test";
import { expect } from "chai";
import type { ChainClient } from "#core/chain/client.ts";
import type { Deployment } from "#core/deployment/deployment.ts";
import { ListedTokens } from "./listed-tokens.ts";

const START_MS = Date.UTC(2026, 0, 1);
const TOKEN = `0x${"1".repeat(40)}`;

/** The contract's view, and how often it was read. */
function contract(listed: boolean) {
  const state = { listed, isDown: false, reads: 0 };
  const client = {
    readContract: async () => {
      state.reads++;
      if (state.isDown) throw new Error("The node is down.");
      return state.listed;
    },
  };
  const deployment = { contract: TOKEN, tokens: { USDC: TOKEN } };
  const tokens = new ListedTokens(
    client as unknown as ChainClient,
    deployment as unknown as Deployment,
    () => undefined,
  );
  const accepts = () =>
    tokens.requireListed("USDC").then(
      () => true,
      () => false,
    );
  return { state, tokens, accepts };
}

const settle = () => new Promise(setImmediate);

describe("the tokens in which payments are accepted", () => {
  afterEach(() => {
    setSystemTime();
  });

  it("reject no payment by an old result, however long nobody has asked", async () => {
    setSystemTime(START_MS);
    const { state, accepts } = contract(false);
    await settle();
    expect(await accepts()).to.equal(false);
    state.listed = true;
    setSystemTime(START_MS + 3_600_000);
    expect(await accepts()).to.equal(true);
  });

  it("are read at most once a second, however many payments are rejected", async () => {
    setSystemTime(START_MS);
    const { state, accepts } = contract(false);
    await settle();
    const before = state.reads;
    setSystemTime(START_MS + 1_001);
    for (let i = 0; i < 10; i++) expect(await accepts()).to.equal(false);
    expect(state.reads).to.equal(before + 1);
  });

  it("are those of the last result while the node is down", async () => {
    setSystemTime(START_MS);
    const { state, accepts } = contract(false);
    await settle();
    state.isDown = true;
    setSystemTime(START_MS + 60_000);
    expect(await accepts()).to.equal(false);
  });
});
