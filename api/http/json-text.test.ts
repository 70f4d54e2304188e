import { describe, it } from "bun:test";
import { expect } from "chai";
import { findRepeatedKey } from "./json-text.ts";

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
