// anvil, from its npm package: a node that starts ten times as fast as Hardhat's and needs almost no CPU when idle.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { root } from "../shared/paths.ts";

const machine = `${process.platform}-${process.arch === "x64" ? "amd64" : process.arch}`;

/** Path of the binary. */
export const program = join(root, `node_modules/@foundry-rs/anvil-${machine}/bin/anvil`);

/** The package has binaries only for common platforms. */
export const hasAnvil = (): boolean => existsSync(program);
