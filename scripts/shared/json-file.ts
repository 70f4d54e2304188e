// Reads and writes small JSON files under .data. Only the current user can read them, and writes are atomic.
import { existsSync, readFileSync } from "node:fs";
import { UserError } from "./errors.ts";
import { replaceFile } from "./replace-file.ts";

/** Returns the file's content, or undefined if the file does not exist. */
export function readJson<T>(file: string): T | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(readFileSync(file, "utf8")) as T;
  } catch (error) {
    throw new UserError(`${file} is corrupt (${error}). Repair it, or delete all data with: npm run reset`);
  }
}

export function writeJson(file: string, content: unknown): void {
  replaceFile(file, `${JSON.stringify(content, null, 2)}\n`, 0o600);
}
