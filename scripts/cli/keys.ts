// `npm run keys`: manages merchants, their API keys and their dashboard users, in the running gateway's database or the
// one in DATABASE_URL.
import type { KeyPrefix } from "#core/api-keys/api-keys.ts";
import type { KeyRow } from "#core/api-keys/key-row.ts";
import type { Database } from "#core/db/client.ts";
import type { Access } from "#core/db/schema/merchants.ts";
import type { Role } from "#core/db/schema/users.ts";
import type { Mode } from "#core/model/mode.ts";
import { fail, oneOf, parseCommand, refuse } from "../shared/command-line.ts";
import { UsageError, UserError } from "../shared/errors.ts";
import type { Merchant } from "../shared/merchants.ts";
import { HELP } from "./keys/help.ts";
import type { Commands } from "./shared/database-command.ts";

/** The kinds of keys that each network mode accepts. */
const PREFIXES: Record<Mode, Record<string, KeyPrefix>> = {
  test: { test: "sk_test_", hackathon: "sk_hackathon_" },
  live: { live: "sk_live_" },
};
const KINDS = Object.values(PREFIXES).flatMap((kinds) => Object.keys(kinds));
const ACCESS: readonly Access[] = ["full", "no_release", "read_only"];
const ROLES: readonly Role[] = ["admin", "operator", "read_only"];

const { values: options, positionals } = parseCommand(HELP, {
  merchant: { type: "string" },
  kind: { type: "string" },
  access: { type: "string", default: "full" },
  name: { type: "string" },
  account: { type: "string" },
  logo: { type: "string" },
  support: { type: "string" },
  "return-hosts": { type: "string" },
  email: { type: "string" },
  "live-merchant": { type: "string" },
  role: { type: "string" },
  expires: { type: "string" },
  overlap: { type: "string", default: "24h" },
  live: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
});

// These modules are loaded only after the usage has been checked.
const { createKey } = await import("#core/api-keys/create-key.ts");
const { KeysError, UnknownKeyError } = await import("#core/api-keys/key-row.ts");
const { revokeKey } = await import("#core/api-keys/revoke-key.ts");
const { rotateKey } = await import("#core/api-keys/rotate-key.ts");
const { connect } = await import("#core/db/client.ts");
const { UnknownUserError, UsersError } = await import("#core/users/users.ts");
const { listMerchants } = await import("../shared/merchants.ts");
const { formatTable } = await import("../shared/format-table.ts");
const { parseSeconds } = await import("./keys/duration.ts");
const { listKeys } = await import("./keys/list-keys.ts");
const { manageMerchants } = await import("./keys/merchants.ts");
const { manageUsers } = await import("./keys/users.ts");
const { commandEnvironment, gatewayDashboardUrl, gatewayDatabaseUrl, gatewayMode, runCommand } = await import(
  "./shared/database-command.ts"
);
const { findMerchant } = await import("./shared/find-merchant.ts");

const access = oneOf("access", options.access, ACCESS);
const role = options.role === undefined ? undefined : oneOf("role", options.role, ROLES);
const wanted = options.kind === undefined ? undefined : oneOf("kind", options.kind, KINDS);
const lifetime = options.expires === undefined ? undefined : parseSeconds(options.expires);
const overlap = parseSeconds(options.overlap);
const [command = "", argument = ""] = positionals;
if (["rotate", "revoke"].includes(command) && !argument.startsWith("key_")) {
  refuse(`Specify the key by its id: npm run keys -- ${command} key_… (npm run keys -- list).`);
}
const mode = () => (options.live ? "live" : gatewayMode());

function liveDatabaseUrl(): string {
  const { LIVE_DATABASE_URL } = commandEnvironment();
  if (LIVE_DATABASE_URL) return LIVE_DATABASE_URL;
  throw new UserError("The live network's merchants are in a separate database: set LIVE_DATABASE_URL.");
}

