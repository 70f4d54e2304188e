// Retrieves the caller's account: the data that payers see, and the hosts to which payments may redirect payers.
import type { Static } from "@sinclair/typebox";
import { eq } from "drizzle-orm";
import { getAddress } from "viem";
import { merchant } from "#core/db/schema/merchants.ts";
import { internalError } from "#core/errors.ts";
import { toUnixSeconds } from "#core/model/unix-time.ts";
import type { Call } from "../http/request-context.ts";
import type { Services } from "../services.ts";
import type { Account } from "./schemas.ts";

export async function retrieveAccount(
  { database }: Services,
  { caller }: Call,
): Promise<Static<typeof Account>> {
  const [row] = await database.select().from(merchant).where(eq(merchant.id, caller.merchantId));
  if (!row) throw internalError(new Error("The caller's merchant does not exist."));
  return {
    id: row.id,
    object: "account",
    data: {
      id: row.id,
      object: "account",
      name: row.name,
      logoUrl: row.logoUrl,
      supportEmail: row.supportEmail,
      returnHosts: row.returnHosts,
      contractMerchantId: getAddress(row.account),
      livemode: caller.mode === "live",
      created: toUnixSeconds(row.createdAt),
    },
  };
}
