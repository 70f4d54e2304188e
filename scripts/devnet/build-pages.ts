// Bundles the pages of web/ with Bun's bundler into web/dist, from which the API serves them (api/web/pages.ts).
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { type BunPlugin, Glob } from "bun";
import { readJson, writeJson } from "../shared/json-file.ts";
import { createPrivateFolder, dataDir, paths, root } from "../shared/paths.ts";
import { acquireLock } from "./lock.ts";

const dist = join(root, "web", "dist");
const STAMP = "sources.json";
/** Maximum wait for another process's build, which takes a second unless it hangs. */
const OTHER_BUILD_MS = 60_000;

/** Hashes every input of the pages' build. */
function hashSources(): string {
  const hash = createHash("sha256").update(Bun.version);
  const files = [
    "web/**/*.{ts,tsx,css,html,svg}",
    "core/**/*.ts",
    "sdk/src/**/*.ts",
    "scripts/devnet/build-pages.ts",
    "bun.lock",
  ]
    .flatMap((pattern) => [...new Glob(pattern).scanSync({ cwd: root, onlyFiles: true })])
    .filter((file) => !file.startsWith("web/dist/") && !/\.test\.tsx?$/.test(file))
    .sort();
  for (const file of files) hash.update(`\0${file}\0`).update(readFileSync(join(root, file)));
  return hash.digest("hex");
}

const isFresh = (sources: string): boolean =>
  existsSync(join(dist, STAMP)) && readJson<{ sources: string }>(join(dist, STAMP))?.sources === sources;

/** Updates web/dist; does nothing if no source has changed. */
export async function ensurePagesBuilt(): Promise<void> {
  const sources = hashSources();
  if (isFresh(sources)) return;
  createPrivateFolder(dataDir);
  const lock = acquireLock(paths.pagesLock, OTHER_BUILD_MS);
  if (!lock) throw new Error("Another process has been building the pages for a minute and may be stuck.");
  try {
    if (!isFresh(sources)) await build(sources);
  } finally {
    lock.release();
  }
}

/**
 * Bun would inline fonts into the stylesheet as data URIs, which the content security policy forbids. Separate files
 * also load in parallel.
 */
const fontsApart = (folder: string): BunPlugin => ({
  name: "fonts apart",
  setup(build) {
    build.onResolve({ filter: /\.woff2$/ }, ({ path, importer }) => {
      const content = readFileSync(Bun.resolveSync(path, dirname(importer)));
      const name = basename(path).replace(".", `-${Bun.hash(content).toString(36)}.`);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, name), content);
      return { path: `/assets/${name}`, external: true };
    });
  },
});

/**
 * Builds the code that renders the payment page on the server. The API serves only assets/, so it does not serve this
 * code.
 */
async function buildServer(next: string): Promise<void> {
  const result = await Bun.build({
    entrypoints: [join(root, "web/pay/server.tsx")],
    outdir: join(next, "server"),
    target: "bun",
    // Code that the browser loads after the payer chooses a wallet stays in separate files, which the server never
    // reads.
    splitting: true,
    minify: true,
    define: { "process.env.NODE_ENV": '"production"' },
    throw: false,
  });
  if (!result.success) throw new Error(`The pages cannot be built.\n${result.logs.map(String).join("\n")}`);
}

/** Builds each page separately: shared bundles would make each page's scripts larger. */
async function buildPage(next: string, document: string): Promise<string[]> {
  const result = await Bun.build({
    entrypoints: [document],
    root: join(root, "web"),
    outdir: next,
    // File names contain a content hash, so files can be cached forever.
    naming: {
      entry: "[dir]/[name].[ext]",
      chunk: "assets/[name]-[hash].[ext]",
      asset: "assets/[name]-[hash].[ext]",
    },
    publicPath: "/",
    plugins: [fontsApart(join(next, "assets"))],
    target: "browser",
    splitting: true,
    minify: true,
    define: { "process.env.NODE_ENV": '"production"' },
    // The page replaces WalletConnect's own dialog.
    external: ["@reown/appkit/core"],
    throw: false,
  });
  if (!result.success) throw new Error(`The pages cannot be built.\n${result.logs.map(String).join("\n")}`);
  return result.outputs.map(({ path }) => path);
}

/** The largest input block, for which the payment page is smaller than with Brotli's own choice. */
const BROTLI = { params: { [constants.BROTLI_PARAM_LGBLOCK]: constants.BROTLI_MAX_INPUT_BLOCK_BITS } };

/** Builds every page, which is a folder of web/ with an index.html. */
async function build(sources: string): Promise<void> {
  const next = `${dist}.next`;
  rmSync(next, { recursive: true, force: true });
  mkdirSync(next, { recursive: true });
  for (const page of ["dashboard", "pay"]) {
    for (const file of await buildPage(next, join(root, "web", page, "index.html"))) {
      if (!/\.(js|css|svg)$/.test(file)) continue;
      const content = new Uint8Array(readFileSync(file));
      writeFileSync(`${file}.br`, brotliCompressSync(content, BROTLI));
      writeFileSync(`${file}.gz`, Bun.gzipSync(content, { level: 9 }));
    }
  }
  await buildServer(next);
  writeJson(join(next, STAMP), { sources });
  rmSync(dist, { recursive: true, force: true });
  renameSync(next, dist);
}
