// A lock enforced by the kernel. It cannot become stale, because it ends with its process.
import { Database } from "bun:sqlite";
import { errorCode } from "../shared/errors.ts";

export interface Lock {
  release(): void;
}

/** Keeps references until release, because garbage collection would close the database and release its lock. */
const held = new Set<Database>();

/**
 * Acquires the lock that this file represents. It uses SQLite's file lock, which the kernel drops whenever the holder
 * exits, so there is nothing to clean up after a kill -9.
 * @param waitMs how long to wait for another holder
 * @returns null if another process (or another caller in this one) holds it
 */
export function acquireLock(file: string, waitMs = 0): Lock | null {
  const database = new Database(file, { create: true });
  try {
    database.run(`PRAGMA busy_timeout = ${waitMs}`);
    database.run("BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if (errorCode(error)?.startsWith("SQLITE_BUSY")) return null;
    throw error;
  }
  held.add(database);
  return {
    release() {
      held.delete(database);
      database.run("ROLLBACK");
      database.close();
    },
  };
}
