// Rejects destructive migrations that do not give a reason.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseCommand } from "../shared/command-line.ts";
import { root } from "../shared/paths.ts";
import { findDestructive } from "./migrations/find-destructive.ts";

const HELP = `Checks core/db/migrations: a statement that drops a table or column, changes a column's type, makes one not null
without a default, truncates or deletes requires a preceding comment "-- destructive: reason".

  bun scripts/testing/check-migrations.ts

Exits with 1 if such a comment is missing.`;

parseCommand(HELP, {});

const FOLDER = "core/db/migrations";
const findings = readdirSync(join(root, FOLDER))
  .filter((name) => name.endsWith(".sql"))
  .flatMap((name) =>
    findDestructive(readFileSync(join(root, FOLDER, name), "utf8")).map(
      ({ line, says }) => `${FOLDER}/${name}:${line}: ${says}`,
    ),
  );
for (const finding of findings) console.error(finding);
process.exitCode = findings.length > 0 ? 1 : 0;
