// Builds the SDK's package: sdk/dist with ESM, CommonJS and types, and a tarball for `npm install`.
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../shared/paths.ts";

const sdk = join(root, "sdk");

/** @returns the tarball's path */
export async function packSdk(folder: string): Promise<string> {
  const staged = join(folder, "package");
  rmSync(staged, { recursive: true, force: true });
  const dist = join(staged, "dist");
  mkdirSync(dist, { recursive: true });
  await Promise.all([bundle(dist, "esm", "index.js"), bundle(dist, "cjs", "index.cjs")]);
  writeTypes(dist);
  for (const file of ["package.json", "README.md"]) copyFileSync(join(sdk, file), join(staged, file));
  copyFileSync(join(root, "LICENSE"), join(staged, "LICENSE"));
  return pack(staged, folder);
}

/** Bundles the SDK for every runtime, so it may only use APIs that browsers also have. */
async function bundle(outdir: string, format: "esm" | "cjs", naming: string): Promise<void> {
  const result = await Bun.build({
    entrypoints: [join(sdk, "src/index.ts")],
    outdir,
    naming,
    format,
    target: "browser",
    minify: { whitespace: true, syntax: true, identifiers: false },
    throw: false,
  });
  if (!result.success) throw new Error(`Building the SDK failed.\n${result.logs.map(String).join("\n")}`);
}

/** Emits each declaration twice, because a CommonJS module needs its own types. */
function writeTypes(dist: string): void {
  const compiler = join(root, "node_modules/.bin/tsc");
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [compiler, "--project", join(sdk, "tsconfig.json"), "--outDir", dist],
    { cwd: root, encoding: "utf8" },
  );
  if (status !== 0) throw new Error(`Generating the SDK's types failed.\n${stdout}${stderr}`);
  for (const name of readdirSync(dist, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".d.ts")) continue;
    const file = join(dist, name);
    const text = readFileSync(file, "utf8");
    const importing = (extension: string) =>
      text.replaceAll(/((?:from|import\() ?"\.{1,2}\/[^"]+)\.ts"/g, `$1.${extension}"`);
    writeFileSync(file, importing("js"));
    writeFileSync(file.replace(/\.d\.ts$/, ".d.cts"), importing("cjs"));
  }
}

function pack(staged: string, folder: string): string {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["pm", "pack", "--destination", folder, "--quiet"],
    { cwd: staged, encoding: "utf8" },
  );
  if (status !== 0) throw new Error(`Packing the SDK failed.\n${stderr}`);
  const tarball = stdout.trim().split("\n").at(-1) ?? "";
  return tarball.startsWith("/") ? tarball : join(folder, tarball);
}
