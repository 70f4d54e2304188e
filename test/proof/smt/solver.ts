// Z3, compiled to WebAssembly, with SMT-LIB input.
import { init, type Z3_context, Z3_lbool, type Z3_solver } from "z3-solver";
import type { Script } from "./script.ts";

export type Answer =
  /** The script's assertions are unsatisfiable. */
  | { kind: "impossible" }
  /** A satisfying assignment, by variable name. */
  | { kind: "possible"; values: Map<string, string> }
  | { kind: "unknown"; reason: string };

const TIMEOUT_MS = 100_000;

export class Solver {
  private constructor(private readonly api: Awaited<ReturnType<typeof init>>) {}

  static async start(): Promise<Solver> {
    const api = await init();
    api.Z3.global_param_set("timeout", String(TIMEOUT_MS));
    return new Solver(api);
  }

  async ask({ text, variables }: Script): Promise<Answer> {
    const { Z3 } = this.api;
    const config = Z3.mk_config();
    const context = Z3.mk_context(config);
    try {
      const solver = Z3.mk_solver(context);
      Z3.solver_inc_ref(context, solver);
      this.load(context, solver, text);
      const verdict = await Z3.solver_check(context, solver);
      if (verdict === Z3_lbool.Z3_L_FALSE) return { kind: "impossible" };
      if (verdict === Z3_lbool.Z3_L_UNDEF)
        return { kind: "unknown", reason: Z3.solver_get_reason_unknown(context, solver) };
      const model = Z3.solver_get_model(context, solver);
      return { kind: "possible", values: readValues(Z3.model_to_string(context, model), variables) };
    } finally {
      Z3.del_context(context);
      Z3.del_config(config);
    }
  }

  /** Stops the solver's threads, which would otherwise keep the process alive. */
  stop(): void {
    this.api.em.PThread.terminateAllThreads();
  }

  /** Copies the text to the heap. The binding would put it on the stack, which is too small. */
  private load(context: Z3_context, solver: Z3_solver, text: string): void {
    const { Z3, em } = this.api;
    const bytes = new TextEncoder().encode(`${text}\0`);
    const address = em._malloc(bytes.length);
    try {
      em.HEAPU8.set(bytes, address);
      em._Z3_solver_from_string(context, solver, address);
    } finally {
      em._free(address);
    }
    const error = Z3.get_error_code(context);
    if (error !== 0) throw new Error(`z3 refuses the script: ${Z3.get_error_msg(context, error)}`);
  }
}

/** Parses `name -> value` lines. The output also contains the script's definitions, which are skipped. */
function readValues(text: string, variables: ReadonlySet<string>): Map<string, string> {
  const values = new Map<string, string>();
  for (const [, quoted = "", value = ""] of text.matchAll(/^(.+?) -> (.+)$/gm)) {
    const name = quoted.replaceAll("|", "");
    if (variables.has(name)) values.set(name, value.replace(/^\(- (\d+)\)$/, "-$1"));
  }
  return values;
}
