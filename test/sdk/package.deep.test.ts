// The SDK as users install it: from its tarball into empty projects with npm, in ESM, CommonJS and TypeScript.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { expect } from "chai";
import { publint } from "publint";
import { packSdk } from "#scripts/cli/sdk/build.ts";
import { root } from "#scripts/shared/paths.ts";

const NAME = "@delivery-versus-payment/sdk";
const LARGEST_BYTES = 15 * 1024;

let folder: string;
let tarball: string;
/** Responds like the gateway, but only to a GET of the balance. */
const server = Bun.serve({
  port: 0,
  fetch: ({ headers, url }) =>
    Response.json(
      url.endsWith("/v1/balance")
        ? { object: "balance", key: headers.get("authorization") }
        : { error: { code: "resource_missing", message: "There is none.", type: "invalid_request_error" } },
      { status: url.endsWith("/v1/balance") ? 200 : 404 },
    ),
});

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "sdk-"));
  tarball = await packSdk(folder);
});
afterAll(async () => {
  await server.stop(true);
  rmSync(folder, { recursive: true, force: true });
});

async function run(cwd: string, command: string[]): Promise<string> {
  const child = Bun.spawn(command, { cwd, stdout: "pipe", stderr: "pipe" });
  const [output, errors, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  expect(exitCode, `${command.join(" ")}\n${output}${errors}`).to.equal(0);
  return output;
}

/** Creates a project that contains only these files, and installs the tarball. */
async function project(name: string, files: Record<string, string>): Promise<string> {
  const path = join(folder, name);
  mkdirSync(path);
  for (const [file, text] of Object.entries(files)) writeFileSync(join(path, file), text);
  await run(path, ["npm", "install", "--offline", "--no-audit", "--no-fund", tarball]);
  return path;
}

const USE = `
const gateway = new Gateway({ apiKey: "sk_test_1", baseUrl: process.argv[2] });
const main = async () => {
  const { key } = await gateway.balance.retrieve();
  const missing = await gateway.account.retrieve().catch((error) => error);
  if (!(missing instanceof ResourceMissingError)) throw missing;
  console.log(key, typeof signIntent, typeof gateway.webhooks.verify);
};
main();
`;
const USED = "Bearer sk_test_1 function function\n";
const baseUrl = () => `${server.url}v1`;

const TYPED = (imports: string) => `${imports}
const gateway = new Gateway({ apiKey: "sk_test_1" });
export async function amounts(): Promise<string[]> {
  const found: string[] = [];
  for await (const { data } of gateway.paymentIntents.list({ status: "SUCCEEDED" })) found.push(data.amount);
  return found;
}
// @ts-expect-error: there is no such status.
gateway.paymentIntents.list({ status: "PAID" });
// @ts-expect-error: a body is required.
gateway.paymentIntents.create();
export type Intent = Schemas["PaymentIntent"];
export type Retrieved = Answer<"retrievePaymentIntent">;
`;

describe("the package", () => {
  it("runs in an ESM project, on Node.js and Bun", async () => {
    const imports = `import { Gateway, ResourceMissingError, signIntent } from "${NAME}";`;
    const path = await project("esm", {
      "package.json": '{ "type": "module" }',
      "main.js": `${imports}${USE}`,
    });
    expect(await run(path, ["node", "main.js", baseUrl()])).to.equal(USED);
    expect(await run(path, [process.execPath, "main.js", baseUrl()])).to.equal(USED);
  });

  it("runs in a CommonJS project", async () => {
    const required = `const { Gateway, ResourceMissingError, signIntent } = require("${NAME}");`;
    const path = await project("cjs", { "package.json": "{}", "main.js": `${required}${USE}` });
    expect(await run(path, ["node", "main.js", baseUrl()])).to.equal(USED);
  });

  it("has types in a strict TypeScript project, with every module resolution and with library checks", async () => {
    const imports = `import { type Answer, Gateway, type Schemas } from "${NAME}";`;
    const path = await project("typed", {
      "package.json": '{ "type": "module" }',
      "main.mts": TYPED(imports),
      "main.cts": TYPED(imports),
    });
    const compiler = join(root, "node_modules/.bin/tsc");
    const strict = ["--noEmit", "--strict", "--skipLibCheck", "false", "--target", "es2022", "--types", ""];
    await run(path, [process.execPath, compiler, ...strict, "--module", "nodenext", "main.mts", "main.cts"]);
    await run(path, [
      process.execPath,
      compiler,
      ...strict,
      ...["--module", "esnext", "--moduleResolution", "bundler", "main.mts"],
    ]);
  });

  it("passes publint and Are The Types Wrong", async () => {
    const data = await Bun.file(tarball).arrayBuffer();
    const { messages } = await publint({ pack: { tarball: data }, strict: true });
    expect(messages).to.deep.equal([]);
    const result = await checkPackage(createPackageFromTarballData(new Uint8Array(data)));
    expect(result.types).to.be.an("object");
    expect("problems" in result ? result.problems : undefined).to.deep.equal([]);
  });

  it("has no dependencies, and is small", () => {
    const manifest = JSON.parse(readFileSync(join(folder, "package/package.json"), "utf8"));
    expect(manifest).to.not.have.any.keys("dependencies", "peerDependencies", "optionalDependencies");
    for (const file of ["index.js", "index.cjs"]) {
      const { length } = gzipSync(readFileSync(join(folder, "package/dist", file)));
      expect(length, file).to.be.below(LARGEST_BYTES);
    }
  });
});
