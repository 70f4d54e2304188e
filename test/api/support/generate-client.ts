// Generates a client with @hey-api/openapi-ts, as an integrator does: bun generate-client.ts FOLDER. A process of its own,
// because the generator needs the compiler API that TypeScript 7 no longer has.
import { join } from "node:path";
import { ts } from "@ts-morph/common";
import { plugin } from "bun";

plugin({
  name: "TypeScript's former compiler API, for @hey-api/openapi-ts",
  setup(build) {
    build.module("typescript", () => ({ exports: { default: ts, ...ts }, loader: "object" }));
  },
});

const { createClient } = await import("@hey-api/openapi-ts");
await createClient({
  input: join(import.meta.dirname, "../../../docs/openapi.json"),
  output: { path: process.argv[2] ?? "" },
  plugins: ["@hey-api/client-fetch", "@hey-api/typescript", "@hey-api/sdk"],
  logs: { level: "warn", file: false },
});
