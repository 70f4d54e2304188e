import { describe, it } from "bun:test";
import { expect } from "chai";
import { sql } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import { intent } from "#core/db/schema/intents.ts";
import { metadataIn } from "./page.ts";

const paramsFor = (orderId: string) =>
  new PgDialect().sqlToQuery(sql.join(metadataIn(intent.metadata, { orderId }), sql` and `)).params;

describe("a filter by metadata", () => {
  it.each(["007", "00.10", "-01", "1.", "0x1", "nul"])("treats %s as text only, as JSON does", (orderId) => {
    expect(paramsFor(orderId)).to.deep.equal([JSON.stringify({ orderId })]);
  });

  it.each(["7", "-1.5", "true", "null"])("treats %s as text or as the value it represents", (orderId) => {
    expect(paramsFor(orderId)).to.deep.equal([JSON.stringify({ orderId }), `{"orderId":${orderId}}`]);
  });
});
