// Terms as an SMT-LIB script. A term that occurs several times is defined once, so that its text does not grow.
import { type AnyTerm, type Bool, isVariable, not } from "./term.ts";

export interface Script {
  text: string;
  /** As SMT-LIB writes them. */
  variables: string[];
}

/** Asks for a case in which the claim is false. */
export function refutation(claim: Bool): Script {
  const declarations: string[] = [];
  const definitions: string[] = [];
  const names = new Map<AnyTerm, string>();
  const variables = new Set<string>();

  const nameOf = (term: AnyTerm): string => {
    const known = names.get(term);
    if (known !== undefined) return known;
    let name = term.op;
    if (isVariable(term)) {
      if (!variables.has(name)) declarations.push(`(declare-const ${name} ${term.sort})`);
      variables.add(name);
    } else if (term.args.length > 0) {
      const text = `(${term.op} ${term.args.map(nameOf).join(" ")})`;
      name = `t${definitions.length}`;
      definitions.push(`(define-fun ${name} () ${term.sort} ${text})`);
    }
    names.set(term, name);
    return name;
  };

  const root = nameOf(not(claim));
  const text = [...declarations, ...definitions, `(assert ${root})`, "(check-sat)"].join("\n");
  return { text, variables: [...variables] };
}
