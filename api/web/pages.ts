// Loads the built pages of web/ into memory once, so that they cannot change while they are served.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";

/** The output of `npm run build`. */
export const DIST = join(import.meta.dir, "../../web/dist");

const TYPES: Record<string, string> = {
  html: "text/html;charset=utf-8",
  js: "text/javascript;charset=utf-8",
  css: "text/css;charset=utf-8",
  svg: "image/svg+xml",
  woff2: "font/woff2",
};

/** The folder of files for server-side rendering, which are not served. */
const SERVER = `server${sep}`;

/** Formats that are already compressed. */
const COMPRESSED = new Set(["woff2"]);

type Bytes = Uint8Array<ArrayBuffer>;
/**
 * A file with its compressed versions. `gzip` is null if compression saves nothing, `br` if the build did not
 * create it.
 */
export type PageFile = { type: string; plain: Bytes; gzip: Bytes | null; br: Bytes | null };

/** Files by path relative to web/dist, such as `pay/index.html`. */
export type PageFiles = ReadonlyMap<string, PageFile>;

function read(path: string): PageFile | undefined {
  const extension = path.slice(path.lastIndexOf(".") + 1);
  const type = TYPES[extension];
  if (type === undefined) return undefined;
  const plain = new Uint8Array(readFileSync(path));
  const built = (coding: string): Bytes | null =>
    existsSync(`${path}.${coding}`) ? new Uint8Array(readFileSync(`${path}.${coding}`)) : null;
  const gzip = COMPRESSED.has(extension) ? null : (built("gz") ?? Bun.gzipSync(plain, { level: 9 }));
  return { type, plain, gzip, br: built("br") };
}

/** @returns no files if the pages were not built, because the API is useful without them */
export function loadPages(folder = DIST): PageFiles {
  const files = new Map<string, PageFile>();
  if (!existsSync(folder)) return files;
  for (const name of readdirSync(folder, { recursive: true }).map(String)) {
    if (name.startsWith(SERVER)) continue;
    const path = join(folder, name);
    const file = statSync(path).isFile() ? read(path) : undefined;
    if (file) files.set(relative(folder, path).replaceAll(sep, "/"), file);
  }
  return files;
}
