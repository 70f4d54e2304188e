// `npm run accounts`: lists the off-ramp provider accounts, and records operators' decisions about them.
import type { Database } from "#core/db/client.ts";
import { fail, parseCommand, refuse } from "../shared/command-line.ts";
import type { Commands } from "./shared/database-command.ts";

const HELP = `Manages the accounts at off-ramp providers.

  npm run accounts -- list
  npm run accounts -- drain ACCOUNT --by NAME [--reason TEXT]      no new payments and payouts; existing payouts are completed
  npm run accounts -- activate ACCOUNT --by NAME [--reason TEXT]   accepts new ones again
  npm run accounts -- remove ACCOUNT --by NAME [--reason TEXT]     rejected while it has open payouts; afterwards, it can be removed from the configuration
  npm run accounts -- move PAYOUT_ID ACCOUNT --by NAME [--wallet ID]   assigns a different account to a payout that was provably never ordered

activate, remove and move may require approval by a second person: npm run ops -- approve OPERATION --by NAME. drain never does.
Settlement and the API apply changes within two seconds. The accounts are configured in OFF_RAMP_ACCOUNTS. Every change is in the
audit log. Uses the database of the running gateway (.data/local.json), or the one in DATABASE_URL.`;

const { values: options, positionals } = parseCommand(HELP, {
  by: { type: "string", default: "" },
  reason: { type: "string", default: "" },
  wallet: { type: "string" },
});

// These modules are loaded only after the usage has been checked.
const { isNobody } = await import("#core/controls/same-person.ts");
const { printLine } = await import("../devnet/screen.ts");
const { formatTable } = await import("../shared/format-table.ts");
const { ask, describeAsked } = await import("./ops/approve.ts");
const { CONTROLLED } = await import("./ops/controlled.ts");
const { changeAccount, listAccounts } = await import("./ops/off-ramp-accounts.ts");
const { gatewayDatabaseUrl, gatewayFeeBearer, runCommand } = await import("./shared/database-command.ts");
const { gatewayConfig } = await import("./shared/gateway-config.ts");
const { openChain } = await import("./shared/open-chain.ts");
const { openNamedOffRamps } = await import("./shared/open-named-off-ramps.ts");

if (positionals[0] !== "list" && isNobody(options.by)) refuse("--by must name the person who decides.");

const { by, reason, wallet } = options;

async function list(database: Database): Promise<void> {
  const rows = await listAccounts(database);
  const head = Object.keys(rows[0] ?? { account: "" });
  printLine(
    rows.length === 0
      ? "Accounts: none"
      : formatTable(
          head,
          rows.map((row) => head.map((name) => String(row[name] ?? ""))),
        ),
  );
}

async function drain(database: Database, account: string): Promise<void> {
  await changeAccount(database, account, "draining", { by, reason });
  printLine(`"${account}" is draining.`);
}

/** Returns a command that may require approval by a second person. */
const controlled =
  (action: string, given: () => Record<string, string>) =>
  async (database: Database, subject: string): Promise<void> => {
    const parts = {
      database,
      offRamps: () => openNamedOffRamps(gatewayConfig(), database),
      feeBearer: gatewayFeeBearer(),
      chain: () => openChain(gatewayConfig(), database),
    };
    printLine(describeAsked(await ask(parts, CONTROLLED, action, { subject, arguments: given(), by })));
  };

const COMMANDS: Commands = {
  list,
  drain,
  activate: controlled("activate-account", () => ({ reason })),
  remove: controlled("remove-account", () => ({ reason })),
  move: controlled("move-payout", () => ({ account: positionals[2] ?? "", ...(wallet ? { wallet } : {}) })),
};

runCommand(COMMANDS, positionals, { application: "accounts", databaseUrl: gatewayDatabaseUrl }).then(
  () => process.exit(0),
  fail,
);
