import { describe, it } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { temporaryFolder } from "#test/support/temporary-folder.ts";
import { UserError } from "../../shared/errors.ts";
import { readSettings } from "./settings.ts";
import { requireWritable } from "./writable.ts";

const folder = temporaryFolder("writable");

describe("an output file of a deployment", () => {
  it("may or may not exist, in an existing folder", () => {
    const file = join(folder, "gateway.env");
    requireWritable("--env", file);
    writeFileSync(file, "");
    requireWritable("--env", file);
    expect(() => requireWritable("--env", join(folder, "nowhere", "gateway.env"))).to.throw(
      UserError,
      `--env is ${folder}/nowhere/gateway.env, but the folder ${folder}/nowhere does not exist.`,
    );
    expect(() => requireWritable("--env", join(file, "gateway.env"))).to.throw(UserError, "does not exist");
  });

  it("must not be a folder", () => {
    expect(() => requireWritable("--record", folder)).to.throw(UserError, "which is a folder");
  });
});

describe("a network's settings", () => {
  it("must not be a folder, with any name", () => {
    const settings = join(folder, "network.json");
    mkdirSync(settings);
    expect(() => readSettings(settings, {})).to.throw(UserError, "Unknown network");
  });
});
