// Atomic file writes.
import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from "node:fs";

/**
 * Replaces the file atomically: a reader, or a run after an interruption or power loss, finds the old content or the
 * new one.
 */
export function replaceFile(file: string, content: string, mode?: number): void {
  const draft = `${file}.${process.pid}`;
  const opened = openSync(draft, "w", mode);
  try {
    writeFileSync(opened, content);
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
  renameSync(draft, file);
}
