// One piece of work at a time, what it waits for, and how it failed.
import { useState } from "react";
import type { Step } from "./pay.ts";
import { type Problem, problemOf } from "./problem.ts";

export function useWork() {
  const [step, setStep] = useState<Step>();
  const [problem, setProblem] = useState<Problem>();
  const run = async (first: Step, work: () => Promise<void>) => {
    setProblem(undefined);
    setStep(first);
    try {
      await work();
    } catch (error) {
      setProblem(problemOf(error));
    }
    setStep(undefined);
  };
  return { step, problem, run, setStep };
}

export type Work = ReturnType<typeof useWork>;
