// The gateway that tests share if they neither kill nor reconfigure it: the runner's gateway or, without a runner, a
// separate one for this file. Every file has its own merchants, payer and oracle, so files do not share data or nonces.
import { randomBytes } from "node:crypto";
import { eq } from "drizzle-orm";
import { OPERATOR } from "#core/api-keys/record-key.ts";
import { connect, type Database } from "#core/db/client.ts";
import { dashboardAccount, dashboardUser } from "#core/db/schema/users.ts";
import { insertPassword, insertUser, recordUser } from "#core/users/users.ts";
import { setGasBalances } from "#scripts/devnet/deploy.ts";
import { localMerchant, newSecrets, wallet } from "#scripts/devnet/secrets.ts";
import { readJson } from "#scripts/shared/json-file.ts";
import { ensureMerchantIn } from "#scripts/shared/merchants.ts";
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
  const email = `${randomBytes(6).toString("hex")}@example.com`;
  const merchants: SharedStack["merchants"] = [];
  const database = connect(databaseUrl, { max: 1, application: "strangers" });
  try {
    for (const { name, ...rest } of secrets.merchants) {
      const merchant = { ...rest, name: `${name} ${randomBytes(6).toString("hex")}` };
      const { account } = localMerchant(merchant, { merchantId: "", apiKey: merchant.apiKey });
      const known = await ensureMerchantIn(database, { ...merchant, account });
      merchants.push(localMerchant(merchant, known));
    }
    await createUserLike(database, dashboard.email, { email, merchantId: merchants[0]?.merchantId ?? "" });
  } finally {
    await database.$client.end();
  }
  await setGasBalances(rpcUrl, [payer.address, oracle.address, ...merchants.map(({ account }) => account)]);
  return { merchants, payer, oracle, dashboard: { ...dashboard, email } };
}

/** Creates a dashboard user with the password of another user, because hashing one takes 100 ms of CPU time. */
async function createUserLike(
  database: Database,
  other: string,
  { email, merchantId }: { email: string; merchantId: string },
): Promise<void> {
  await database.transaction(async (tx) => {
    const [known] = await tx
      .select({ hash: dashboardAccount.password })
      .from(dashboardAccount)
      .innerJoin(dashboardUser, eq(dashboardUser.id, dashboardAccount.userId))
      .where(eq(dashboardUser.email, other));
    const user = await insertUser(tx, { email, name: "Demo", merchantId });
    if (!known?.hash || !user) throw new Error(`A user like ${other} could not be created.`);
    await insertPassword(tx, user.id, known.hash);
    await recordUser(tx, user, "user.create", { actor: OPERATOR, mode: null });
  });
}
