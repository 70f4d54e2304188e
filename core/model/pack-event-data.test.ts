import { describe, it } from "bun:test";
import { expect } from "chai";
import type { EventData } from "./event-data.ts";
import { packEventData, unpackEventData } from "./pack-event-data.ts";

const SUCCEEDED: EventData = {
  object: { object: "payment_intent", status: "SUCCEEDED", transactionHash: null },
  previousAttributes: { status: "PROCESSING" },
};

describe("an event's packed data", () => {
  it("equals what was packed, in the same order", () => {
    const data = {
      object: { object: "dispute", disputeReason: 'späť \u{1F4E6} "0x"', id: "dispute_1", outcome: null },
    };
    expect(JSON.stringify(unpackEventData(packEventData(data)))).to.equal(JSON.stringify(data));
  });

  it("stays readable as long as such rows exist: this row was written with the first dictionary", () => {
    expect(unpackEventData(Buffer.from("AaMgFWItJ0jMMgA=", "base64"))).to.deep.equal(SUCCEEDED);
  });

  it("is rejected if its dictionary is unknown", () => {
    expect(() => unpackEventData(Buffer.of(0, ...packEventData(SUCCEEDED).subarray(1)))).to.throw(
      "dictionary 0",
    );
    expect(() => unpackEventData(Buffer.alloc(0))).to.throw("dictionary undefined");
  });
});
