// The state on which a Solidity function operates.
import type { Bool, Word } from "../smt/term.ts";

/** Words by their address. */
export type Memory = Map<bigint, Word>;

export type Value =
  | { kind: "word"; word: Word }
  | { kind: "bool"; bool: Bool }
  /** A struct in calldata, as its words in the order of its members. */
  | { kind: "struct"; words: readonly Word[]; members: readonly string[] }
  | { kind: "words"; words: readonly Word[] }
  | { kind: "text"; text: string }
  /** Bytes of any length, of which only a name is known. */
  | { kind: "bytes"; name: string };

export interface Frame {
  variables: Map<string, Value>;
  memory: Memory;
}
