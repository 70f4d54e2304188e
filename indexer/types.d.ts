// The types of config and schema for the handlers. Ponder generates a file (ponder-env.d.ts) that expects the config
// next to it; ours is at the root, so that file is ignored.
/// <reference types="ponder/virtual" />

declare module "ponder:internal" {
  const config: typeof import("../ponder.config.ts");
  const schema: typeof import("./ponder.schema.ts");
}

declare module "ponder:schema" {
  export * from "./ponder.schema.ts";
}
