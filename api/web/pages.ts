// The built pages of web/, read into memory once: what is served cannot change under a visitor's feet.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";

/** Where `npm run build` puts them. */
export const DIST = join(import.meta.dir, "../../web/dist");

const TYPES: Record<string, string> = {
  html: "text/html;charset=utf-8",
  js: "text/javascript;charset=utf-8",
  css: "text/css;charset=utf-8",
  svg: "image/svg+xml",
  woff2: "font/woff2",
};

/** What renders on the server is not served. */
const SERVER = `server${sep}`;

/** Already as small as they get. */
const COMPRESSED = new Set(["woff2"]);

type Bytes = Uint8Array<ArrayBuffer>;
/** Null where a coding would save nothing, or, for brotli, where the build has made none. */
export type PageFile = { type: string; plain: Bytes; gzip: Bytes | null; br: Bytes | null };

/** By path below web/dist, such as `pay/index.html`. */
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

/** @returns no files if the pages were not built: an API alone is of use as well */
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
