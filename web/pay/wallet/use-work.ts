// One piece of work at a time, what it waits for, how it failed, and its end where its wallet never answers.
import { useRef, useState } from "react";
import { type Problem, toProblem } from "./problem.ts";

/** @param unanswered what a wallet that never answers means for this work */
export function useWork<Step extends string>(unanswered: "silent" | "unanswered") {
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
    /** Of the work that runs: what was stopped says nothing more. */
    setStep: (next: Step) => running.current?.signal.aborted || setStep(next),
  };
}

export type Work<Step extends string> = ReturnType<typeof useWork<Step>>;
