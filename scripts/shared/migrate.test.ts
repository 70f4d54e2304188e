import { describe, it } from "bun:test";
import { expect } from "chai";
import { UserError } from "./errors.ts";
import { requirePostgres } from "./migrate.ts";

describe("the migration", () => {
  it("requires PostgreSQL 18, and names the server's version", () => {
    const check = (version: string, name: string) => () => requirePostgres({ version, name });
    expect(check("170006", "17.6")).to.throw(UserError, "17.6");
    expect(check("180000", "18.0")).not.to.throw();
    expect(check("190001", "19.1")).not.to.throw();
  });
});
