import { describe, expect, it } from "bun:test";
import { inSchema, plannedStatements, withConstants } from "./explainable-statements.ts";
import { normalizeText } from "./recorded.ts";

describe("the plannable statements of a text", () => {
  it.each([
    ["one", "select 1", ["select 1"]],
    ["those of a transaction", "begin; update a set b = ';' ; commit;", [" update a set b = ';' "]],
    ["none for a definition", "create function f() as $$ begin; select 1; end $$", []],
    [
      "one with a comment before it",
      "-- why;\nwith a as (select 1) delete from b",
      ["\nwith a as (select 1) delete from b"],
    ],
    ["none for COPY", "copy a from stdin", []],
  ])("are %s", (_, text, statements) => {
    expect(plannedStatements(text)).toEqual(statements);
  });
});

it("constants are inlined into a statement, and other parameters are kept", () => {
  expect(withConstants('a = $1 and b = $10 and c = $2 and "x_id" = $3', { 1: "open", 2: true, 3: "y" })).toBe(
    "a = 'open' and b = $10 and c = 'true' and \"x_id\" = $3",
  );
});

it("the indexer's schema is replaced", () => {
  expect(inSchema('select from "chain_6e70ab39_5fbdb231_144d852e"."order"', "chain_x")).toBe(
    'select from "chain_x"."order"',
  );
});

describe("statements are considered equal", () => {
  it.each([
    ["with different numbers", "limit 10 offset 5", "limit 20 offset 7"],
    ["with more values", "values ($1, $2), ($3, $4)", "values ($1, $2)"],
    ["with a longer list", "in ($1, $2, $3)", "in ($1)"],
    ["with a different hash", `'0x${"ab".repeat(32)}'`, `'0x${"cd".repeat(32)}'`],
  ])("%s", (_, one, other) => {
    expect(normalizeText(one)).toBe(normalizeText(other));
  });

  it("but not with different states", () => {
    expect(normalizeText("state in ('open')")).not.toBe(normalizeText("state in ('closed')"));
  });
});
