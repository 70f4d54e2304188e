import { afterAll, beforeAll, describe, it } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { ConfigError } from "./config-error.ts";
import { withSecretFiles } from "./secret-files.ts";

const SECRET = "a-secret-that-is-never-printed";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "secrets-"));
  writeFileSync(join(folder, "key"), `${SECRET}\n`);
  writeFileSync(join(folder, "empty"), "\n");
});
afterAll(() => rmSync(folder, { recursive: true }));

const file = (name: string) => join(folder, name);

describe("a secret in a file", () => {
  it("is the variable's value without the line end, also for the live network", () => {
    const environment = {
      PORT: "3000",
      OPERATOR_KEY_FILE: file("key"),
      LIVE_DATABASE_URL_FILE: file("key"),
      RPC_WS_URL_FILE: "",
    };
    const filled = withSecretFiles(environment);
    expect(filled).to.include({ PORT: "3000", OPERATOR_KEY: SECRET, LIVE_DATABASE_URL: SECRET });
    expect(withSecretFiles(filled)).to.deep.equal(filled);
  });

  it.each([
    [{ OPERATOR_KEY_FILE: "key", OPERATOR_KEY: SECRET }, "not both"],
    [{ OPERATOR_KEY_FILE: "nothing" }, "OPERATOR_KEY_FILE cannot be read (ENOENT)"],
    [{ OPERATOR_KEY_FILE: "." }, "OPERATOR_KEY_FILE cannot be read (EISDIR)"],
    [{ OPERATOR_KEY_FILE: "empty" }, "The file in OPERATOR_KEY_FILE is empty"],
  ])("is rejected as %p, without revealing its content", (given, because) => {
    const refuse = () => withSecretFiles({ ...given, OPERATOR_KEY_FILE: file(given.OPERATOR_KEY_FILE) });
    expect(refuse).to.throw(ConfigError, because).with.property("message").not.includes(SECRET);
  });
});