const databaseUrl = () => (options.live ? liveDatabaseUrl() : gatewayDatabaseUrl());

/** Finds the live network's merchant that --live-merchant names. */
async function findLiveMerchant(): Promise<Merchant | undefined> {
  const named = options["live-merchant"];
  if (named === undefined) return undefined;
  const database = connect(liveDatabaseUrl(), { max: 1, application: "keys" });
  try {
    return await findMerchant(database, named);
  } finally {
    await database.$client.end();
  }
}

function answer(json: object, text: string): void {
  console.log(options.json ? JSON.stringify(json, null, 2) : text);
}

const SHOWN_ONCE = "Save it now: it is not stored and cannot be shown again.";

function keysTable(keys: KeyRow[], merchants: Merchant[]): string {
  const names = new Map(merchants.map(({ id, name }) => [id, name]));
  const day = (date: Date | null) => date?.toISOString().slice(0, 16).replace("T", " ") ?? "";
  return formatTable(
    ["id", "key", "merchant", "access", "state", "until", "last used", "name"],
    keys.map((key) => [
      key.id,
      key.hint || key.mode,
      names.get(key.merchantId) ?? key.merchantId,
      key.access,
      key.state,
      day(key.revokedAt ?? key.expiresAt),
      day(key.lastUsedAt),
      key.name ?? "",
    ]),
  );
}

/** @throws UsageError for a kind that the gateway of this database would reject */
function choosePrefix(): KeyPrefix {
  const own = mode();
  const prefix = PREFIXES[own][wanted ?? own];
  if (prefix) return prefix;
  const others = own === "test" ? " For the live network's keys, use --live." : "";
  throw new UsageError(`--kind ${wanted} is not valid: this gateway's network accepts ${own} keys.${others}`);
}

async function create(database: Database): Promise<void> {
  const prefix = choosePrefix();
  const merchant = await findMerchant(database, options.merchant);
  const expiresAt = lifetime === undefined ? undefined : new Date(Date.now() + lifetime * 1000);
  const { secret, key } = await createKey(database, merchant.id, prefix, {
    name: options.name,
    access,
    expiresAt,
  });
  answer({ ...key, secret }, `${secret}\n\n${key.id} of ${merchant.name}. ${SHOWN_ONCE}`);
}

async function list(database: Database): Promise<void> {
  const only = options.merchant === undefined ? undefined : await findMerchant(database, options.merchant);
  const keys = await listKeys(database, only?.id);
  answer(keys, keysTable(keys, await listMerchants(database)));
}

async function rotate(database: Database, keyId: string): Promise<void> {
  const { secret, key, replaced } = await rotateKey(database, keyId, overlap);
  const until = replaced.expiresAt?.toISOString() ?? "";
  answer(
    { ...key, secret, replaced },
    `${secret}\n\n${key.id} replaces ${replaced.id}, which is valid until ${until}. ${SHOWN_ONCE}`,
  );
}

async function revoke(database: Database, keyId: string): Promise<void> {
  const key = await revokeKey(database, keyId);
  answer(key, `${key.id} is revoked.`);
}

const merchants = manageMerchants(command === "merchants" ? argument : "", options, {
  mode,
  findMerchant: (database) => findMerchant(database, options.merchant),
  answer,
});

const COMMANDS: Commands = {
  users: (database, action) =>
    manageUsers(database, action, {
      ...options,
      role,
      dashboardUrl: gatewayDashboardUrl,
      findMerchant: () => findMerchant(database, options.merchant),
      findLiveMerchant,
      answer,
    }),
  create,
  list,
  rotate,
  revoke,
  merchants,
};

await runCommand(COMMANDS, positionals, { application: "keys", databaseUrl }).catch((error: unknown) => {
  if (error instanceof UnknownKeyError || error instanceof UnknownUserError) refuse(error.message);
  fail(error instanceof KeysError || error instanceof UsersError ? new UserError(error.message) : error);
});
