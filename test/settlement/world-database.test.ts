// Worlds of consecutive tests use one database and its connections. No world may affect the next one.
import { describe, it } from "bun:test";
import { expect } from "chai";
import { sql } from "drizzle-orm";
import { catchError } from "#test/support/catch-error.ts";
import { takeWorldDatabase } from "./support/world-database.ts";

/** The connections of the world's pool, which an earlier test file may have left with several. */
const sessions = sql`select pid from pg_stat_activity where datname = current_database() and backend_type = 'client backend' order by pid`;

describe("a world's database", () => {
  it("has the connections of the previous world, which no longer reaches it", async () => {
    const first = await takeWorldDatabase();
    const { rows: used } = await first.database.execute(sessions);
    await first.release();
    const second = await takeWorldDatabase();
    expect((await second.database.execute(sessions)).rows).to.deep.equal(used);
    const failed = await catchError(first.database.execute(sessions));
    expect((failed as Error).cause).to.include({ message: "The world of this database is closed." });
    await second.release();
  });

  it("is not used again if a connection was returned inside a transaction", async () => {
    const first = await takeWorldDatabase();
    await first.database.execute(sql`begin`);
    await first.release();
    const second = await takeWorldDatabase();
    expect(second.url).not.to.equal(first.url);
    await second.release();
  });

  it("cannot be released while a connection is in use", async () => {
    const world = await takeWorldDatabase();
    const connection = await world.database.$client.connect();
    const failed = await catchError(world.release(100));
    expect((failed as Error).message).to.include("connections to be returned");
    connection.release();
    await world.release();
  });
});
