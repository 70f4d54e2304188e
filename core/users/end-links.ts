// Invalidates a user's password links, and sign-ins that wait for their second factor. An admin may have kept links
// that they created for others, so all links of the account are invalidated when the admin loses that role.
import { eq, inArray } from "drizzle-orm";
import type { Database, Transaction } from "../db/client.ts";
import { dashboardUser, dashboardVerification } from "../db/schema/users.ts";

export async function endLinks(database: Database | Transaction, userId: string): Promise<void> {
  await database.delete(dashboardVerification).where(eq(dashboardVerification.value, userId));
}

/** Invalidates links when a user is removed or their role changes. @param user the user before the change */
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
