import { describe, it } from "bun:test";
import { expect } from "chai";
import { parseJsonObject } from "./body.ts";

describe("a body", () => {
  it("with any member names can be converted to a string and is not changed", () => {
    const text = '{"amount":{"toString":1,"valueOf":{"a":[]}},"\\u0074oString":null}';
    const body = parseJsonObject(text);
    expect(`${body} ${body.amount}`).to.equal("an object an object");
    expect(JSON.parse(JSON.stringify(body))).to.deep.equal(JSON.parse(text));
    expect(Object.keys(body)).to.deep.equal(["amount", "toString"]);
  });

  it("with a megabyte of conversion member names costs only a few times as much as a plain one", () => {
    const bodyOf = (name: string) => `{"a":[${`{"${name}":1},`.repeat(60_000)}{}]}`;
    const measure = (text: string): number => {
      const startedAt = performance.now();
      parseJsonObject(text);
      return performance.now() - startedAt;
    };
    const [plain, crafted] = ["toNumber", "toString"].map((name) =>
      Math.min(...[1, 2, 3].map(() => measure(bodyOf(name)))),
    ) as [number, number];
    expect(crafted).to.be.below(6 * plain + 20);
  });
});
