// Parses the contract files that the proof executes, and indexes their declarations in solc's syntax tree.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import solc from "solc";
import { root } from "#scripts/shared/paths.ts";

/** A node of the syntax tree, with the properties that the proof reads. A node has only those of its own type. */
export interface Node {
  nodeType: string;
  id: number;
  name: string;
  value: unknown;
  kind: string;
  operator: string;
  memberName: string;
  referencedDeclaration: number;
  typeDescriptions: { typeString: string };
  nodes: Node[];
  statements: Node[];
  members: Node[];
  components: Node[];
  arguments: Node[];
  declarations: Node[];
  variables: Node[];
  variableNames: Node[];
  parameters: Node & { parameters: Node[] };
  returnParameters: { parameters: Node[] };
  body: Node;
  AST: Node;
  trueBody: Node;
  falseBody: Node | null;
  expression: Node;
  subExpression: Node;
  leftExpression: Node;
  rightExpression: Node;
  leftHandSide: Node;
  rightHandSide: Node;
  initialValue: Node;
  condition: Node;
  trueExpression: Node;
  falseExpression: Node;
  typeName: Node;
  functionName: Node;
}

export interface Source {
  functions: Map<string, Node>;
  constants: Map<string, Node>;
  structs: Map<string, Node>;
  /** The numeric value of each enum member, by the id of its declaration. */
  enumValues: Map<number, number>;
}

const FILES = ["contracts/parts/OrderSlot.sol", "contracts/parts/OrderTerms.sol"];

/** @param edit changes each file's text, to test that the proof detects the change */
export function readSource(edit: (text: string) => string = (text) => text): Source {
  const read = (path: string) => readFileSync(join(root, path), "utf8");
  const input = {
    language: "Solidity",
    sources: Object.fromEntries(FILES.map((path) => [path, { content: edit(read(path)) }])),
    settings: { outputSelection: { "*": { "": ["ast"] } } },
  };
  const output = JSON.parse(
    solc.compile(JSON.stringify(input), { import: (path: string) => ({ contents: read(path) }) }),
  );
  const errors = (output.errors ?? []).filter(({ severity }: { severity: string }) => severity === "error");
  if (errors.length > 0) throw new Error(`The sources do not compile: ${JSON.stringify(errors)}`);
  const source: Source = {
    functions: new Map(),
    constants: new Map(),
    structs: new Map(),
    enumValues: new Map(),
  };
  for (const { ast } of Object.values<{ ast: Node }>(output.sources)) collect(ast, source);
  return source;
}

function collect(node: Node, source: Source): void {
  if (node.nodeType === "FunctionDefinition" && node.body) source.functions.set(node.name, node);
  if (node.nodeType === "VariableDeclaration" && node.value) source.constants.set(node.name, node);
  if (node.nodeType === "StructDefinition") source.structs.set(node.name, node);
  if (node.nodeType === "EnumDefinition")
    node.members.forEach(({ id }, index) => {
      source.enumValues.set(id, index);
    });
  for (const child of node.nodes ?? []) collect(child, source);
}
