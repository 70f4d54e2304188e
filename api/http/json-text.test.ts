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
    '{"a":"\\\\","b":"\\\\\\"a"}',
    "{}",
  ])("is not reported in %s", (text) => {
    expect(findRepeatedKey(text)).to.equal(undefined);
  });
});

describe("a long body", () => {
  /** Returns the shortest duration of three runs in milliseconds. */
  const measure = (work: () => void): number =>
    Math.min(
      ...[1, 2, 3].map(() => {
        const startedAt = performance.now();
        work();
        return performance.now() - startedAt;
      }),
    );

  it.each([
    ["strings of one character", `{"a":[${'"b",'.repeat(260_000)}"b"]}`],
    ["one string", `{"a":"${"b".repeat(1_000_000)}"}`],
    ["one string of escapes", `{"a":"${'\\"'.repeat(500_000)}"}`],
    ["lists in lists", `{"a":${"[".repeat(500_000)}${"]".repeat(500_000)}}`],
    ["keys", `{${Array.from({ length: 80_000 }, (_, key) => `"${key}":1`).join(",")}}`],
  ])("of %s takes at most a few times as long to check as to parse", (_, text) => {
    const parsing = measure(() => JSON.parse(text));
    expect(measure(() => findRepeatedKey(text))).to.be.below(10 * parsing + 20);
  });
});
