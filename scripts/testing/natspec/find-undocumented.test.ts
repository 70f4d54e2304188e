// Tests what counts as documented, with compiler syntax trees.
import { describe, it } from "bun:test";
import { expect } from "chai";
import { findUndocumented, type SyntaxNode } from "./find-undocumented.ts";

const SOURCE = ["struct Terms {", "    address payee; // the merchant", "    uint256 amount;", "}"].join(
  "\n",
);
const at = (text: string) => `${SOURCE.indexOf(text)}:1:0`;
const src = "0:1:0";
const say = (text: string) => ({ documentation: { text } });
const named = (...names: string[]) => ({ parameters: names.map((name) => ({ name })) });

const inside = (contractKind: string, ...nodes: SyntaxNode[]): SyntaxNode => ({
  ...{ nodeType: "ContractDefinition", src, name: "Escrow", contractKind },
  ...say("@title An escrow."),
  nodes,
});
const refund = (changes: Partial<SyntaxNode> = {}): SyntaxNode => ({
  ...{ nodeType: "FunctionDefinition", src, name: "refund", kind: "function", visibility: "external" },
  ...{ parameters: named("amount"), returnParameters: named("") },
  ...say("@notice Refunds.\n @param amount In the smallest unit.\n @return Whether it did."),
  ...changes,
});
const lacking = (ast: SyntaxNode) => findUndocumented(SOURCE, ast).map(({ says }) => says);

describe("the undocumented parts of a Solidity source", () => {
  it("are none if every tag is present", () => {
    expect(lacking(inside("contract", refund(), refund(say("@inheritdoc IEscrow"))))).to.deep.equal([]);
    expect(lacking(inside("contract", refund({ visibility: "private", documentation: null })))).to.deep.equal(
      [],
    );
  });

  it.each([
    [
      "a function without a tag",
      refund({ documentation: null }),
      "function refund has no @notice, no @param amount, no @return",
    ],
    [
      "another parameter with the same beginning",
      refund(say("@notice Refunds.\n @param amounts All.\n @return Whether.")),
      "function refund has no @param amount",
    ],
    [
      "an event with @dev alone",
      { nodeType: "EventDefinition", src, name: "Paid", parameters: named(), ...say("@dev Paid.") },
      "event Paid has no @notice",
    ],
    [
      "an error whose parameter is not explained",
      { nodeType: "ErrorDefinition", src, name: "TooLate", parameters: named("by"), ...say("@notice Late.") },
      "error TooLate has no @param by",
    ],
    [
      "a public variable",
      { nodeType: "VariableDeclaration", src, name: "guardian", visibility: "public" },
      "variable guardian has no @notice",
    ],
    [
      "a modifier",
      { nodeType: "ModifierDefinition", src, name: "once" },
      "modifier once has no documentation",
    ],
  ] as [string, SyntaxNode, string][])("names %s", (_, node, says) => {
    expect(lacking(inside("contract", node))).to.deep.equal([says]);
  });

  it("include a contract without a title, and undocumented functions of libraries and files", () => {
    const helper = refund({ visibility: "internal", documentation: null });
    expect(lacking({ ...inside("library", helper), documentation: null })).to.deep.equal([
      "contract Escrow has no @title",
      "function refund has no documentation",
    ]);
    expect(lacking({ nodeType: "SourceUnit", src, nodes: [refund(helper)] })).to.have.length(1);
    expect(lacking(inside("contract", helper))).to.deep.equal([]);
  });

  const terms = (name: string, text: string): SyntaxNode => ({
    ...{ nodeType: "StructDefinition", src, name, ...say(text) },
    members: ["payee", "amount"].map((member) => ({
      ...{ nodeType: "VariableDeclaration", name: member, src: at(member) },
    })),
  });

  it("include an uncommented struct field, by its line, unless another struct explains it", () => {
    const ast = inside(
      "interface",
      terms("Terms", "@notice Terms."),
      terms("Own", "@notice Each as in Terms."),
    );
    expect(findUndocumented(SOURCE, ast)).to.deep.equal([
      { line: 3, says: "Terms.amount has no comment on its line" },
    ]);
  });
});
