// `npm run audit`: checks the audit log's hash chain.
import { verifyChain } from "#core/audit/chain.ts";
import { connect } from "#core/db/client.ts";
import { fail, parseCommand, refuse } from "./local/command-line.ts";
import { gatewayDatabaseUrl } from "./local/gateway-command.ts";
import { printLine } from "./local/screen.ts";

const HELP = `Checks the audit log's hash chain. Ends with 1 when something is not as it was sealed.

  npm run audit -- verify [HEAD]

HEAD is a head that an earlier run printed and that was kept elsewhere: it must still be part of the chain.
The database is that of the running gateway (.data/local.json), or the one in DATABASE_URL.`;

const { positionals } = parseCommand(HELP, {});
const [, head] = positionals;
if (head !== undefined && !/^[0-9a-f]{64}$/.test(head)) refuse("HEAD has 64 hexadecimal digits.");

async function verify(head: string | undefined): Promise<number> {
  const database = connect(gatewayDatabaseUrl(), { application: "audit", max: 1 });
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

verify(head).then((code) => process.exit(code), fail);
