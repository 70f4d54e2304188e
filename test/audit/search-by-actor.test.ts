// A search of the audit log for an actor reads the actor's entries, however many entries the merchant has.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { sql } from "drizzle-orm";
import { listAuditLogs } from "#api/audit-logs/list-audit-logs.ts";
import type { Call } from "#api/http/request-context.ts";
import type { Services } from "#api/services.ts";
import { merchant } from "#core/db/schema/merchants.ts";
import { packEventData } from "#core/model/pack-event-data.ts";
import { MERCHANT, makeWorld, type World } from "../settlement/support/world.ts";

const ROWS = 4_000;
const DATA = packEventData({ object: { object: "payment_intent", status: "FINAL" } });

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  const { database } = world.context;
  // One of a hundred entries is a rare payer's; the first and the last event are an arbiter's.
  await database.execute(sql`
    insert into gateway.audit_log (position, id, merchant_id, mode, actor_type, actor, action, created_at)
    select n, uuidv7(), ${sql.param(MERCHANT, merchant.id)}, 'test', 'api_key', 'key_of_all', 'payment_intent.create', now() + n * interval '1 s'
    from generate_series(1, ${ROWS}::int) n`);
  await database.execute(sql`
    insert into gateway.event (position, id, merchant_id, mode, type, decided_by, data, actor_type, actor, created_at)
    select ${ROWS} + n, uuidv7(), ${sql.param(MERCHANT, merchant.id)}, 'test', 'payment_intent.final', n::text, ${DATA},
      case when n in (1, ${ROWS}) then 'arbiter' when n % 100 = 0 then 'payer' when n % 3 = 0 then 'system' end,
      case when n in (1, ${ROWS}) then '0xa' when n % 100 = 0 then '0xb' when n % 3 = 0 then '0xd' end, now() + n * interval '1 s'
    from generate_series(1, ${ROWS}::int) n`);
  await database.execute("vacuum analyze gateway.audit_log, gateway.event");
});
afterAll(() => world?.close());

/** Returns the entries that a search finds, and the number of rows that it reads. */
const search = (actor: string) =>
  world.context.database.transaction(async (tx) => {
    const call = {
      caller: { merchantId: MERCHANT, mode: "test" },
      url: new URL("http://localhost/v1/audit-logs"),
    };
    const services = { database: tx } as unknown as Services;
    // The counters include the session's earlier transactions until it reports them.
    const rowsRead = async () => {
      const { rows } = await tx.execute<{ read: number }>(sql`
        select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int as read from pg_stat_xact_user_tables
        where schemaname = 'gateway' and relname in ('audit_log', 'event')`);
      return rows[0]?.read ?? Number.NaN;
    };
    const before = await rowsRead();
    const { data, has_more } = await listAuditLogs(services, call as unknown as Call, { actor });
    return { found: data.map(({ actor }) => actor.id), has_more, read: (await rowsRead()) - before };
  });

describe("a search of the audit log for an actor", () => {
  for (const actor of ["key_of_nobody", "0xc", "arbiters", "user", "operations"]) {
    it(`reads nothing if the actor has no entries: ${actor}`, async () => {
      expect(await search(actor)).to.deep.equal({ found: [], has_more: false, read: 0 });
    });
  }

  it("reads only the entries of an actor with few entries, by id and by type", async () => {
    for (const actor of ["0xa", "arbiter"]) {
      const { found, read } = await search(actor);
      expect(found, actor).to.deep.equal(["0xa", "0xa"]);
      // The rows, and their columns once the page is known.
      expect(read, actor).to.be.lessThanOrEqual(4);
    }
  });

  it("finds the service's events with and without its address", async () => {
    const { found } = await search("system");
    expect(new Set(found)).to.deep.equal(new Set([null, "0xd"]));
  });

  it("reads a page of the entries of an actor with many entries", async () => {
    for (const actor of ["key_of_all", "api_key", "system", "0xb"]) {
      const { found, has_more, read } = await search(actor);
      expect(found.length, actor).to.equal(10);
      expect(has_more, actor).to.equal(true);
      expect(read, actor).to.be.lessThan(60);
    }
  });
});
