// Prints errors from the roles' logs to the terminal: one line each, without repeating the same error.
import { closeSync, existsSync, openSync, readSync, statSync } from "node:fs";
import { basename } from "node:path";

const POLL_MS = 1_000;
const AGAIN_AFTER_MS = 60_000;
const LONGEST = 120;
/** Pino's numeric level for errors. Ponder logs the name of the level. */
const ERROR = 50;

/** Follows a log from its current end, and reports every error in it. */
export class ProblemWatch {
  readonly #log: string;
  readonly #report: (line: string) => void;
  readonly #reported = new Map<string, number>();
  #read: number;
  #timer: ReturnType<typeof setInterval> | undefined;
  #rest = "";

  constructor(log: string, report: (line: string) => void) {
    this.#log = log;
    this.#report = report;
    this.#read = readSize(log);
  }

  start(): void {
    this.#timer ??= setInterval(() => this.poll(), POLL_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Reads the lines appended since the last read. */
  poll(now = Date.now()): void {
    const lines = (this.#rest + this.#added()).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) {
      const problem = problemIn(line);
      if (problem === undefined || now - (this.#reported.get(problem) ?? -AGAIN_AFTER_MS) < AGAIN_AFTER_MS)
        continue;
      this.#reported.set(problem, now);
      this.#report(`${basename(this.#log, ".log")} reports: ${problem} (.data/logs/${basename(this.#log)})`);
    }
  }

  #added(): string {
    const size = readSize(this.#log);
    if (size <= this.#read) return "";
    const buffer = Buffer.alloc(size - this.#read);
    const file = openSync(this.#log, "r");
    const count = readSync(file, buffer, 0, buffer.length, this.#read);
    closeSync(file);
    this.#read += count;
    return buffer.toString("utf8", 0, count);
  }
}

/** Returns the message of an error line; undefined for every other line. */
function problemIn(line: string): string | undefined {
  if (!line.startsWith("{")) return undefined;
  let entry: { level?: unknown; msg?: unknown; err?: { message?: unknown } };
  try {
    entry = JSON.parse(line);
  } catch {
    // The line is not a log entry of a role.
    return undefined;
  }
  const { level, msg, err } = entry;
  const isError = typeof level === "number" ? level >= ERROR : level === "error" || level === "fatal";
  if (!isError) return undefined;
  const parts = [msg, err?.message].filter((part) => typeof part === "string");
  const text = parts.join(": ").split("\n")[0] ?? "";
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

function readSize(file: string): number {
  return existsSync(file) ? statSync(file).size : 0;
}
