// Types of the config and the schema for the handlers. The file that Ponder generates (ponder-env.d.ts) expects
// the config next to it. This project's config is at the root, so that file is ignored.
/// <reference types="ponder/virtual" />

declare module "ponder:internal" {
  const config: typeof import("../ponder.config.ts");
  const schema: typeof import("./ponder.schema.ts");
}

declare module "ponder:schema" {
  export * from "./ponder.schema.ts";
}
