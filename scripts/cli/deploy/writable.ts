// Checks before a deployment that its output files can be written, because they are needed afterwards.
import { accessSync, constants, statSync } from "node:fs";
import { dirname } from "node:path";
import { UserError } from "../../shared/errors.ts";

/**
 * @param option that named the file
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
    // It is replaced with a new file.
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new UserError(`${option} is ${file}, but the folder ${folder} is not writable.`, { cause });
  }
}
