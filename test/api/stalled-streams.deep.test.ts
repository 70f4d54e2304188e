// The memory cost of clients that open a payment's streams and never read them.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { Client as Postgres } from "pg";
import { startAnotherApi } from "../support/another-api.ts";
import { type SharedStack, sharedStack } from "../support/shared-stack.ts";
import { Client } from "./support/client.ts";
import { change, EventStream, largePayment } from "./support/event-streams.ts";

const ADDRESSES = Array.from({ length: 10 }, (_, i) => `203.0.113.${i}`);
const STALLED_OF_ADDRESS = 4;
const NEWCOMERS = 40;
const MOST_MIB = 64;

let api: Awaited<ReturnType<typeof startAnotherApi>>;
let postgres: Postgres;

beforeAll(async () => {
  const stack: SharedStack = await sharedStack();
  api = await startAnotherApi(stack, { TRUSTED_PROXIES: "127.0.0.1" });
  postgres = new Postgres({ connectionString: stack.databaseUrl });
  await postgres.connect();
});
afterAll(async () => {
  await postgres?.end();
  await api?.stop();
});

/** Returns the resident memory of the API process, in MiB. */
const resident = (): number =>
  Number(Bun.spawnSync(["ps", "-o", "rss=", "-p", String(api.pid)]).stdout.toString()) / 1024;

describe("the API's memory", () => {
  it(`grows by less than ${MOST_MIB} MiB while stalled clients from ten addresses open streams`, async () => {
    const payment = await largePayment(new Client(api.baseUrl, api.merchants[0]?.apiKey), postgres);
    const { origin } = new URL(api.baseUrl);
    const open = (address = "") => EventStream.open(origin, payment, address);
    const readOnce = async (address?: string) => (await open(address)).leave();
    // Warm-up: excludes the memory that the process needs in any case.
    for (const address of ADDRESSES) await readOnce(address);
    const before = resident();
    expect(before).to.be.above(0);
    const stalled = await Promise.all(
      ADDRESSES.flatMap((address) => Array.from({ length: STALLED_OF_ADDRESS }, () => open(address))),
    );
    for (const stream of stalled) stream.stall();
    let most = 0;
    for (let n = 0; n < NEWCOMERS; n++) {
      if (n % 2 === 0) await change(postgres, payment);
      await readOnce(ADDRESSES[n % ADDRESSES.length]);
      most = Math.max(most, resident());
    }
    for (const stream of stalled) stream.leave();
    expect(most - before).to.be.below(MOST_MIB);
  });
});
