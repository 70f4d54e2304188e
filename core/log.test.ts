import { describe as group, it } from "bun:test";
import { expect } from "chai";
import { DrizzleQueryError } from "drizzle-orm/errors";
import { HttpRequestError } from "viem";
import { describe } from "./log.ts";

group("an error in the log", () => {
  it("hides service URLs, which may contain keys", () => {
    const error = new HttpRequestError({
      url: "https://rpc.example/v2/secret",
      details: "fetch failed for https://rpc.example/v2/secret",
      body: { method: "eth_sendRawTransaction", params: ["0xsigned"] },
    });
    const said = describe(
      new Error("Nobody answered at postgres://user:password@host/db.", { cause: error }),
    );
    expect(said).to.contain("HttpRequestError").and.to.contain("<address>");
    expect(said).not.to.match(/secret|password|0xsigned/);
  });

  it("shows the database's error, not the query", () => {
    const cause = new Error("connection terminated");
    const said = describe(new DrizzleQueryError("select $1", ["DE89370400440532013000"], cause));
    expect(said).to.equal("Error: connection terminated");
  });
});
