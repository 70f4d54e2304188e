// Has the provider confirm that the configured account is the intended one, and that its wallet has the configured
// address. Customers and wallets are visible only to their own account, with any of its API keys.
import { createHash } from "node:crypto";
import { type Static, Type } from "@sinclair/typebox";
import { and, eq, sql } from "drizzle-orm";
import type { Address } from "viem";
import { ConfigError } from "#core/config/config-error.ts";
import type { Provider } from "#core/config/off-ramp-config.ts";
import type { Database } from "#core/db/client.ts";
import { offRampWallet } from "#core/db/schema/off-ramp.ts";
import { ApiError, type createApiClient } from "./api.ts";

type Options = {
  database: Database;
  api: Pick<ReturnType<typeof createApiClient>, "get">;
  provider: Provider;
  account: string;
};

/** A wallet whose address the provider has to confirm. */
type ConfiguredWallet = { id: string; address: Address };

const Wallet = Type.Object({ address: Type.String({ minLength: 1 }) });

/** Whether the provider itself, not a proxy in front of it, reports that the account has no such customer or wallet. */
const isUnknown = (error: unknown): boolean =>
  error instanceof ApiError && [400, 404].includes(error.status) && error.code !== undefined;

/**
 * Creates the verification of all wallets. The provider's confirmation is recorded, and stays valid while the provider
 * does not respond.
 * @returns the function `OffRamp.verify`, which checks every wallet
 */
export function createVerifier({
  wallets,
  ...options
}: Options & { wallets: readonly ConfiguredWallet[] }): () => Promise<void> {
  const verifiers = wallets.map((wallet) => createWalletVerifier(options, wallet));
  return async () => void (await Promise.all(verifiers.map((verify) => verify())));
}

function createWalletVerifier(
  { database, api, provider, account }: Options,
  { id: walletId, address }: ConfiguredWallet,
): () => Promise<void> {
  const { url, apiKey, customerId } = provider;
  const settings = createHash("sha256")
    .update(JSON.stringify([url, apiKey, customerId, walletId, address]))
    .digest("hex");

  const isRecorded = async (): Promise<boolean> =>
    (await database.$count(
      offRampWallet,
      and(eq(offRampWallet.account, account), eq(offRampWallet.settings, settings)),
    )) > 0;

  const record = () =>
    database
      .insert(offRampWallet)
      .values({ account, address, walletId, settings })
      .onConflictDoUpdate({
        target: [offRampWallet.account, offRampWallet.address],
        set: { walletId, settings, verifiedAt: sql`clock_timestamp()` },
      });

  async function verify(): Promise<void> {
    let wallet: Static<typeof Wallet>;
    try {
      wallet = await api.get(Wallet, `/customers/${customerId}/wallets/${walletId}`);
    } catch (error) {
      if (isUnknown(error)) {
        throw new ConfigError(
          `OFF_RAMP_API_KEY does not belong to the account "${account}": it gives no access to the wallet ${walletId} ` +
            `(OFF_RAMP_WALLET_ID) of the customer ${customerId} (OFF_RAMP_CUSTOMER_ID).`,
        );
      }
      if (await isRecorded()) return;
      throw new Error(`The provider has not confirmed the account "${account}" yet.`, { cause: error });
    }
    if (wallet.address.toLowerCase() !== address.toLowerCase()) {
      throw new ConfigError(
        `The wallet ${walletId} (OFF_RAMP_WALLET_ID) of the account "${account}" has the address ${wallet.address}, but ` +
          `OFF_RAMP_ADDRESS is ${address}.`,
      );
    }
    await record();
  }

  let verified: Promise<void> | undefined;
  return () => {
    verified ??= verify().catch((error: unknown) => {
      verified = undefined;
      throw error;
    });
    return verified;
  };
}
