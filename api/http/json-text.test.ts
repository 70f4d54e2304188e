import { describe, it } from "bun:test";
import { expect } from "chai";
import { canonicalJson, findRepeatedKey } from "./json-text.ts";

describe("a repeated key", () => {
  it.each([
    ['{"a":1,"a":2}', "a"],
    ['{"a":{"b":1},"c":[{"d":1,"d":1}]}', "d"],
    ['{"a":1,"\\u0061":2}', "a"],
    ['{"a":{"a":1},"b":"a","a":1}', "a"],
    ['{"\\"":1,"\\"":2}', '"'],
    ['{"":1,"":2}', ""],
  ])("is found in %s", (text, key) => {
    expect(findRepeatedKey(text)).to.equal(key);
  });

  it.each([
    '{"a":{"a":1}}',
    '[{"a":1},{"a":2}]',
    '{"a":"b","b":"a"}',
    '{"a":["b","b","a"]}',
    '{"a":"{\\"a\\":1}"}',
    "{}",
  ])("is not seen in %s", (text) => {
    expect(findRepeatedKey(text)).to.equal(undefined);
  });
});

describe("canonical JSON", () => {
  it("is the same whatever the order of keys, and not of lists", () => {
    const one = { b: [2, 1, { y: 1, x: 2 }], a: "x" };
    expect(canonicalJson(one)).to.equal('{"a":"x","b":[2,1,{"x":2,"y":1}]}');
    expect(canonicalJson({ a: "x", b: [2, 1, { x: 2, y: 1 }] })).to.equal(canonicalJson(one));
    expect(canonicalJson({ ...one, b: [1, 2, { x: 2, y: 1 }] })).not.to.equal(canonicalJson(one));
  });
});
