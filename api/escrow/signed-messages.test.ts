import { expect, it } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as types from "./signed-messages.ts";

const solidity = readFileSync(join(import.meta.dirname, "../../contracts/parts/OrderTerms.sol"), "utf8");

it.each(Object.entries(types))("%s matches the type that the contract verifies", (name, type) => {
  expect(solidity).toMatch(new RegExp(`${name}_TYPEHASH = keccak256\\(\\s*"${RegExp.escape(type)}"\\s*\\)`));
});
