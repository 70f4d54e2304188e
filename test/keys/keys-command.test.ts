// `npm run keys` on a separate database.
import { beforeAll, describe, it } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
  runScript("keys.ts", args, { DATABASE_URL: databaseUrl, GATEWAY_MODE: "test", ...more });

async function json<T>(...args: string[]): Promise<T> {
  const { output, errors, exitCode } = await keys([...args, "--json"]);
  expect(errors).to.equal("");
  expect(exitCode).to.equal(0);
  return JSON.parse(output) as T;
}

type Made = { id: string; secret: string; hint: string; access: string; mode: string; replaced?: Made };

describe("npm run keys", () => {
  it("prints its usage", async () => {
    const { output, exitCode } = await keys(["--help"]);
    expect(exitCode).to.equal(0);
    for (const word of ["create", "list", "rotate", "revoke", "merchants"]) expect(output).to.include(word);
    expect((await keys([])).exitCode).to.equal(2);
    expect((await keys(["burn"])).exitCode).to.equal(2);
  });

  it("creates merchants and their keys, rotates and revokes them", async () => {
    await json("merchants", "create", "--name", "Tea House", "--account", ACCOUNT);
    const first = await json<Made>("create", "--access", "read_only", "--name", "reports");
    expect(first).to.include({ access: "read_only", mode: "test" });
    expect(first.secret).to.match(/^sk_test_[\w-]{43}$/);

    await json("merchants", "create", "--name", "Coffee House", "--account", ACCOUNT);
    const unclear = await keys(["create"]);
    expect(unclear.exitCode).to.equal(2);
    expect(unclear.errors).to.include("Tea House, Coffee House").and.not.to.include("at ");

    const second = await json<Made>("create", "--merchant", "Coffee House", "--kind", "hackathon");
    expect(second).to.include({ mode: "test" });
    const rotated = await json<Made>("rotate", first.id, "--overlap", "1h");
    expect(rotated).to.include({ access: "read_only" });
    await json("revoke", second.id);

    const { output } = await keys(["list"]);
    expect(output).to.match(new RegExp(`${first.id} .* Tea House .* read_only .* ending`));
    expect(output).to.match(new RegExp(`${second.id} .* Coffee House .* revoked`));
    for (const { secret } of [first, second, rotated]) expect(output).not.to.include(secret);
    expect(await json<Made[]>("list", "--merchant", "Tea House")).to.have.length(2);
  });

  it("creates dashboard users with a password that is shown once, changes the password, and removes the users", async () => {
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
    const dashboard = { DASHBOARD_URL: "https://pay.example.com/dashboard" };
    const linked = await keys(["users", "link", ...of, "--json"], dashboard);
    expect(JSON.parse(linked.output).link).to.match(
      /^https:\/\/pay\.example\.com\/dashboard\/set-password#[\w-]{43}$/,
    );
    expect(await json("users", "role", ...of, "--role", "read_only")).to.include({ role: "read_only" });
    await json("users", "delete", ...of);
    expect((await keys(["users", "delete", ...of])).errors).to.include("No such user");
  });

  it("creates keys of the live network in its own database", async () => {
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

  it.each([
    ["live", {}, "live"],
    ["test", { GATEWAY_MODE: "test" }, "hackathon"],
    ["test", { GATEWAY_ENV: "local" }, "hackathon"],
  ])("makes only %s keys for a gateway with %p", async (mode, variables, kind) => {
    const others = mode === "live" ? ["test", "hackathon"] : ["live"];
    const create = (...more: string[]) =>
      keys(["create", "--merchant", "Tea House", "--json", ...more], { GATEWAY_MODE: "", ...variables });
    for (const more of [[], ["--kind", mode], ["--kind", kind]])
      expect(JSON.parse((await create(...more)).output)).to.include({ mode });
    const before = (await json<Made[]>("list")).length;
    for (const other of others) {
      const refused = await create("--kind", other);
      expect(refused).to.include({ output: "", exitCode: 2 });
      expect(refused.errors)
        .to.include(`--kind ${other} is not valid`)
        .and.to.include(`accepts ${mode} keys`);
    }
    expect(await json<Made[]>("list")).to.have.length(before);
  });

  it("creates keys for the running gateway's mode, regardless of the shell's variables", async () => {
    const folder = mkdtempSync(join(tmpdir(), "keys-"));
    const file = join(folder, "local.json");
    writeFileSync(file, JSON.stringify({ databaseUrl, environment: { GATEWAY_ENV: "local" } }));
    const running = { GATEWAY_LOCAL_FILE: file, GATEWAY_MODE: "" };
    for (const variables of [running, { ...running, DATABASE_URL: "" }]) {
      const made = await keys(["create", "--merchant", "Tea House", "--json"], variables);
      expect(JSON.parse(made.output)).to.include({ mode: "test" });
      expect(
        (await keys(["create", "--merchant", "Tea House", "--kind", "live"], variables)).exitCode,
      ).to.equal(2);
    }
    rmSync(folder, { recursive: true });
  });

  it("gives a user access to the named live merchant, and rejects a merchant that does not exist", async () => {
    const live = { LIVE_DATABASE_URL: await testDatabase() };
    await keys(["merchants", "create", "--live", "--name", "Real", "--account", ACCOUNT], live);
    const create = (merchant: string) =>
      keys(
        [
          "users",
          "create",
          "--email",
          "bob@example.com",
          "--merchant",
          "Tea House",
          "--live-merchant",
          merchant,
          "--json",
        ],
        live,
      );
    const refused = await create("nobody");
    expect(refused).to.include({ output: "", exitCode: 2 });
    expect(refused.errors).to.include("No such merchant: 'nobody'. Merchants: Real.");
    expect(JSON.parse((await create("Real")).output).liveMerchantId).to.match(/^merchant_/);
  });

  it("does not store the keys that it shows", async () => {
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

  const REFUSED: [string[], string][] = [
    [["create", "--merchant", "Tea House", "--kind", "real"], "--kind"],
    [["create", "--merchant", "Tea House", "--access", "all"], "--access"],
    [["create", "--merchant", "Tea House", "--expires", "soon"], "is not a duration"],
    [["create", "--colour", "red"], "colour"],
    [["create", "another"], "does not accept 'another'"],
    [["create", "--overlap", "1h"], "does not accept --overlap"],
    [["rotate"], "requires KEY_ID"],
    [["revoke", "sk_test_1234"], "by its id"],
    [["merchants", "remove"], "does not accept 'remove'"],
    [["merchants", "create", "--name", "Milk House"], "requires --account"],
    [["merchants", "create", "--name", "Milk House", "--account", "0x1"], "--account"],
    [["users", "create"], "requires --email"],
  ];
  const UNKNOWN: [string[], string][] = [
    [["create", "--merchant", "Nobody"], "No such merchant: 'Nobody'. Merchants: Tea House"],
    [["list", "--merchant", "Nobody"], "No such merchant: 'Nobody'"],
    [["rotate", "key_1"], "No such API key"],
    [["users", "password", "--email", "nobody@example.com"], "No such user"],
  ];

  it.each(REFUSED)("rejects %p with the reason, even if no gateway is running", async (args, why) => {
    const { errors, exitCode } = await keys(args, { DATABASE_URL: "", GATEWAY_LOCAL_FILE: "/nowhere" });
    expect(exitCode).to.equal(2);
    expect(errors).to.include(why);
    expect(errors).not.to.match(/^\s+at /m);
  });

  it.each(UNKNOWN)("rejects %p, which does not exist", async (args, why) => {
    const { errors, exitCode } = await keys(args);
    expect(exitCode).to.equal(2);
    expect(errors).to.include(why);
    expect(errors).not.to.match(/^\s+at /m);
  });

  it.each([
    [["create", "--merchant", "Tea House", "--expires", "0"], "past"],
    [["merchants", "create", "--name", "Tea House", "--account", ACCOUNT], "already"],
  ])("fails with %p and states the reason", async (args, why) => {
    const { errors, exitCode } = await keys(args);
    expect(exitCode).to.equal(1);
    expect(errors).to.include(why);
    expect(errors).not.to.match(/^\s+at /m);
  });
});
