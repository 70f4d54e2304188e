import { describe, it } from "bun:test";
import { expect } from "chai";
import pino from "pino";
import { Problems } from "./problems.ts";

describe("a problem", () => {
  const recorded = () => {
    const lines: string[] = [];
    const log = pino({ level: "info" }, { write: (line: string) => void lines.push(JSON.parse(line).msg) });
    return { problems: new Problems(log), lines };
  };

  it("is logged when it appears, when it changes, and when it is resolved", () => {
    const { problems, lines } = recorded();
    problems.report("observe", new Error("away"));
    problems.report("observe", new Error("away"));
    problems.report("observe", new Error("broken"));
    problems.resolve("observe");
    problems.resolve("observe");
    expect(lines).to.deep.equal(["problem", "problem", "problem resolved"]);
  });
});
