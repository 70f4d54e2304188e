// The gateway that tests share if they neither kill nor reconfigure it: the runner's gateway or, without a runner, a
// separate one for this file. Every file has its own merchants, payer and oracle, so files do not share data or nonces.
import { randomBytes } from "node:crypto";
import { setGasBalances } from "#scripts/devnet/deploy.ts";
import { ensureUser } from "#scripts/devnet/ensure-user.ts";
import { localMerchant, newSecrets, wallet } from "#scripts/devnet/secrets.ts";
import { readJson } from "#scripts/shared/json-file.ts";
import { ensureMerchant } from "#scripts/shared/merchants.ts";
import { type Stack, startStack } from "./stack.ts";

/** The information that the runner provides about its gateway. */
export type RunningStack = Omit<Stack, "provider" | "kill" | "restart" | "stop">;

/** The parts of a shared gateway that a test may use. */
export type SharedStack = RunningStack & Pick<Stack, "stop">;

const SETTINGS = {
  // A test may advance the clock by at most one second, because other files share it.
  TEST_CLOCK: "on",
  WEBHOOK_RETRY_MS: "300,600,1200",
  WEBHOOK_TIMEOUT_MS: "5000",
};

export async function sharedStack(): Promise<SharedStack> {
  const file = process.env.TEST_SHARED_STACK;
  const running = file === undefined ? undefined : readJson<RunningStack>(file);
  if (!running) return startStack({ asApplication: true, env: SETTINGS });
  return { ...running, ...(await strangersTo(running)), stop: async () => undefined };
}

/** Creates accounts that no other file uses. Their test tokens are minted when the escrow transfers them. */
async function strangersTo({
  databaseUrl,
  rpcUrl,
  dashboard,
}: RunningStack): Promise<Pick<Stack, "merchants" | "payer" | "oracle" | "dashboard">> {
  const secrets = newSecrets();
  const [payer, oracle] = [wallet(secrets.payer), wallet(secrets.oracle)];
  const merchants = await Promise.all(
    secrets.merchants.map(async ({ name, ...rest }) => {
      const merchant = { ...rest, name: `${name} ${randomBytes(6).toString("hex")}` };
      const { account } = localMerchant(merchant, { merchantId: "", apiKey: merchant.apiKey });
      const known = await ensureMerchant(databaseUrl, { ...merchant, account });
      return localMerchant(merchant, known);
    }),
  );
  await setGasBalances(rpcUrl, [payer.address, oracle.address, ...merchants.map(({ account }) => account)]);
  const login = {
    email: `${randomBytes(6).toString("hex")}@example.com`,
    password: secrets.dashboard.password,
  };
  await ensureUser(databaseUrl, { ...login, name: "Demo", merchantId: merchants[0]?.merchantId ?? "" });
  return { merchants, payer, oracle, dashboard: { ...dashboard, ...login } };
}
