// Checks before a deployment that its output files are writable, because they are written after it.
import { accessSync, constants, statSync } from "node:fs";
import { dirname } from "node:path";
import { UserError } from "../../shared/errors.ts";

/**
 * @param option the command-line option that specifies the file
 * @throws UserError if the file cannot be written or replaced
 */
export function requireWritable(option: string, file: string): void {
  const folder = dirname(file);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new UserError(`${option} is ${file}, but the folder ${folder} does not exist.`);
  }
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) {
    throw new UserError(`${option} is ${file}, which is a folder: specify a file in it.`);
  }
  try {
    // The file is replaced with a new one, so the folder must be writable.
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new UserError(`${option} is ${file}, but the folder ${folder} is not writable.`, { cause });
  }
}
