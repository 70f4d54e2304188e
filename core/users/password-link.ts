// A link with which a user sets a password, for an invitation or a lost password. No email is sent: the link is shown
// once to the person who requested it. Only its SHA-256 is stored, in better-auth's format
// (`verification.storeIdentifier: "hashed"`), and better-auth's own password reset consumes it
// (api/access/dashboard-sign-in.ts).
import { createHash, randomBytes } from "node:crypto";
import { and, eq, gt, sql } from "drizzle-orm";
import type { Database, Transaction } from "../db/client.ts";
import { dashboardUser, dashboardVerification } from "../db/schema/users.ts";
import { newId } from "../ids.ts";
import { endLinks } from "./end-links.ts";
import { type By, lockUser, recordUser, type UserRow } from "./users.ts";

/** How long a link is valid, in seconds. */
export const LINK_SECONDS = { invitation: 7 * 86_400, password: 86_400 } as const;

const stored = (token: string): string =>
  createHash("sha256").update(`reset-password:${token}`).digest("base64url");

/** The link's URL. The token is in the fragment, which no server or log sees. */
export const passwordLink = (dashboardUrl: string, token: string): string =>
  `${dashboardUrl}/set-password#${token}`;

export type PasswordLink = { token: string; expiresAt: Date };

/** Creates a link. Invalidates the user's earlier links, and any sign-in that waits for the second factor. */
export async function createPasswordLink(
  tx: Transaction,
  user: Pick<UserRow, "id" | "merchantId">,
  purpose: keyof typeof LINK_SECONDS,
  by: By,
): Promise<PasswordLink> {
  await endLinks(tx, user.id);
  const token = randomBytes(32).toString("base64url");
  const expiresAt = new Date(Date.now() + LINK_SECONDS[purpose] * 1_000);
  const row = { id: newId("verification"), identifier: stored(token), value: user.id, expiresAt };
  await tx.insert(dashboardVerification).values(row);
  if (purpose === "password") await recordUser(tx, user, "user.create_link", by);
  return { token, expiresAt };
}

/** Creates a password link for the gateway's operator. @throws UnknownUserError if the user does not exist */
export const createPasswordLinkFor = (database: Database, email: string, by: By) =>
  database.transaction(async (tx) => {
    const user = await lockUser(tx, email);
    return { user, ...(await createPasswordLink(tx, user, "password", by)) };
  });

/** Finds the user whose password a link sets; undefined if the link is used, expired or unknown. */
export async function findPasswordLink(database: Database, token: string) {
  const [found] = await database
    .select({
      email: dashboardUser.email,
      name: dashboardUser.name,
      expiresAt: dashboardVerification.expiresAt,
    })
    .from(dashboardVerification)
    .innerJoin(dashboardUser, eq(dashboardUser.id, dashboardVerification.value))
    .where(
      and(
        eq(dashboardVerification.identifier, stored(token)),
        gt(dashboardVerification.expiresAt, sql`now()`),
      ),
    );
  return found;
}
