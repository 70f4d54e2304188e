// `npm run audit verify [HEAD]`: checks the audit log's hash chain. Ends with 1 when something is not as it was sealed.
// HEAD is a head that an earlier run printed and that was kept elsewhere: it must still be part of the chain.
import { verifyChain } from "#core/audit/chain.ts";
import { connect } from "#core/db/client.ts";
import { describe } from "./local/errors.ts";
import { gatewayDatabaseUrl } from "./local/gateway-command.ts";
import { printLine } from "./local/screen.ts";

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
