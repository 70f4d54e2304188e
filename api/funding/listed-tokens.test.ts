import { afterEach, beforeEach, describe, it, type Mock, spyOn } from "bun:test";
import { expect } from "chai";
import type { ChainClient } from "#core/chain/client.ts";
import type { Deployment } from "#core/deployment/deployment.ts";
import { ListedTokens } from "./listed-tokens.ts";

const TOKEN = `0x${"1".repeat(40)}`;

/** Creates a contract whose state can be changed and whose reads are counted. */
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
  let clock: Mock<() => number>;
  const setTime = (ms: number) => clock.mockReturnValue(ms);
  beforeEach(() => {
    clock = spyOn(performance, "now");
    setTime(0);
  });
  afterEach(() => clock.mockRestore());

  it("are not rejected because of an outdated result, however long ago it was read", async () => {
    const { state, accepts } = contract(false);
    await settle();
    expect(await accepts()).to.equal(false);
    state.listed = true;
    setTime(3_600_000);
    expect(await accepts()).to.equal(true);
  });

  it("are read at most once a second, however many payments are rejected", async () => {
    const { state, accepts } = contract(false);
    await settle();
    const before = state.reads;
    setTime(1_001);
    for (let i = 0; i < 10; i++) expect(await accepts()).to.equal(false);
    expect(state.reads).to.equal(before + 1);
  });

  it("are those of the last result while the node is down", async () => {
    const { state, accepts } = contract(false);
    await settle();
    state.isDown = true;
    setTime(60_000);
    expect(await accepts()).to.equal(false);
  });
});
