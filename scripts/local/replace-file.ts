// Writing a file so that it is never half written.
import { renameSync, writeFileSync } from "node:fs";

/** Replaces the file at once: a reader, or a run after an interruption, finds the old content or the new one. */
export function replaceFile(file: string, content: string, mode?: number): void {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, content, { mode });
  renameSync(draft, file);
}
