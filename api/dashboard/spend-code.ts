// Accepts each authenticator code for only one sign-in, so that someone who has seen the code cannot use it
// while it is still valid (RFC 6238, section 5.2).
import { createHash } from "node:crypto";
import { lt, sql } from "drizzle-orm";
import type { Database } from "#core/db/client.ts";
import { dashboardVerification } from "#core/db/schema/users.ts";

/** How long better-auth accepts a code: during its own period of 30 s, and during the periods before and after. */
const RIGHT_FOR = "90 seconds";

/** @returns whether this is the user's first use of the code */
export async function spendCode(database: Database, userId: string, code: string): Promise<boolean> {
  const hash = createHash("sha256").update(`totp:${userId}:${code}`).digest("base64url");
  const expiresAt = sql`clock_timestamp() + ${RIGHT_FOR}::interval`;
  const used = await database
    .insert(dashboardVerification)
    .values({ id: `code_${hash}`, identifier: hash, value: "used code", expiresAt })
    .onConflictDoUpdate({
      target: dashboardVerification.id,
      set: { expiresAt },
      setWhere: lt(dashboardVerification.expiresAt, sql`clock_timestamp()`),
    })
    .returning({ id: dashboardVerification.id });
  return used.length > 0;
}
