// A folder in memory for the Postgres of a test run: copying a database of a thousand files takes a tenth of the time
// there.
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
/** A run of all tests takes less than one; the rest is for its processes. */
const NEEDED = 6 * 2 ** 30;

/** @returns undefined if this machine has too little memory, or `TEST_ON_DISK` is set */
export function createMemoryFolder(): string | undefined {
  if (process.env.TEST_ON_DISK || !isWritable(MEMORY)) return undefined;
  const { bavail, bsize } = statfsSync(MEMORY);
  if (Math.min(bavail * bsize, readAvailableMemory(), readAllowedMemory()) < NEEDED) return undefined;
  return mkdtempSync(join(MEMORY, PREFIX));
}

export const isInMemory = (folder: string): boolean => folder.startsWith(join(MEMORY, PREFIX));

/** This user's, of any checkout. */
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

/** In bytes; unlike `os.freemem`, includes what the system can take from its caches. */
function readAvailableMemory(): number {
  const [, kilobytes] = /^MemAvailable:\s+(\d+) kB$/m.exec(readFileSync("/proc/meminfo", "utf8")) ?? [];
  return Number(kilobytes ?? 0) * 1_024;
}

/** What is left of a container's limit, in bytes. */
function readAllowedMemory(): number {
  const [limit, used] = ["memory.max", "memory.current"].map((name) => {
    const file = `/sys/fs/cgroup/${name}`;
    return existsSync(file) ? readFileSync(file, "utf8").trim() : "max";
  });
  return limit === "max" ? Infinity : Number(limit) - Number(used);
}
