// Known funding methods remain available while the chain is not, and are returned immediately.
import { afterEach, expect, setSystemTime, test } from "bun:test";
import { type Address, zeroHash } from "viem";
import type { ChainClient } from "#core/chain/client.ts";
import { hashFundingDomain } from "#core/chain/funding-methods.ts";
import type { Deployment } from "#core/deployment/deployment.ts";
import { FundingOffers } from "./funding-offers.ts";

const TOKEN: Address = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
const MINUTES = 60_000;
const DOMAIN = { name: "USD Coin", version: "2", chainId: 1, verifyingContract: TOKEN };

/** Creates a chain on which the token supports every call. While `state.away` is true, the chain does not respond. */
function chainThat() {
  const state = { away: false, asked: 0 };
  const answers: Record<string, unknown> = {
    name: DOMAIN.name,
    version: DOMAIN.version,
    DOMAIN_SEPARATOR: hashFundingDomain(DOMAIN),
    eip712Domain: ["0x0f", DOMAIN.name, DOMAIN.version, 1n, TOKEN, zeroHash, []],
    PERMIT_TYPEHASH: "0x6e71edae12b1b97f4d1f60370fef10105fa2faae0126114a169c64845d6126c9",
    nonces: 0n,
    authorizationState: false,
    PERMIT2: TOKEN,
  };
  const client = {
    chain: { id: 1 },
    async readContract({ functionName }: { functionName: string }) {
      state.asked++;
      if (state.away) throw Object.assign(new Error("no answer"), { name: "HttpRequestError" });
      return answers[functionName];
    },
    getCode: async () => undefined,
  } as unknown as ChainClient;
  return { state, client };
}

const methods = (offers: { method: string }[]) => offers.map(({ method }) => method);
const BOTH = ["ERC_2612", "ERC_3009"];

afterEach(() => {
  setSystemTime();
});

test("a known result is returned immediately and refreshed in the background, even if the chain is unreachable", async () => {
  const { state, client } = chainThat();
  const problems: unknown[] = [];
  const offers = new FundingOffers(client, { contract: TOKEN } as Deployment, (error) =>
    problems.push(error),
  );
  expect(offers.shown(TOKEN)).toEqual([]);
  expect(methods(await offers.of(TOKEN))).toEqual(BOTH);
  const asked = state.asked;
  expect(methods(offers.shown(TOKEN))).toEqual(BOTH);
  expect(state.asked).toBe(asked);

  state.away = true;
  setSystemTime(Date.now() + 11 * MINUTES);
  expect(methods(offers.shown(TOKEN))).toEqual(BOTH);
  expect(state.asked).toBeGreaterThan(asked);
  expect(methods(await offers.of(TOKEN))).toEqual(BOTH);
  // Waits until all requests have failed.
  await Bun.sleep(0);
  expect(problems).toHaveLength(1);
  expect(methods(offers.shown(TOKEN))).toEqual(BOTH);
});

test("an unknown result is reported as a 503 and requested again after a delay", async () => {
  const { state, client } = chainThat();
  const offers = new FundingOffers(client, { contract: TOKEN } as Deployment, () => undefined);
  state.away = true;
  await expect(offers.of(TOKEN)).rejects.toMatchObject({ status: 503 });
  state.away = false;
  expect(offers.shown(TOKEN)).toEqual([]);
  await expect(offers.of(TOKEN)).rejects.toMatchObject({ status: 503 });
  setSystemTime(Date.now() + MINUTES);
  expect(methods(await offers.of(TOKEN))).toEqual(BOTH);
});
