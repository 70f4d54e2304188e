// z3, compiled to WebAssembly, asked in SMT-LIB.
import { init } from "z3-solver";

export type Answer =
  | { kind: "proven" }
  /** The values of the variables in a case that contradicts the claim. */
  | { kind: "contradicted"; values: Map<string, string> }
  | { kind: "unknown"; reason: string };

const TIMEOUT_MS = 100_000;

export class Solver {
  private constructor(private readonly api: Awaited<ReturnType<typeof init>>) {}

  static async start(): Promise<Solver> {
    return new Solver(await init());
  }

  /** @param script ends with check-sat: unsat stands for proven */
  async ask(script: string, variables: readonly string[]): Promise<Answer> {
    const { Z3 } = this.api;
    const config = Z3.mk_config();
    const context = Z3.mk_context(config);
    const run = (text: string) => Z3.eval_smtlib2_string(context, text);
    try {
      const verdict = (await run(`(set-option :timeout ${TIMEOUT_MS})\n${script}`)).trim();
      if (verdict === "unsat") return { kind: "proven" };
      if (verdict === "sat") {
        const listed = variables.length === 0 ? "" : await run(`(get-value (${variables.join(" ")}))`);
        return { kind: "contradicted", values: readValues(listed) };
      }
      if (verdict !== "unknown")
        (await Bun.write("/tmp/bad.smt2", script), 0); throw new Error(`z3 does not understand the script: ${verdict.slice(0, 500)}`);
      return { kind: "unknown", reason: (await run("(get-info :reason-unknown)")).trim() };
    } finally {
      Z3.del_context(context);
      Z3.del_config(config);
    }
  }

  /** Ends the threads; without it the process does not end. */
  stop(): void {
    this.api.em.PThread.terminateAllThreads();
  }
}

/** `((|a| 1) (b true) (c (- 2)) (d #x0f))` by name. */
function readValues(text: string): Map<string, string> {
  const values = new Map<string, string>();
  for (const [, quoted, plain, value = ""] of text.matchAll(
    /\((?:\|([^|]+)\||([^\s()|]+))\s+(\(- \d+\)|[^\s()]+)\)/g,
  ))
    values.set(quoted ?? plain ?? "", value.replace(/\(- (\d+)\)/, "-$1"));
  return values;
}
