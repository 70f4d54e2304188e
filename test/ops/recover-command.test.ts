// `npm run ops -- recover` decides based on indexed data. If the indexer lags or was not started after a restore, paid
// orders look lost.
import { describe, it } from "bun:test";
import { expect } from "chai";
import { serviceUnavailable } from "#core/errors.ts";
import { wallTime } from "#core/intent/payment-time.ts";
import { requireIndexed } from "#scripts/cli/ops/recover.ts";
import { UserError } from "#scripts/shared/errors.ts";
import { catchError } from "#test/support/catch-error.ts";

type Sources = Parameters<typeof requireIndexed>[0];

/** @param age seconds since the node's newest block */
function sources(head: () => Promise<{ block: number; timestamp: number }>, tip: number, age = 0): Sources {
  const block = { number: BigInt(tip), timestamp: BigInt(wallTime() - age) };
  return {
    reader: { head },
    client: { getBlock: (async () => block) as unknown as Sources["client"]["getBlock"] },
  };
}
const at = (block: number) => async () => ({ block, timestamp: 0 });

const refusal = (given: Sources): Promise<unknown> => catchError(requireIndexed(given));

describe("a recovery", () => {
  it("is rejected while on-chain orders are not indexed, and says what to start", async () => {
    const behind = await refusal(sources(at(100), 140));
    expect(behind).to.be.instanceOf(UserError);
    expect((behind as Error).message).to.match(/^40 blocks are not indexed.*Start the indexer/);
    const restarting = sources(() => Promise.reject(serviceUnavailable("The indexer is catching up.")), 140);
    expect(((await refusal(restarting)) as Error).message).to.include("Start the indexer");
  });

  it("is rejected while the node cannot be queried, without advice about the indexer", async () => {
    const away = () =>
      Promise.reject(serviceUnavailable("The node cannot be queried.", new Error("refused")));
    const { message } = (await refusal(sources(away, 140))) as Error;
    expect(message)
      .to.match(/^The node cannot be queried\./)
      .and.not.to.include("indexer");
  });

  it("is rejected while the node itself lags, because newer blocks would look lost", async () => {
    for (const given of [sources(at(100), 100, 86_400), sources(at(1_100), 100)]) {
      expect(((await refusal(given)) as Error).message).to.match(
        /^The node is behind.*Wait until it is in sync/,
      );
    }
  });

  it("does not wait for the latest blocks", async () => {
    expect(await refusal(sources(at(135), 140))).to.equal(undefined);
    expect(await refusal(sources(at(141), 140))).to.equal(undefined);
  });
});
