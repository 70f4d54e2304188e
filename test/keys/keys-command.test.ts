// `npm run keys`: the command line, on a database of its own.
import { beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { Client } from "pg";
import { runScript } from "#test/support/run-script.ts";
import { testDatabase } from "#test/support/stack.ts";

const ACCOUNT = "0x5FbDB2315678afecb367f032d93F642f64180aa3";

let databaseUrl: string;

beforeAll(async () => {
  databaseUrl = await testDatabase();
});

const keys = (args: string[], more: Record<string, string> = {}) =>
  runScript("keys.ts", args, { DATABASE_URL: databaseUrl, ...more });

async function json<T>(...args: string[]): Promise<T> {
  const { output, errors, exitCode } = await keys([...args, "--json"]);
  expect(errors).to.equal("");
  expect(exitCode).to.equal(0);
  return JSON.parse(output) as T;
}

type Made = { id: string; secret: string; hint: string; access: string; mode: string; replaced?: Made };

describe("npm run keys", () => {
  it("says how it is used", async () => {
    const { output, exitCode } = await keys(["--help"]);
    expect(exitCode).to.equal(0);
    for (const word of ["create", "list", "rotate", "revoke", "merchants"]) expect(output).to.include(word);
    expect((await keys([])).exitCode).to.equal(1);
    expect((await keys(["burn"])).exitCode).to.equal(1);
  });

  it("makes merchants and their keys, rotates and revokes them", async () => {
    await json("merchants", "create", "--name", "Tea House", "--account", ACCOUNT);
    const first = await json<Made>("create", "--access", "read_only", "--name", "reports");
    expect(first).to.include({ access: "read_only", mode: "test" });
    expect(first.secret).to.match(/^sk_test_[\w-]{43}$/);

    await json("merchants", "create", "--name", "Coffee House", "--account", ACCOUNT);
    const unclear = await keys(["create"]);
    expect(unclear.exitCode).to.equal(1);
    expect(unclear.errors).to.include("Tea House, Coffee House").and.not.to.include("at ");

    const live = await json<Made>("create", "--merchant", "Coffee House", "--kind", "live");
    expect(live).to.include({ mode: "live" });
    const rotated = await json<Made>("rotate", first.id, "--overlap", "1h");
    expect(rotated).to.include({ access: "read_only" });
    await json("revoke", live.id);

    const { output } = await keys(["list"]);
    expect(output).to.match(new RegExp(`${first.id} .* Tea House .* read_only .* ending`));
    expect(output).to.match(new RegExp(`${live.id} .* Coffee House .* revoked`));
    for (const { secret } of [first, live, rotated]) expect(output).not.to.include(secret);
    expect(await json<Made[]>("list", "--merchant", "Tea House")).to.have.length(2);
  });

  it("makes the dashboard's users with a password that is shown once, changes it, and removes them", async () => {
    type User = { id: string; email: string; password: string };
    const of = ["--email", "Ada@Example.com"];
    const made = await json<User>("users", "create", ...of, "--merchant", "Tea House");
    expect(made.email).to.equal("ada@example.com");
    expect(made.password).to.match(/^[\w-]{22}$/);
    expect((await keys(["users", "create", ...of, "--merchant", "Tea House"])).errors).to.include("already");
    const changed = await json<User>("users", "password", ...of);
    expect(changed.password).not.to.equal(made.password);
    const { output } = await keys(["users"]);
    expect(output).to.include(made.email).and.not.to.include(changed.password);
    await json("users", "delete", ...of);
    expect((await keys(["users", "delete", ...of])).errors).to.include("There is no user");
  });

  it("makes keys of the live network in its own database", async () => {
    const liveDatabase = await testDatabase();
    const live = { LIVE_DATABASE_URL: liveDatabase };
    const made = await keys(["merchants", "create", "--live", "--name", "Real", "--account", ACCOUNT], live);
    expect(made.errors).to.equal("");
    const { output } = await keys(["create", "--live", "--json"], live);
    expect(JSON.parse(output)).to.include({ mode: "live" });
    expect((await keys(["list"], live)).output).not.to.include("Real");
    expect((await keys(["list", "--live"], live)).output).to.include("Real");
    expect((await keys(["create", "--live", "--kind", "test"], live)).errors).to.include("--kind test");
    expect((await keys(["list", "--live"])).errors).to.include("LIVE_DATABASE_URL");
  });

  it("stores no key that it shows", async () => {
    const { secret } = await json<Made>("create", "--merchant", "Tea House");
    const client = new Client({ connectionString: databaseUrl });
    await client.connect();
    try {
      const { rows } = await client.query("select k::text as row from gateway.api_key k");
      expect(JSON.stringify(rows)).not.to.include(secret.slice("sk_test_".length));
    } finally {
      await client.end();
    }
  });

  it.each([
    [["create", "--merchant", "Nobody"], "Tea House"],
    [["create", "--merchant", "Tea House", "--kind", "real"], "--kind"],
    [["create", "--merchant", "Tea House", "--access", "all"], "--access"],
    [["create", "--merchant", "Tea House", "--expires", "soon"], "no time"],
    [["create", "--merchant", "Tea House", "--expires", "0"], "past"],
    [["create", "--colour", "red"], "colour"],
    [["rotate"], "by its id"],
    [["rotate", "key_1"], "no key"],
    [["revoke", "sk_test_1234"], "by its id"],
    [["merchants", "create", "--name", "Tea House", "--account", ACCOUNT], "already"],
    [["merchants", "create", "--name", "Milk House", "--account", "0x1"], "--account"],
  ])("refuses %p and says why", async (args, why) => {
    const { errors, exitCode } = await keys(args);
    expect(exitCode).to.equal(1);
    expect(errors).to.include(why);
    expect(errors).not.to.match(/^\s+at /m);
  });
});
