// Prepares the folder in which a Postgres stores its data, and the user that it runs as: Postgres refuses to run as
// root.
import { createHash, randomBytes } from "node:crypto";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { UserError } from "../shared/errors.ts";
import { isInMemory } from "./memory-folder.ts";
import { findPostgresBinaries } from "./postgres-binaries.ts";

/** The location of root's Postgres, because a checkout may be in a folder that only root can enter. */
const SYSTEM_FOLDER = "/var/lib/delivery-versus-payment";

export interface PostgresHome {
  folder: string;
  /** Postgres's data folder (PGDATA), owned by the user that it runs as. */
  data: string;
  /** The password of its single role, readable only by this user. */
  password: string;
  /** The binaries, in a folder that Postgres's user can access. */
  bin: string;
  /** The user that it runs as; undefined for the current user. */
  runAs: { uid: number; gid: number } | undefined;
}

/** Returns the home folder of the Postgres with this name, which is a path in the checkout or a folder in memory. */
export function postgresFolder(wanted: string): string {
  if (!isRoot() || isInMemory(wanted)) return wanted;
  return join(SYSTEM_FOLDER, createHash("sha256").update(wanted).digest("hex").slice(0, 16));
}

/** Prepares the home of a Postgres: its folder, password, binaries and user. */
export function preparePostgresHome(wanted: string): PostgresHome {
  const folder = postgresFolder(wanted);
  const runAs = isRoot() ? unprivilegedUser() : undefined;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (runAs) {
    mkdirSync(SYSTEM_FOLDER, { recursive: true });
    // Allows traversal but not listing: the data folder inside belongs to Postgres, the password to root.
    chmodSync(SYSTEM_FOLDER, 0o711);
    chmodSync(folder, 0o711);
    writeFileSync(join(folder, "belongs-to"), `${wanted}\n`, { mode: 0o600 });
  }
  return {
    folder,
    data: join(folder, "data"),
    password: passwordIn(folder),
    bin: join(runAs ? copiedBinaries() : findPostgresBinaries().folder, "bin"),
    runAs,
  };
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

function unprivilegedUser(): { uid: number; gid: number } {
  for (const name of ["postgres", "nobody"]) {
    const [uid, gid] = [loadId("-u", name), loadId("-g", name)];
    if (uid && gid) return { uid, gid };
  }
  throw new UserError(
    'Postgres refuses to run as root, and this machine has neither a user "postgres" nor a user "nobody" to run it as.\n' +
      "Run this as a non-root user.",
  );
}

function loadId(option: "-u" | "-g", name: string): number | null {
  const result = Bun.spawnSync(["id", option, name]);
  return result.exitCode === 0 ? Number(result.stdout.toString().trim()) : null;
}

function passwordIn(folder: string): string {
  const file = join(folder, "password");
  if (!existsSync(file)) writeFileSync(file, randomBytes(24).toString("hex"), { mode: 0o600 });
  return readFileSync(file, "utf8");
}

/** Copies the binaries once for all checkouts. The copy gets its final name once it is complete. */
function copiedBinaries(): string {
  const { folder, version } = findPostgresBinaries();
  const copy = join(SYSTEM_FOLDER, `postgres-${version}`);
  if (existsSync(copy)) return copy;
  const draft = `${copy}.${process.pid}`;
  rmSync(draft, { recursive: true, force: true });
  cpSync(folder, draft, { recursive: true, verbatimSymlinks: true });
  openToAll(draft);
  try {
    renameSync(draft, copy);
  } catch (error) {
    // Another checkout has created the copy in the meantime; it is equivalent.
    if (!existsSync(copy)) throw error;
    rmSync(draft, { recursive: true, force: true });
  }
  return copy;
}

/** Makes every file readable (and executables executable) for every user, regardless of the umask. */
function openToAll(folder: string): void {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) openToAll(path);
    else if (entry.isFile()) chmodSync(path, statSync(path).mode & 0o100 ? 0o755 : 0o644);
  }
}

/** Writes the password to a file that Postgres's user can read, and removes the file afterwards. */
export async function withSecretFile<T>(home: PostgresHome, use: (file: string) => Promise<T>): Promise<T> {
  const file = join(home.folder, `secret-${randomBytes(8).toString("hex")}`);
  writeFileSync(file, home.password, { mode: 0o600 });
  try {
    if (home.runAs) chownSync(file, home.runAs.uid, home.runAs.gid);
    return await use(file);
  } finally {
    rmSync(file);
  }
}
