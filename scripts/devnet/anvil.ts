// anvil, from its npm package: a node that starts in a tenth of the time of Hardhat's and costs next to nothing when
// nothing happens.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { root } from "../shared/paths.ts";

const machine = `${process.platform}-${process.arch === "x64" ? "amd64" : process.arch}`;

/** Its program. */
export const program = join(root, `node_modules/@foundry-rs/anvil-${machine}/bin/anvil`);

/** The package has a program for the usual machines alone. */
export const hasAnvil = (): boolean => existsSync(program);
