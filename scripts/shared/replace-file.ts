// Atomic file writes.
import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from "node:fs";

/**
 * Replaces the file atomically. Readers see either the old or the new content, even after an interruption or a power
 * loss.
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
