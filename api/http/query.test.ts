import { describe, expect, it } from "bun:test";
import { nested } from "./query.ts";

const parse = (query: string) => nested(new URLSearchParams(query));

describe("a query", () => {
  it("is parsed into fields, a time range, metadata and lists", () => {
    expect(parse("limit=3&created[gte]=1&created[lte]=2&metadata[orderId]=7&expand[]=a&expand[]=b")).toEqual({
      limit: 3,
      created: { gte: 1, lte: 2 },
      metadata: { orderId: "7" },
      "expand[]": ["a", "b"],
    });
  });

  it.each(["limit=1&limit=2", "created=5&created[gte]=1", "metadata[a]=1&metadata[a]=2"])(
    "with %s has a list in place of a single value",
    (query) => {
      const [value] = Object.values(parse(query));
      expect(Array.isArray(value) || Object.values(value as object).some(Array.isArray)).toBe(true);
    },
  );

  it("treats __proto__ like any other name", () => {
    const query = parse("__proto__=1&metadata[__proto__]=2");
    expect(Object.keys(query)).toEqual(["__proto__", "metadata"]);
    expect(Object.keys(query.metadata as object)).toEqual(["__proto__"]);
  });

  it.each(["1e1", " 1", "0x10", "-1", "1.0", ""])("does not parse '%s' as a number", (text) => {
    expect(parse(`limit=${encodeURIComponent(text)}`)).toEqual({ limit: text });
  });
});
