import { describe, expect, it } from "bun:test";
import { Type } from "@sinclair/typebox";
import { parseQuery } from "./query.ts";

const schema = Type.Object({ limit: Type.String(), created: Type.Object({}), metadata: Type.Object({}) });
const parse = (query: string) => parseQuery(new URLSearchParams(query), schema);

describe("a list's query", () => {
  it("is read into fields, a range of time and metadata", () => {
    expect(parse("limit=3&created[gte]=1&created[lte]=2&metadata[orderId]=A")).toEqual({
      fields: { limit: "3" },
      created: { gte: "1", lte: "2" },
      metadata: { orderId: "A" },
      expand: [],
    });
  });

  it.each([
    ["created=5", "Unknown parameter: created. Write created[gte] or created[lte], in Unix seconds."],
    ["created[gt]=5", "Unknown parameter: created[gt]. Write created[gte] or created[lte], in Unix seconds."],
    ["metadata=A", "Unknown parameter: metadata. Write metadata[key]."],
    ["page=2", "Unknown parameter: page."],
    ["limit=1&limit=2", "The parameter limit is given twice."],
  ])("that is %s is refused: %s", (query, message) => {
    expect(() => parse(query)).toThrow(message);
  });
});
