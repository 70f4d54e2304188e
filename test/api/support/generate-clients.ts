// Generates clients from the document as an integrator does: bun generate-clients.ts FOLDER. @hey-api/openapi-ts
// generates a client in FOLDER/hey-api, and openapi-typescript generates the types in FOLDER/schema.ts. This is a
// separate process because the generators need the compiler API that TypeScript 7 no longer provides.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ts } from "@ts-morph/common";
import { plugin } from "bun";

plugin({
  name: "TypeScript's former compiler API, for the generators",
  setup(build) {
    build.module("typescript", () => ({ exports: { default: ts, ...ts }, loader: "object" }));
  },
});

const { createClient } = await import("@hey-api/openapi-ts");
const { default: generateTypes, astToString } = await import("openapi-typescript");

const [, , folder = ""] = process.argv;
const input = join(import.meta.dirname, "../../../docs/openapi.json");

await createClient({
  input,
  output: { path: join(folder, "hey-api") },
  plugins: ["@hey-api/client-fetch", "@hey-api/typescript", "@hey-api/sdk"],
  logs: { level: "warn", file: false },
});
writeFileSync(join(folder, "schema.ts"), astToString(await generateTypes(readFileSync(input))));
