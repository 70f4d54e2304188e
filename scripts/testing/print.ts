// Where steps print: to the terminal as it comes, or, for a step that runs beside others, all of it when it has ended.
import { AsyncLocalStorage } from "node:async_hooks";

const held = new AsyncLocalStorage<string[]>();

export function print(text: string): void {
  const store = held.getStore();
  if (store) store.push(text);
  else process.stdout.write(text);
}

/** Runs a piece of work and prints what it has printed when it has ended. */
export async function printAtEnd<Result>(work: () => Promise<Result>): Promise<Result> {
  const texts: string[] = [];
  try {
    return await held.run(texts, work);
  } finally {
    process.stdout.write(texts.join(""));
  }
}
