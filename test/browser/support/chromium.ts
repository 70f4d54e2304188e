// A real Chromium from npm. The package contains a brotli-compressed binary, which is unpacked once per version.
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { createBrotliDecompress } from "node:zlib";
import { type Browser, chromium } from "playwright-core";
import { acquireLock } from "#scripts/devnet/lock.ts";
import { createPrivateFolder, dataDir, paths } from "#scripts/shared/paths.ts";
import { until } from "#scripts/shared/wait.ts";

/** Unpacking takes two seconds. Concurrent test files wait for the first process that unpacks. */
const OTHER_UNPACKS_MS = 60_000;

/**
 * Root cannot use the sandbox, and the tests need no screen. The package's own flags are not used because they disable
 * web security, which these tests check.
 */
const ARGUMENTS = [
  ...["--no-sandbox", "--disable-gpu", "--font-render-hinting=none", "--hide-scrollbars"],
  // A page lives for seconds, too short for optimized code to be worth its compilation.
  "--js-flags=--no-opt",
];

const packageFolder = dirname(dirname(fileURLToPath(import.meta.resolve("@sparticuz/chromium"))));

async function unpack(name: string, to: string): Promise<void> {
  const partial = `${to}.partial`;
  await pipeline(
    createReadStream(join(packageFolder, "bin", name)),
    createBrotliDecompress(),
    createWriteStream(partial),
  );
  renameSync(partial, to);
}

async function unpacked(): Promise<string> {
  const { version } = JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8")) as {
    version: string;
  };
  const folder = join(paths.chromium, version);
  const program = join(folder, "chromium");
  if (existsSync(program)) return program;
  createPrivateFolder(dataDir);
  mkdirSync(folder, { recursive: true });
  // Waits without blocking the process: blocking would time out a database connection that is being opened
  // concurrently.
  const lock = await until(() => acquireLock(join(folder, "lock.sqlite")), {
    what: "The end of another process's unpacking of Chromium",
    timeoutMs: OTHER_UNPACKS_MS,
  });
  try {
    if (!existsSync(program)) {
      const file = `${program}.new`;
      await unpack("chromium.br", file);
      chmodSync(file, 0o755);
      renameSync(file, program);
    }
  } finally {
    lock.release();
  }
  return program;
}

/** Unpacks the package's own copies of libraries that a minimal system lacks (NSS). */
async function ownLibraries(folder: string): Promise<string> {
  const libraries = join(folder, "al2023", "lib");
  if (existsSync(libraries)) return libraries;
  const archive = join(folder, "al2023.tar");
  await unpack("al2023.tar.br", archive);
  const { status, stderr } = spawnSync("tar", ["-xf", archive, "-C", folder], { encoding: "utf8" });
  if (status !== 0) throw new Error(`Chromium's libraries cannot be unpacked: ${stderr}`);
  return libraries;
}

/** Starts a browser that exits with this process. */
export async function startBrowser(more: readonly string[] = []): Promise<Browser> {
  const executablePath = await unpacked();
  const launch = (env: Record<string, string> = {}) =>
    chromium.launch({ executablePath, args: [...ARGUMENTS, ...more], env: { ...process.env, ...env } });
  try {
    return await launch();
  } catch (error) {
    if (!String(error).includes("error while loading shared libraries")) throw error;
    return launch({ LD_LIBRARY_PATH: await ownLibraries(dirname(executablePath)) });
  }
}
