// `npm run keys`: merchants, their API keys and the users of their dashboard, in the running gateway's database or the one in DATABASE_URL.
import { isAddress } from "viem";
import type { KeyPrefix } from "#core/api-keys.ts";
import type { Database } from "#core/db/client.ts";
import type { Access } from "#core/db/schema.ts";
import { createKey } from "#core/keys/create-key.ts";
import { type KeyRow, KeysError } from "#core/keys/key.ts";
import { listKeys } from "#core/keys/list-keys.ts";
import { revokeKey } from "#core/keys/revoke-key.ts";
import { rotateKey } from "#core/keys/rotate-key.ts";
import { createMerchant, listMerchants, type Merchant } from "#core/merchants.ts";
import { UsersError } from "#core/users/users.ts";
import { secondsOf } from "./keys/duration.ts";
import { HELP } from "./keys/help.ts";
import { manageUsers } from "./keys/users.ts";
import { describe, UserError } from "./local/errors.ts";
import {
  type Commands,
  commandEnvironment,
  gatewayDatabaseUrl,
  parseCommand,
  runCommand,
} from "./local/gateway-command.ts";
import { table } from "./local/table.ts";

const PREFIXES: Record<string, KeyPrefix> = {
  test: "sk_test_",
  live: "sk_live_",
  hackathon: "sk_hackathon_",
};
const ACCESS: readonly Access[] = ["full", "no_release", "read_only"];

const { values: options, positionals } = parseCommand(HELP, {
  merchant: { type: "string" },
  kind: { type: "string" },
  access: { type: "string", default: "full" },
  name: { type: "string" },
  account: { type: "string" },
  email: { type: "string" },
  "live-merchant": { type: "string" },
  expires: { type: "string" },
  overlap: { type: "string", default: "24h" },
  live: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
});

function databaseUrl(): string {
  if (!options.live) return gatewayDatabaseUrl();
  const { LIVE_DATABASE_URL } = commandEnvironment();
  if (LIVE_DATABASE_URL) return LIVE_DATABASE_URL;
  throw new UserError("--live is for the live network's database: set LIVE_DATABASE_URL.");
}

/** @param named an id or a name; may be absent where there is but one merchant */
async function merchantOf(database: Database, named = options.merchant): Promise<Merchant> {
  const all = await listMerchants(database);
  const found = named === undefined ? all : all.filter(({ id, name }) => id === named || name === named);
  const [only] = found;
  if (only && found.length === 1) return only;
  const known = all.map(({ name }) => name).join(", ") || "none yet: npm run keys -- merchants create";
  throw new UserError(`Name the merchant with --merchant. There are: ${known}`);
}

function keyIdOf(command: string, keyId: string | undefined): string {
  if (keyId?.startsWith("key_")) return keyId;
  throw new UserError(`Say which key, by its id: npm run keys -- ${command} key_… (npm run keys -- list)`);
}

function answer(json: object, text: string): void {
  console.log(options.json ? JSON.stringify(json, null, 2) : text);
}

const SHOWN_ONCE = "Keep it now: it is stored nowhere and cannot be shown again.";

function keysTable(keys: KeyRow[], merchants: Merchant[]): string {
  const names = new Map(merchants.map(({ id, name }) => [id, name]));
  const day = (date: Date | null) => date?.toISOString().slice(0, 16).replace("T", " ") ?? "";
  return table(
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

async function create(database: Database): Promise<void> {
  const kind = options.kind ?? (options.live ? "live" : "test");
  const prefix = PREFIXES[kind];
  if (!prefix) throw new UserError(`--kind must be one of ${Object.keys(PREFIXES).join(", ")}.`);
  if (options.live && kind !== "live")
    throw new UserError(`The live network takes live keys, no --kind ${kind}.`);
  const access = ACCESS.find((one) => one === options.access);
  if (!access) throw new UserError(`--access must be one of ${ACCESS.join(", ")}.`);
  const merchant = await merchantOf(database);
  const expiresAt =
    options.expires === undefined ? undefined : new Date(Date.now() + secondsOf(options.expires) * 1000);
  const { secret, key } = await createKey(database, merchant.id, prefix, {
    name: options.name,
    access,
    expiresAt,
  });
  answer({ ...key, secret }, `${secret}\n\n${key.id} of ${merchant.name}. ${SHOWN_ONCE}`);
}

async function list(database: Database): Promise<void> {
  const only = options.merchant === undefined ? undefined : await merchantOf(database);
  const keys = await listKeys(database, only?.id);
  answer(keys, keysTable(keys, await listMerchants(database)));
}

async function rotate(database: Database, keyId: string | undefined): Promise<void> {
  const id = keyIdOf("rotate", keyId);
  const { secret, key, replaced } = await rotateKey(database, id, secondsOf(options.overlap));
  const until = replaced.expiresAt?.toISOString() ?? "";
  answer(
    { ...key, secret, replaced },
    `${secret}\n\n${key.id} replaces ${replaced.id}, which is valid until ${until}. ${SHOWN_ONCE}`,
  );
}

async function revoke(database: Database, keyId: string | undefined): Promise<void> {
  const key = await revokeKey(database, keyIdOf("revoke", keyId));
  answer(key, `${key.id} is revoked.`);
}

async function merchants(database: Database, action: string | undefined): Promise<void> {
  if (action === undefined || action === "list") {
    const all = await listMerchants(database);
    const rows = all.map(({ id, name, account }) => [id, name, account]);
    return answer(all, table(["id", "name", "account"], rows));
  }
  if (action !== "create") throw new UserError(`There is no 'merchants ${action}'.\n\n${HELP}`);
  const { name, account = "" } = options;
  if (!name) throw new UserError("Say the merchant's name: --name");
  if (!isAddress(account)) throw new UserError("Say where the merchant is paid on chain: --account 0x…");
  const made = await createMerchant(database, { name, account });
  if (!made) throw new UserError(`There is a merchant '${name}' already.`);
  answer(made, `${made.id}: ${made.name}, paid to ${made.account}`);
}

const COMMANDS: Commands = {
  users: (database, action) =>
    manageUsers(database, action, {
      ...options,
      liveMerchant: options["live-merchant"],
      merchantOf: () => merchantOf(database),
      answer,
    }),
  create,
  list,
  rotate,
  revoke,
  merchants,
};

process.exitCode = await runCommand(
  COMMANDS,
  { positionals, wantsHelp: options.help, help: HELP },
  { application: "keys", databaseUrl },
).catch((error: unknown) => {
  console.error(error instanceof KeysError || error instanceof UsersError ? error.message : describe(error));
  return 1;
});
