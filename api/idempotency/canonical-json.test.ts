import { describe, it } from "bun:test";
import { expect } from "chai";
import { canonicalJson } from "./canonical-json.ts";

describe("canonical JSON", () => {
  it("does not depend on the order of keys, but on the order of lists", () => {
    const one = { b: [2, 1, { y: 1, x: 2 }], a: "x" };
    expect(canonicalJson(one)).to.equal('{"a":"x","b":[2,1,{"x":2,"y":1}]}');
    expect(canonicalJson({ a: "x", b: [2, 1, { x: 2, y: 1 }] })).to.equal(canonicalJson(one));
    expect(canonicalJson({ ...one, b: [1, 2, { x: 2, y: 1 }] })).not.to.equal(canonicalJson(one));
  });
});
