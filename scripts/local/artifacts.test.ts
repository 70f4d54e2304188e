import { expect, it } from "bun:test";
import { readArtifact } from "./artifacts.ts";
import { UserError } from "./errors.ts";

it("says how to compile where there is no artifact", () => {
  expect(() => readArtifact("contracts/Nothing.sol/Nothing.json")).toThrow(UserError);
  expect(() => readArtifact("contracts/Nothing.sol/Nothing.json")).toThrow("npm run compile");
});
