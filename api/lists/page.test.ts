import { describe, it } from "bun:test";
import { expect } from "chai";
import { intent } from "#core/db/schema/intents.ts";
import { metadataIn } from "./page.ts";

describe("a filter by metadata", () => {
  it.each(["007", "00.10", "-01", "1.", "0x1", "nul"])("treats %s as text only, as JSON does", (orderId) => {
    expect(metadataIn(intent.metadata, { orderId })).to.have.length(1);
  });
});
