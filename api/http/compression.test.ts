import { describe, it } from "bun:test";
import { expect } from "chai";
import { codingFor } from "./compression.ts";

describe("the encoding of a response", () => {
  it.each([
    [null, undefined],
    ["", undefined],
    ["identity", undefined],
    ["*", undefined],
    ["gzip", "gzip"],
    ["br", "br"],
    ["gzip, deflate, br, zstd", "br"],
    ["GZIP", "gzip"],
    ["gzip;q=1.0, br;q=0.5", "gzip"],
    ["br;q=0, gzip", "gzip"],
    ["br;q=0, gzip;q=0", undefined],
    ["br; q=nonsense", undefined],
  ] as const)("for %j is %p", (asked, coding) => {
    expect(codingFor(asked)).to.equal(coding);
  });
});
