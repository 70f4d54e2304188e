import { describe, it } from "bun:test";
import { expect } from "chai";
import { UserError } from "./errors.ts";
import { requirePostgres } from "./migrate.ts";

describe("the migration", () => {
  it("requires PostgreSQL 18, and names the server's version", () => {
    const check = (version: string) => () => requirePostgres(version);
    expect(check("17.6 (Debian 17.6-1)")).to.throw(UserError, "17.6");
    expect(check("18.0")).not.to.throw();
    expect(check("19beta1")).not.to.throw();
  });
});
