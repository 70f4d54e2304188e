import { afterEach, beforeEach, describe, it } from "bun:test";
import { expect } from "chai";
import { sql } from "drizzle-orm";
import { connect, type Database } from "#core/db/client.ts";
import { idempotencyKey } from "#core/db/schema.ts";
import { createIdempotencyKeyDeleter } from "#settlement/delete-idempotency-keys.ts";
import { testDatabase } from "#test/support/stack.ts";
import { tableReads } from "#test/support/table-reads.ts";

let url: string;
let database: Database;
beforeEach(async () => {
  url = await testDatabase();
  database = connect(url, { application: "idempotency keys" });
});
afterEach(() => database.$client.end());

/** Keys that were used so many hours ago. */
const add = (hours: number, count: number) =>
  database.execute(sql`
    insert into ${idempotencyKey} (scope, key, digest, owner, lease_until, status, body, created_at)
    select 'merchant', ${`${hours} h `} || n, '', '', now(), 200, '{}', now() - ${hours} * interval '1 hour'
    from generate_series(1, ${count}::int) n`);

const hoursKept = async () =>
  (
    await database.execute<{ hours: number; count: number }>(sql`
      select extract(epoch from now() - created_at)::int / 3600 as hours, count(*)::int from ${idempotencyKey} group by 1 order by 1`)
  ).rows;

describe("a stored idempotency key", () => {
  it("is deleted a day after its request, and not earlier", async () => {
    await add(25, 1);
    await add(23, 1);
    await createIdempotencyKeyDeleter({ database })();
    expect(await hoursKept()).to.deep.equal([{ hours: 23, count: 1 }]);
  });

  it("is deleted however many there are, and although another replica deletes as well", async () => {
    await add(25, 2_500);
    await add(23, 10);
    const deleters = [
      createIdempotencyKeyDeleter({ database }),
      createIdempotencyKeyDeleter({ database }, 0),
    ];
    await Promise.all(deleters.map((run) => run()));
    await deleters[1]?.();
    expect(await hoursKept()).to.deep.equal([{ hours: 23, count: 10 }]);
  });

  it("waits for the next time while another replica deletes", async () => {
    await add(25, 1);
    const run = createIdempotencyKeyDeleter({ database }, 0);
    await database.transaction(async (tx) => {
      await tx.execute(
        sql`select pg_advisory_xact_lock(hashtextextended('gateway.delete_idempotency_keys', 0))`,
      );
      await run();
    });
    expect(await hoursKept()).to.deep.equal([{ hours: 25, count: 1 }]);
    await run();
    expect(await hoursKept()).to.deep.equal([]);
  });

  it("costs nothing while it is kept: only those that are deleted are read", async () => {
    await add(23, 20_000);
    await add(25, 100);
    await database.execute(sql`vacuum analyze ${idempotencyKey}`);
    const worker = connect(url, { application: "deleter", max: 1 });
    const before = await tableReads(url, 1_000);
    await createIdempotencyKeyDeleter({ database: worker })();
    await worker.$client.end();
    const [{ scans = 0, rows = 0 } = {}, after] = [before.idempotency_key, await tableReads(url, 1_000)];
    expect(after.idempotency_key?.scans).to.equal(scans);
    expect((after.idempotency_key?.rows ?? 0) - rows).to.be.at.most(200);
    expect(await hoursKept()).to.deep.equal([{ hours: 23, count: 20_000 }]);
  });
});
