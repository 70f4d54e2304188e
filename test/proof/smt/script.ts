// Formats terms as an SMT-LIB script. A term that occurs several times is defined only once, which keeps the script
// small.
import { type AnyTerm, type Bool, isVariable } from "./term.ts";

export interface Script {
  text: string;
  variables: ReadonlySet<string>;
}

/** Returns a script that requests values that satisfy the condition. */
export function satisfaction(condition: Bool): Script {
  const declarations: string[] = [];
  const definitions: string[] = [];
  const names = new Map<AnyTerm, string>();
  const variables = new Set<string>();

  const nameOf = (term: AnyTerm): string => {
    const known = names.get(term);
    if (known !== undefined) return known;
    let name = term.op;
    if (isVariable(term)) {
      if (!variables.has(name.slice(1, -1))) declarations.push(`(declare-const ${name} ${term.sort})`);
      variables.add(name.slice(1, -1));
    } else if (term.args.length > 0) {
      const text = `(${term.op} ${term.args.map(nameOf).join(" ")})`;
      name = `t${definitions.length}`;
      definitions.push(`(define-fun ${name} () ${term.sort} ${text})`);
    }
    names.set(term, name);
    return name;
  };

  const root = nameOf(condition);
  const text = [...declarations, ...definitions, `(assert ${root})`].join("\n");
  return { text, variables };
}
