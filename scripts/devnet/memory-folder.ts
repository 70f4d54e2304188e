// Creates a folder in memory for the Postgres of a test run, where copying a database of a thousand files takes a tenth
// of the time.
import {
  accessSync,
  constants,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statfsSync,
  statSync,
} from "node:fs";
import { join } from "node:path";

/** A file system in memory, on Linux. */
const MEMORY = "/dev/shm";
const PREFIX = "delivery-versus-payment-";
/** Required memory in bytes. A run of all tests uses less than 1 GiB; the rest is for its processes. */
const NEEDED = 6 * 2 ** 30;

/** @returns undefined if this machine has too little memory, or `TEST_ON_DISK` is set */
export function createMemoryFolder(): string | undefined {
  if (process.env.TEST_ON_DISK || !isWritable(MEMORY)) return undefined;
  const { bavail, bsize } = statfsSync(MEMORY);
  if (Math.min(bavail * bsize, readAvailableMemory(), readAllowedMemory()) < NEEDED) return undefined;
  return mkdtempSync(join(MEMORY, PREFIX));
}

export const isInMemory = (folder: string): boolean => folder.startsWith(join(MEMORY, PREFIX));

/** Lists this user's folders, of any checkout. */
export function listMemoryFolders(): string[] {
  if (!existsSync(MEMORY)) return [];
  return readdirSync(MEMORY)
    .filter((name) => name.startsWith(PREFIX))
    .map((name) => join(MEMORY, name))
    .filter((folder) => statSync(folder, { throwIfNoEntry: false })?.uid === process.getuid?.());
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Available memory in bytes. Unlike `os.freemem`, includes memory that the system can reclaim from its caches. */
function readAvailableMemory(): number {
  const [, kilobytes] = /^MemAvailable:\s+(\d+) kB$/m.exec(readFileSync("/proc/meminfo", "utf8")) ?? [];
  return Number(kilobytes ?? 0) * 1_024;
}

/** Unused part of the container's memory limit, in bytes. */
function readAllowedMemory(): number {
  const [limit, used] = ["memory.max", "memory.current"].map((name) => {
    const file = `/sys/fs/cgroup/${name}`;
    return existsSync(file) ? readFileSync(file, "utf8").trim() : "max";
  });
  return limit === "max" ? Infinity : Number(limit) - Number(used);
}
