// Tests that a command's help text defines the arguments that the command accepts.
import { describe, it } from "bun:test";
import { expect } from "chai";
import { checkUsage } from "./command-line.ts";
import { UsageError } from "./errors.ts";

const HELP = `What it is about.

  npm run thing -- create --name NAME [--size SIZE]
  npm run thing -- show ITEM_ID    one of them
  npm run thing -- items [list]
  npm run thing -- test [PART…]
  --json   answers for programs

  PART   any`;
const PLAIN = "Does it.\n\n  npm run plain";

/** Returns the error message for these arguments, or undefined if they are accepted. */
function refusal(help: string, given: string[], ...options: string[]): string | undefined {
  try {
    checkUsage(help, given, options);
    return undefined;
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
}

describe("a command", () => {
  it.each([
    [["create"], ["name"]],
    [["create"], ["name", "size", "json"]],
    [["show", "anything"], []],
    [["items"], ["json"]],
    [["items", "list"], []],
    [["test"], []],
    [["test", "one", "two", "three"], []],
  ])("accepts %p with the options %p, as its help text specifies", (given, options) => {
    expect(refusal(HELP, given, ...options)).to.equal(undefined);
  });

  it.each([
    [[], [], "'npm run thing' requires one of create, show, items, test."],
    [["destroy"], [], "'npm run thing' does not accept 'destroy'."],
    [["ITEM_ID"], [], "'npm run thing' does not accept 'ITEM_ID'."],
    [["show"], [], "'npm run thing show' requires ITEM_ID."],
    [["show", ""], [], "'npm run thing show' does not accept ''."],
    [["show", "one", "two"], [], "'npm run thing show one' does not accept 'two'."],
    [["items", "remove"], [], "'npm run thing items' does not accept 'remove'."],
    [["create"], [], "'npm run thing create' requires --name."],
    [["items"], ["size"], "'npm run thing items' does not accept --size."],
  ])("rejects %p with the options %p", (given, options, sentence) => {
    expect(refusal(HELP, given, ...options)).to.equal(sentence);
  });

  it("takes no arguments if its help text lists none", () => {
    expect(refusal(PLAIN, [])).to.equal(undefined);
    expect(refusal(PLAIN, ["anything"])).to.equal("'npm run plain' does not accept 'anything'.");
    expect(refusal(PLAIN, [], "json")).to.equal("'npm run plain' does not accept --json.");
  });
});
