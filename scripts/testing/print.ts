// Prints the output of steps: immediately, or, for steps that run in parallel, all at once when they have ended.
import { AsyncLocalStorage } from "node:async_hooks";

const held = new AsyncLocalStorage<string[]>();

export function print(text: string): void {
  const store = held.getStore();
  if (store) store.push(text);
  else process.stdout.write(text);
}

/** Runs a task, and prints its output when it has ended. */
export async function printAtEnd<Result>(work: () => Promise<Result>): Promise<Result> {
  const texts: string[] = [];
  try {
    return await held.run(texts, work);
  } finally {
    process.stdout.write(texts.join(""));
  }
}
