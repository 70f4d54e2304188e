// Finds missing NatSpec in a Solidity source, using the compiler's syntax tree. The compiler itself rejects tags of
// unknown parameters.

type Parameters = { parameters: { name: string }[] };

export interface SyntaxNode {
  nodeType: string;
  /** Start and length in bytes, and the file. */
  src: string;
  name?: string;
  kind?: string;
  contractKind?: string;
  visibility?: string;
  documentation?: { text: string } | null;
  parameters?: Parameters;
  returnParameters?: Parameters;
  nodes?: SyntaxNode[];
  members?: SyntaxNode[];
}

export interface Finding {
  line: number;
  says: string;
}

/**
 * Visibilities of the public interface, in which each item needs a @notice, and a tag for each parameter and return
 * value.
 */
const OUTSIDE = ["external", "public"];

/** @param source the text of the file that `ast` was parsed from */
export function findUndocumented(source: string, ast: SyntaxNode): Finding[] {
  const bytes = Buffer.from(source);
  const findings: Finding[] = [];
  const report = ({ src }: SyntaxNode, says: string) =>
    findings.push({ line: countLines(bytes, startOf(src)), says });
  const structs = new Map<string, string[]>();

  const visit = (node: SyntaxNode, contract?: SyntaxNode): void => {
    const lacking = describeLacking(node, contract);
    if (lacking.length > 0) report(node, `${describe(node)} has no ${lacking.join(", no ")}`);
    if (node.nodeType === "StructDefinition" || node.nodeType === "EnumDefinition") visitMembers(node);
    const inside = node.nodeType === "ContractDefinition" ? node : contract;
    for (const child of node.nodes ?? []) visit(child, inside);
  };

  const visitMembers = (node: SyntaxNode) => {
    const members = node.members ?? [];
    const names = members.map(({ name = "" }) => name);
    structs.set(node.name ?? "", names);
    // A struct that repeats another struct's fields refers to that struct, where the fields are explained.
    const [, other = ""] = /each as in (\w+)/i.exec(textOf(node)) ?? [];
    for (const member of members) {
      if (structs.get(other)?.includes(member.name ?? "")) continue;
      if (!hasComment(bytes, member))
        report(member, `${node.name}.${member.name} has no comment on its line`);
    }
  };

  visit(ast);
  return findings;
}

function describeLacking(node: SyntaxNode, contract?: SyntaxNode): string[] {
  switch (node.nodeType) {
    case "ContractDefinition":
      return hasTag(node, "title") ? [] : ["@title"];
    case "StructDefinition":
    case "EnumDefinition":
    case "ModifierDefinition":
      return isDocumented(node) ? lackingTags(node) : ["documentation"];
    case "EventDefinition":
    case "ErrorDefinition":
      return lackingNotice(node);
    case "VariableDeclaration":
      if (node.visibility === "public") return hasTag(node, "inheritdoc") ? [] : lackingNotice(node);
      return contract && !isDocumented(node) && contract.contractKind === "library" ? ["documentation"] : [];
    case "FunctionDefinition":
      return lackingOfFunction(node, contract);
    default:
      return [];
  }
}

function lackingOfFunction(node: SyntaxNode, contract?: SyntaxNode): string[] {
  if (hasTag(node, "inheritdoc")) return [];
  // A constructor has no meaningful visibility, and derived contracts document an abstract contract's parameters.
  if (node.kind === "constructor") return lackingTags(node);
  if (contract !== undefined && OUTSIDE.includes(node.visibility ?? "")) return lackingNotice(node);
  const shared = contract === undefined || contract.contractKind === "library";
  return shared && node.visibility !== "private" && !isDocumented(node) ? ["documentation"] : [];
}

const lackingNotice = (node: SyntaxNode): string[] => [
  ...(hasTag(node, "notice") ? [] : ["@notice"]),
  ...lackingTags(node),
];

function lackingTags(node: SyntaxNode): string[] {
  const params = (node.parameters?.parameters ?? [])
    .filter(({ name }) => name !== "" && !new RegExp(`@param ${name}\\s`).test(`${textOf(node)} `))
    .map(({ name }) => `@param ${name}`);
  const returned = node.returnParameters?.parameters.length ?? 0;
  const tags = textOf(node).match(/@return\s/g)?.length ?? 0;
  return tags < returned ? [...params, "@return"] : params;
}

const textOf = ({ documentation }: SyntaxNode): string => documentation?.text ?? "";

// NatSpec treats text without a tag as a @notice.
const isDocumented = (node: SyntaxNode): boolean => textOf(node).trim() !== "";

const hasTag = (node: SyntaxNode, tag: string): boolean =>
  new RegExp(`@${tag}\\s+\\S`).test(textOf(node)) ||
  (tag === "notice" && isDocumented(node) && !textOf(node).trim().startsWith("@"));

const describe = ({ nodeType, kind, name }: SyntaxNode): string =>
  kind === "constructor"
    ? "the constructor"
    : `${nodeType.replace(/Definition|Declaration/, "").toLowerCase()} ${name}`;

const startOf = (src: string): number => Number(src.split(":")[0]);

function countLines(bytes: Buffer, offset: number): number {
  return bytes.subarray(0, offset).toString().split("\n").length;
}

/** Whether the member's own line ends with a comment. */
function hasComment(bytes: Buffer, { src }: SyntaxNode): boolean {
  const [rest = ""] = bytes.subarray(startOf(src)).toString().split("\n");
  return rest.includes("// ");
}
