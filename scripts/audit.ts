// `npm run audit verify [HEAD]`: checks the audit log's hash chain. Ends with 1 when something is not as it was sealed.
// HEAD is a head that an earlier run printed and that was kept elsewhere: it must still be part of the chain.
import { verifyChain } from "#core/audit/chain.ts";
import { connect } from "#core/db/client.ts";
import { describe } from "./local/errors.ts";
import { readJson } from "./local/json-file.ts";
import type { LocalFile } from "./local/local-file.ts";
import { paths } from "./local/paths.ts";
import { printLine } from "./local/screen.ts";

/** DATABASE_URL, or the local gateway's while it runs. */
function databaseUrl(): string {
  const url = process.env.DATABASE_URL ?? readJson<LocalFile>(paths.local)?.databaseUrl;
  if (!url) throw new Error("Which database? Set DATABASE_URL, or start the gateway with npm start.");
  return url;
}

async function verify(head: string | undefined): Promise<number> {
  const database = connect(databaseUrl(), { application: "audit", max: 1 });
  try {
    const { seals, rows, problem, unsealed, head: last } = await verifyChain(database, head);
    printLine(`  ${rows} rows in ${seals} seals are as they were sealed.`);
    if (problem) printLine(`  BROKEN: ${problem}`);
    const since = unsealed.since ? `, the oldest of ${unsealed.since.toISOString()}` : "";
    if (!problem) printLine(`  ${unsealed.rows} rows are not sealed yet${since}.`);
    printLine(`  Head: ${last}`);
    return problem ? 1 : 0;
  } finally {
    await database.$client.end();
  }
}

const [command, head] = process.argv.slice(2);
if (command !== "verify") {
  console.error("Usage: npm run audit verify [HEAD]");
  process.exit(2);
}
verify(head).then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(describe(error));
    process.exit(1);
  },
);
