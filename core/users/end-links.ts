// Invalidates everything that waits for a user's next step: password links, and sign-ins without their second factor. An admin
// may have kept links that they created for others, so the end of an admin's role invalidates all links of the account.
import { eq, inArray } from "drizzle-orm";
import type { Database, Transaction } from "../db/client.ts";
import { dashboardUser, dashboardVerification } from "../db/schema/users.ts";

export async function endLinks(database: Database | Transaction, userId: string): Promise<void> {
  await database.delete(dashboardVerification).where(eq(dashboardVerification.value, userId));
}

/** For a user who is removed or whose role changes. @param user the user before the change */
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
