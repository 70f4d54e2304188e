// A proof obligation: a claim that holds for every value of its variables.
import type { Bool } from "./term.ts";

export interface Obligation {
  /** The law, or the basis of the laws. */
  part: string;
  name: string;
  claim: Bool;
  /** Whether the claim must be satisfiable instead of valid, because an unsatisfiable premise proves nothing. */
  possible?: boolean;
}
