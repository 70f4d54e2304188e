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

  it("is told when it appears, when it changes, and when it is over", () => {
    const { problems, lines } = recorded();
    problems.met("observe", new Error("away"));
    problems.met("observe", new Error("away"));
    problems.met("observe", new Error("broken"));
    problems.over("observe");
    problems.over("observe");
    expect(lines).to.deep.equal(["problem", "problem", "problem over"]);
  });
});
