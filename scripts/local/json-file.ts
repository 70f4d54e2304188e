// Small JSON files under .data: for this user's eyes alone, and never half written.
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { UserError } from "./errors.ts";

/** Its content; undefined if there is no such file. */
export function readJson<T>(file: string): T | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(readFileSync(file, "utf8")) as T;
  } catch (error) {
    throw new UserError(`${file} is damaged (${error}). Repair it, or forget everything with: npm run reset`);
  }
}

/** Replaces the file at once: a reader sees the old content or the new one. */
export function writeJson(file: string, content: unknown): void {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, file);
}
