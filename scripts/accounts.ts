// `npm run accounts`: the accounts with off-ramp providers, and what operators decide about them.
import type { Database } from "#core/db/client.ts";
import type { OffRampAccountState } from "#core/db/schema/off-ramp.ts";
import { fail, parseCommand, refuse } from "./local/command-line.ts";
import { type Commands, gatewayDatabaseUrl, runCommand } from "./local/gateway-command.ts";
import { printLine } from "./local/screen.ts";
import { table } from "./local/table.ts";
import { changeAccount, listAccounts, movePayout } from "./ops/off-ramp-accounts.ts";

const HELP = `The accounts with off-ramp providers, and what operators decide about them.

  npm run accounts -- list
  npm run accounts -- drain ACCOUNT --by NAME [--reason TEXT]      no new payments and payouts; what was ordered there is followed to its end
  npm run accounts -- activate ACCOUNT --by NAME [--reason TEXT]   it takes new ones again
  npm run accounts -- remove ACCOUNT --by NAME [--reason TEXT]     refused while an answer of the account is open; then it may go from the configuration
  npm run accounts -- move PAYOUT_ID ACCOUNT --by NAME [--wallet ID]   another account for a payout that was provably never ordered

Settlement and API obey within two seconds. Which accounts there are is configuration (OFF_RAMP_ACCOUNTS). Every change is in the
audit log. The database is that of the running gateway (.data/local.json), or the one in DATABASE_URL.`;

const { values: options, positionals } = parseCommand(HELP, {
  by: { type: "string", default: "" },
  reason: { type: "string", default: "" },
  wallet: { type: "string" },
});
if (positionals[0] !== "list" && options.by.trim() === "") refuse("--by names who decides.");

const { by, reason, wallet } = options;

async function list(database: Database): Promise<void> {
  const rows = await listAccounts(database);
  const head = Object.keys(rows[0] ?? { account: "" });
  printLine(
    rows.length === 0
      ? "Accounts: none"
      : table(
          head,
          rows.map((row) => head.map((name) => String(row[name] ?? ""))),
        ),
  );
}

const change = (state: OffRampAccountState) => async (database: Database, account: string) => {
  await changeAccount(database, account, state, { by, reason });
  printLine(`"${account}" is ${state}.`);
};

async function move(database: Database, id: string): Promise<void> {
  const account = positionals[2] ?? "";
  await movePayout(database, id, account, { by, wallet });
  printLine(`${id} is paid by "${account}".`);
}

const COMMANDS: Commands = {
  list,
  drain: change("draining"),
  activate: change("active"),
  remove: change("removed"),
  move,
};

runCommand(COMMANDS, positionals, { application: "accounts", databaseUrl: gatewayDatabaseUrl }).then(
  () => process.exit(0),
  fail,
);
