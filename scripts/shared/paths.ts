// Paths of the local gateway, which writes all its files under .data in the checkout.
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";

/** The root folder of the checkout. */
export const root = resolve(import.meta.dir, "../..");

/**
 * The folder for all files that `npm start` writes, except those that Postgres must store elsewhere (postgres-home.ts).
 */
export const dataDir = join(root, ".data");

export const paths = {
  logs: join(dataDir, "logs"),
  lock: join(dataDir, "lock.sqlite"),
  compileLock: join(dataDir, "compile.sqlite"),
  pagesLock: join(dataDir, "pages.sqlite"),
  processes: join(dataDir, "processes.json"),
  ports: join(dataDir, "ports.json"),
  secrets: join(dataDir, "secrets.json"),
  local: join(dataDir, "local.json"),
  postgres: join(dataDir, "postgres"),
  test: join(dataDir, "test"),
  chromium: join(dataDir, "chromium"),
  screenshots: join(dataDir, "screenshots"),
} as const;

/** Creates a folder that only the current user can enter, and returns its path. */
export function createPrivateFolder(path: string): string {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  return path;
}
