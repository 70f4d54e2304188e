// Actions of people during payments: operators and impatient merchants.
import { setTimeout as delay } from "node:timers/promises";
import { generatePrivateKey, privateKeyToAddress } from "viem/accounts";
import { readConfig } from "#core/config/config.ts";
import { connect, type Database } from "#core/db/client.ts";
import { SWITCHES, type SwitchName } from "#core/model/control-names.ts";
import { formatAmount } from "#core/money.ts";
import { approve, ask } from "#scripts/cli/ops/approve.ts";
import { CONTROLLED } from "#scripts/cli/ops/controlled.ts";
import { turn } from "#scripts/cli/ops/controls.ts";
import { deadPayouts } from "#scripts/cli/ops/lists.ts";
import { openChain } from "#scripts/cli/shared/open-chain.ts";
import { freePort } from "#scripts/devnet/ports.ts";
import { roleProcessReady, startRoleProcess } from "#scripts/devnet/roles.ts";
import { startProvider } from "#scripts/provider/provider.ts";
import { openOffRamps } from "#settlement/off-ramp/open-off-ramps.ts";
import type { Actor } from "./actor.ts";
import { TIMEOUT_MS, type World } from "./world.ts";

/** Interval at which an impatient merchant requests another attempt. */
const IMPATIENT_MS = 250;
/** Time within which a misconfigured process reports the problem. */
const REFUSES_MS = 20_000;

/** Retries an operator's command while a database or a provider is unavailable. */
async function insist<T>(work: (database: Database) => Promise<T>, { stack }: World): Promise<T> {
  const deadline = Date.now() + TIMEOUT_MS;
  for (;;) {
    const database = connect(stack.databaseUrl, { max: 2, application: "faults" });
    try {
      return await work(database);
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await delay(1_000);
    } finally {
      await database.$client.end().catch(() => undefined);
    }
  }
}

/** Stops relaying, settling or payouts for a while, as an operator does, and resumes them. */
export async function useKillSwitch(world: World, size: number, forMs: number): Promise<number> {
  const name = SWITCHES[size % SWITCHES.length] as SwitchName;
  await insist((database) => turn(database, name, "a drill", "Ada"), world);
  await delay(forMs);
  await insist((database) => turn(database, name, undefined, "Ada"), world);
  return 1;
}

/** Repeatedly requests another attempt of every payment, as impatient merchants do. */
export async function retryAll(actors: readonly Actor[], forMs: number): Promise<number> {
  let asked = 0;
  // The money of a returned payout is available again only once the provider reports it. A retry waits for that.
  const impatient = actors.filter(({ plan }) => plan.fate !== "returned");
  for (const until = Date.now() + forMs; Date.now() < until; await delay(IMPATIENT_MS)) {
    for (const actor of impatient.filter(({ id }) => id)) {
      await actor.want("settlement/retry");
      asked++;
    }
  }
  return asked;
}

/** Starts a process with two tokens swapped. @throws Error if the process becomes ready */
export async function startWithWrongTokens({ stack }: World): Promise<number> {
  const {
    USDC = "",
    USDT = "",
    ...others
  } = JSON.parse(stack.environment.TOKENS ?? "{}") as Record<string, string>;
  const environment = {
    ...stack.environment,
    TOKENS: JSON.stringify({ ...others, USDC: USDT, USDT: USDC }),
    SETTLEMENT_PORT: String(await freePort()),
    WEBHOOK_PORT: String(await freePort()),
  };
  const child = await startRoleProcess("settlement", environment, `${stack.logs}/wrong-tokens.log`);
  const outcome = await Promise.race([
    child.exited.then(() => "refused"),
    roleProcessReady(child, environment).then(
      () => "works",
      () => "refused",
    ),
    delay(REFUSES_MS).then(() => "silent"),
  ]);
  await child.stop({ signal: "SIGKILL" });
  if (outcome === "works") throw new Error("A process with two tokens exchanged has started to work.");
  return outcome === "refused" ? 1 : 0;
}

/**
 * Restarts the settlement role with a wrong account and wallet, and then with the right ones.
 * @throws Error if the wrong account pays
 */
export async function changeAccount(world: World, forMs: number): Promise<number> {
  const walletAddress = privateKeyToAddress(generatePrivateKey());
  const other = startProvider({
    webhookUrl: "http://127.0.0.1:1",
    walletAddress,
    account: "other",
    minMs: 10,
    maxMs: 20,
  });
  const right = { ...world.settlementEnvironment };
  const { settlement } = world.roles;
  Object.assign(world.settlementEnvironment, other.environment, { OFF_RAMP_ADDRESS: walletAddress });
  world.settlementDied = true;
  settlement.kill();
  await delay(forMs);
  Object.assign(world.settlementEnvironment, right);
  const before = settlement.restarts;
  settlement.kill();
  await settlement.untilReturned(before);
  const paid = other.paid().size;
  await other.stop();
  if (paid > 0)
    throw new Error(`Another account has paid ${paid} payouts that were settled to the first one's wallet.`);
  return 1;
}

/**
 * Pays a payout by hand that a bank has rejected permanently, as operators do. A second person approves it if required.
 */
export async function payByHand({ world, id }: Actor): Promise<void> {
  const { environment, rpcUrl } = world.stack;
  const config = readConfig({ ...process.env, ...environment, RPC_URL: rpcUrl });
  await insist(async (database) => {
    const offRamps = await openOffRamps(config, database);
    const parts = {
      ...{ database, offRamps: async () => offRamps, feeBearer: config.returnFeeBearer },
      chain: () => openChain(config, database),
    };
    const dead = (await deadPayouts(database)).filter(({ intent }) => intent === id);
    for (const { id: payoutId } of dead) {
      const [row] = await world.query<{ amount: string; currency: string; day: string }>(
        `select amount::text, currency, to_char(settled_at at time zone 'UTC', 'YYYY-MM-DD') as day
          from gateway.payout where id = substr($1, 8)::uuid`,
        [payoutId],
      );
      const amount = formatAmount(BigInt(row?.amount ?? 0), row?.currency ?? "");
      const given = { reference: `by hand ${id}`, amount, date: row?.day ?? "" };
      const asked = { subject: String(payoutId), arguments: given, by: "Ada" };
      const { operation, waits } = await ask(parts, CONTROLLED, "settle-externally", asked);
      if (waits) await approve(parts, CONTROLLED, operation, "Grace");
    }
  }, world);
}

/** Lets the bank return an arrived payout after its return window. */
export async function giveBack({ world, id }: Actor): Promise<void> {
  const rows = await world.query<{ reference: string }>(
    "select reference from gateway.payout where intent_id = decode(substr($1, 8), 'hex') and state = 'completed'",
    [id],
  );
  for (const { reference } of rows) await world.stack.provider.giveBack(reference);
}
