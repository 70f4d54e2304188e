// Worlds of consecutive tests use one database and its connections. No world may affect the next one.
import { describe, it } from "bun:test";
import { expect } from "chai";
import { sql } from "drizzle-orm";
import { catchError } from "#test/support/catch-error.ts";
import { takeWorldDatabase } from "./support/world-database.ts";

const backend = sql`select pg_backend_pid() as pid`;

describe("a world's database", () => {
  it("has the connections of the previous world, which no longer reaches it", async () => {
    const first = await takeWorldDatabase();
    const { rows: used } = await first.database.execute(backend);
    await first.release();
    const second = await takeWorldDatabase();
    expect((await second.database.execute(backend)).rows).to.deep.equal(used);
    const failed = await catchError(first.database.execute(backend));
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
