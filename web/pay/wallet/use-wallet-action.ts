// Runs one wallet action at a time. Reports its current step and error, and can stop waiting if the wallet never
// responds.
import { useRef, useState } from "react";
import { type Problem, toProblem } from "./problem.ts";

/** @param unanswered the kind of problem that a missing wallet response means for this action */
export function useWalletAction<Step extends string>(unanswered: "silent" | "unanswered") {
  const [step, setStep] = useState<Step>();
  const [problem, setProblem] = useState<Problem>();
  const running = useRef<AbortController>(undefined);
  const run = async (first: Step, work: (signal: AbortSignal) => Promise<void>) => {
    const mine = new AbortController();
    running.current = mine;
    setProblem(undefined);
    setStep(first);
    try {
      await work(mine.signal);
    } catch (error) {
      if (!mine.signal.aborted) setProblem(toProblem(error));
    }
    if (!mine.signal.aborted) setStep(undefined);
  };
  const stop = () => {
    running.current?.abort();
    setStep(undefined);
    setProblem({ kind: unanswered });
  };
  return {
    step,
    problem,
    run,
    stop,
    /** Ignores updates from a stopped action. */
    setStep: (next: Step) => running.current?.signal.aborted || setStep(next),
  };
}

export type WalletAction<Step extends string> = ReturnType<typeof useWalletAction<Step>>;
