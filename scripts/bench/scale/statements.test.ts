// Tests how the scale benchmark names statements, and which growth it accepts.
import { describe, it } from "bun:test";
import { expect } from "chai";
import { compare, nameStatement, type Statement, type Statements } from "./statements.ts";

const only = (counts: Partial<Statement>): Statements =>
  new Map([
    [
      "settlement 1",
      {
        role: "settlement",
        name: "select intent",
        text: "",
        calls: 10,
        rows: 0,
        pages: 0,
        ms: 1,
        wal: 0,
        ...counts,
      },
    ],
  ]);

const problem = (few: Partial<Statement>, many: Partial<Statement>) =>
  compare(only(few), only(many))[0]?.problem;

describe("a statement's name", () => {
  it("is the comment at its beginning, if there is one", () => {
    expect(nameStatement("/* due work */ select 1")).to.equal("due work");
  });
  it("is its verb and its first tables otherwise", () => {
    expect(nameStatement('select "id" from "gateway"."intent" join chain.settlement')).to.match(
      /^select intent, chain\.settlement #[0-9a-f]{4}$/,
    );
    expect(nameStatement("with due as (select 1) update gateway.payout set a = $1")).to.match(
      /^update payout #/,
    );
  });
});

describe("a batch", () => {
  it("is the same statement for every size", () => {
    const batch = (values: string) =>
      nameStatement(`insert into gateway.event (a, b) values ${values} returning id`);
    expect(batch("($1, now()), ($2, now()), ($3, now())")).to.equal(batch("($1, now())"));
    expect(batch("($1, $2), ($3, $4)")).not.to.equal(batch("($1, now())"));
  });
});

describe("with more payments a statement", () => {
  it("reads at most 1.5 times as many pages per call", () => {
    expect(problem({ pages: 1_000 }, { pages: 1_500 })).to.equal(null);
    expect(problem({ pages: 1_000 }, { pages: 1_600 })).to.equal("1.6 times the pages");
  });
  it("reads at most 1.5 times as many pages per row, if a batch is larger", () => {
    expect(problem({ pages: 1_000, rows: 10 }, { pages: 10_000, rows: 100 })).to.equal(null);
  });
  it("reads at most three more pages per row", () => {
    expect(problem({ pages: 10, rows: 20 }, { pages: 70, rows: 20 })).to.equal(null);
    expect(problem({ pages: 10, rows: 20 }, { pages: 80, rows: 20 })).to.equal("8.0 times the pages");
  });
  it("never reads more than 2,000 pages", () => {
    expect(problem({ pages: 20_000 }, { pages: 20_010 })).to.equal("over 2000 pages");
  });
  it("is compared only if it ran before, unless it reads more than 2,000 pages", () => {
    expect(compare(new Map(), only({ pages: 100 }))).to.deep.equal([]);
    expect(compare(new Map(), only({ pages: 30_000 }))[0]?.problem).to.equal("over 2000 pages");
  });
});
