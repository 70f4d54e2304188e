// `npm run keys -- users`: manages the users who can sign in to the dashboard.
import { randomBytes } from "node:crypto";
import { OPERATOR } from "#core/api-keys/record-key.ts";
import type { Database } from "#core/db/client.ts";
import type { Role } from "#core/db/schema/users.ts";
import { createPasswordLinkFor, passwordLink } from "#core/users/password-link.ts";
import { createUser, deleteUser, listUsers, setPassword, setRole } from "#core/users/users.ts";
import { UsageError, UserError } from "../../shared/errors.ts";
import { formatTable } from "../../shared/format-table.ts";
import type { Merchant } from "../../shared/merchants.ts";

type Options = {
  email?: string | undefined;
  name?: string | undefined;
  role?: Role | undefined;
  dashboardUrl(): string;
  findMerchant(): Promise<Merchant>;
  findLiveMerchant(): Promise<Merchant | undefined>;
  answer(json: object, text: string): void;
};

/** Generates 128 random bits, so that nobody has to invent a password or type it into a shell's history. */
const newPassword = (): string => randomBytes(16).toString("base64url");
const SHOWN_ONCE = "Save it now: it cannot be shown again.";

function requireEmail({ email }: Options): string {
  if (email !== undefined) return email;
  throw new UsageError("Specify the user: --email ADDRESS");
}

async function list(database: Database, { answer }: Options): Promise<void> {
  const all = await listUsers(database);
  const rows = all.map(({ id, email, name, role, merchantId }) => [id, email, name, role, merchantId]);
  answer(all, formatTable(["id", "email", "name", "role", "merchant"], rows));
}

async function create(database: Database, options: Options): Promise<void> {
  const email = requireEmail(options);
  const merchant = await options.findMerchant();
  const liveMerchant = await options.findLiveMerchant();
  const password = newPassword();
  const { name = email, role = "admin" } = options;
  const merchants = { merchantId: merchant.id, liveMerchantId: liveMerchant?.id };
  const made = await createUser(database, { email, name, password, role, ...merchants });
  if (!made) throw new UserError(`User '${email}' already exists.`);
  options.answer(
    { ...made, password },
    `${password}\n\nThe password of ${made.email}, for ${merchant.name}. ${SHOWN_ONCE}`,
  );
}

async function changePassword(database: Database, options: Options): Promise<void> {
  const password = newPassword();
  const user = await setPassword(database, requireEmail(options), password);
  options.answer({ ...user, password }, `${password}\n\nThe new password of ${user.email}. ${SHOWN_ONCE}`);
}

async function remove(database: Database, options: Options): Promise<void> {
  const user = await deleteUser(database, requireEmail(options));
  options.answer(user, `${user.email} can no longer sign in.`);
}

async function changeRole(database: Database, options: Options): Promise<void> {
  if (options.role === undefined) throw new UsageError("Specify the role: --role ROLE");
  const user = await setRole(database, requireEmail(options), options.role);
  options.answer(user, `${user.email} now has the role ${user.role}.`);
}

async function link(database: Database, options: Options): Promise<void> {
  const by = { actor: OPERATOR, mode: null };
  const { user, token, expiresAt } = await createPasswordLinkFor(database, requireEmail(options), by);
  const url = passwordLink(options.dashboardUrl(), token);
  options.answer(
    { id: user.id, email: user.email, link: url, expiresAt },
    `${url}\n\nSets the password of ${user.email}, once, until ${expiresAt.toISOString()}. ${SHOWN_ONCE}`,
  );
}

const ACTIONS: Record<string, (database: Database, options: Options) => Promise<void>> = {
  create,
  password: changePassword,
  role: changeRole,
  link,
  delete: remove,
};

export const manageUsers = (database: Database, action: string, options: Options): Promise<void> =>
  (ACTIONS[action] ?? list)(database, options);
