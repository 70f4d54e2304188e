// Where a Postgres keeps its data and as whom it runs: Postgres refuses to run as root.
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
import { findPostgresBinaries } from "./postgres-binaries.ts";

/** Root's Postgres lives here: a folder in the checkout may lie where only root may enter. */
const SYSTEM_FOLDER = "/var/lib/delivery-versus-payment";

export interface PostgresHome {
  folder: string;
  /** Postgres's own folder (PGDATA); owned by the user it runs as. */
  data: string;
  /** The password of its one role, for this user's eyes alone. */
  password: string;
  /** The binaries, in a place that the user it runs as can reach. */
  bin: string;
  /** Who it runs as; undefined for the user who runs this. */
  runAs: { uid: number; gid: number } | undefined;
}

/** The folder in which the Postgres of this name (a path in the checkout) lives. */
export function postgresFolder(wanted: string): string {
  if (!isRoot()) return wanted;
  return join(SYSTEM_FOLDER, createHash("sha256").update(wanted).digest("hex").slice(0, 16));
}

/** Makes the home of a Postgres ready: folder, password, binaries, user. */
export function preparePostgresHome(wanted: string): PostgresHome {
  const folder = postgresFolder(wanted);
  const runAs = isRoot() ? unprivilegedUser() : undefined;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (runAs) {
    // To be passed through, not read: the data folder inside is Postgres's own, the password root's.
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
    "Postgres refuses to run as root, and this machine has neither a user postgres nor a user nobody to run it as.\n" +
      "Run this as an ordinary user.",
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

/** One copy for all checkouts; complete as soon as it has its name. */
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
    // Another checkout was faster: its copy is as good.
    if (!existsSync(copy)) throw error;
    rmSync(draft, { recursive: true, force: true });
  }
  return copy;
}

/** Readable (and what was executable, executable) for everyone, with any umask. */
function openToAll(folder: string): void {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) openToAll(path);
    else if (entry.isFile()) chmodSync(path, statSync(path).mode & 0o100 ? 0o755 : 0o644);
  }
}

/** Writes a secret where the user that Postgres runs as can read it, and removes it again. */
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
