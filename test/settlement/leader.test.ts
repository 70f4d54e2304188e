import { afterEach, describe, it } from "bun:test";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import pino from "pino";
import { connect, type Database } from "#core/db/client.ts";
import { until } from "#scripts/shared/wait.ts";
import { Leader } from "#settlement/runtime/leader.ts";
import { Problems } from "#settlement/runtime/problems.ts";
import { testDatabase } from "#test/support/stack.ts";

const open: { leader: Leader; database: Database }[] = [];
afterEach(async () => {
  for (const { leader, database } of open.splice(0)) {
    await leader.stop();
    if (!database.$client.ended) await database.$client.end();
  }
});

async function join(url: string) {
  const database = connect(url, { application: "leader", max: 1 });
  const gained = { count: 0 };
  const leader = new Leader(database, new Problems(pino({ level: "silent" })), () => gained.count++);
  open.push({ leader, database });
  await leader.start();
  return { leader, database, gained };
}

describe("among several replicas", () => {
  it("one leads, and another takes over as soon as the leader has stopped", async () => {
    const url = await testDatabase();
    const [first, second, third] = [await join(url), await join(url), await join(url)];
    expect([first, second, third].map(({ leader }) => leader.leads)).to.deep.equal([true, false, false]);
    await first.leader.stop();
    expect(first.leader.leads).to.equal(false);
    const others = () => [second, third].filter(({ leader }) => leader.leads);
    await until(async () => others().length === 1, { what: "Another leader", timeoutMs: 5_000 });
  }, 20_000);

  it("each is notified once when it becomes the leader", async () => {
    const url = await testDatabase();
    const [first, second] = [await join(url), await join(url)];
    expect([first, second].map(({ gained }) => gained.count)).to.deep.equal([1, 0]);
    await first.leader.stop();
    await until(async () => second.leader.leads, { what: "Another leader", timeoutMs: 5_000 });
    // Longer than the interval of renewals.
    await delay(2_500);
    expect([first, second].map(({ gained }) => gained.count)).to.deep.equal([1, 1]);
  }, 20_000);

  it("a leader that is killed is replaced within ten seconds, and no two replicas lead at the same time", async () => {
    const url = await testDatabase();
    const [first, second] = [await join(url), await join(url)];
    // The first process can no longer renew its lease, and its loss is not reported.
    await first.database.$client.end();
    const killedAt = performance.now();
    let both = false;
    await until(
      async () => {
        both ||= first.leader.leads && second.leader.leads;
        return second.leader.leads;
      },
      { what: "Another leader", timeoutMs: 10_000 },
    );
    expect(performance.now() - killedAt).to.be.below(10_000);
    expect(both).to.equal(false);
    expect(first.leader.leads).to.equal(false);
  }, 20_000);
});
