// The types of config and schema for the handlers. Ponder writes a file of its own (ponder-env.d.ts) that expects
// the config beside it; ours stands at the root, so that file is ignored.
/// <reference types="ponder/virtual" />

declare module "ponder:internal" {
  const config: typeof import("../ponder.config.ts");
  const schema: typeof import("./ponder.schema.ts");
}

declare module "ponder:schema" {
  export * from "./ponder.schema.ts";
}
