// Checks the URLs to which the payment page sends payers back. Only the hosts listed in the merchant's account
// are allowed, so that a stolen key cannot be used to send payers elsewhere.
import { eq } from "drizzle-orm";
import type { Caller } from "#core/api-keys/api-keys.ts";
import { merchant } from "#core/db/schema/merchants.ts";
import { invalidRequest, severalFaults } from "#core/errors.ts";
import { problemOfReturnUrl } from "#core/merchants/return-urls.ts";
import type { Services } from "../services.ts";

type Given = { returnUrl?: string; cancelUrl?: string };

export const badReturnUrl = (param: string, problem: string) =>
  invalidRequest(`Invalid ${param}: ${problem}.`, param);

/**
 * Reads the account's hosts only if a URL is given. @throws ServiceError 400 for a URL to which the page may not
 * link
 */
export async function requireReturnUrls(
  { database }: Services,
  { merchantId, mode }: Caller,
  { returnUrl, cancelUrl }: Given,
): Promise<void> {
  const given = Object.entries({ returnUrl, cancelUrl }).filter(([, url]) => url !== undefined);
  if (given.length === 0) return;
  const [row] = await database
    .select({ hosts: merchant.returnHosts })
    .from(merchant)
    .where(eq(merchant.id, merchantId));
  const faults = given.flatMap(([param, url = ""]) => {
    const problem = problemOfReturnUrl(url, { mode, hosts: row?.hosts ?? [] });
    return problem === undefined ? [] : [badReturnUrl(param, problem)];
  });
  if (faults.length > 0) throw severalFaults(faults);
}
