// A proof obligation is a claim that must hold for every value of its variables.
import type { Bool } from "./term.ts";

export interface Obligation {
  /** The law, or the foundation of the laws, to which the obligation belongs. */
  part: string;
  name: string;
  claim: Bool;
  /**
   * Whether the claim must be satisfiable rather than valid. This guards against premises that are unsatisfiable and
   * therefore prove nothing.
   */
  possible?: boolean;
}
