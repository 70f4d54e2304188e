import { describe, it } from "bun:test";
import { expect } from "chai";
import { parseJsonObject } from "./body.ts";

describe("a body", () => {
  it("is in words for every name of its members, and stays what it is", () => {
    const text = '{"amount":{"toString":1,"valueOf":{"a":[]}},"\\u0074oString":null}';
    const body = parseJsonObject(text);
    expect(`${body} ${body.amount}`).to.equal("an object an object");
    expect(JSON.parse(JSON.stringify(body))).to.deep.equal(JSON.parse(text));
    expect(Object.keys(body)).to.deep.equal(["amount", "toString"]);
  });
});
