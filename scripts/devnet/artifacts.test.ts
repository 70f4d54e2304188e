import { expect, it } from "bun:test";
import { UserError } from "../shared/errors.ts";
import { readArtifact } from "./artifacts.ts";

it("explains how to compile if there is no artifact", () => {
  expect(() => readArtifact("contracts/Nothing.sol/Nothing.json")).toThrow(UserError);
  expect(() => readArtifact("contracts/Nothing.sol/Nothing.json")).toThrow("npm run compile");
});
