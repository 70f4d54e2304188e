// Ends what waits for a user's next step: a link that sets a password, and a sign-in without its second factor. An admin may have
// kept links that they made for others, so all links of the account end with an admin's role.
import { eq, inArray } from "drizzle-orm";
import type { Database, Transaction } from "../db/client.ts";
import { dashboardUser, dashboardVerification } from "../db/schema/users.ts";

export async function endLinks(database: Database | Transaction, userId: string): Promise<void> {
  await database.delete(dashboardVerification).where(eq(dashboardVerification.value, userId));
}

/** Of a user who is removed, or has another role from now on. @param user as it was before */
export async function endLinksAround(
  tx: Transaction,
  { id, merchantId, role }: Pick<typeof dashboardUser.$inferSelect, "id" | "merchantId" | "role">,
): Promise<void> {
  await endLinks(tx, id);
  if (role !== "admin") return;
  const users = await tx
    .select({ id: dashboardUser.id })
    .from(dashboardUser)
    .where(eq(dashboardUser.merchantId, merchantId));
  const ids = users.map((user) => user.id);
  await tx.delete(dashboardVerification).where(inArray(dashboardVerification.value, ids));
}
