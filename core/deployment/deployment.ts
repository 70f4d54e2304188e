// The contract, chain and tokens that the service works with. They are recorded once, after the chain has confirmed
// them. The chain is identified by its genesis block, not only by its chain id.
import { and, eq, isNull, sql } from "drizzle-orm";
import { type Address, getAddress, type Hex, isAddressEqual, keccak256, stringToHex } from "viem";
import type { ChainClient } from "../chain/client.ts";
import type { Config } from "../config/config.ts";
import type { Tokens, TokenUnits } from "../config/token-config.ts";
import { connect, type Database } from "../db/client.ts";
import { deployment } from "../db/schema/deployments.ts";
import { intent } from "../db/schema/intents.ts";
import type { Currency } from "../money.ts";
import { compareSettings, type MoneySettings } from "./compare-settings.ts";
import { type Change, controlChange, requireFinished, requireUnusedTokens } from "./deployment-change.ts";

export type Deployment = typeof deployment.$inferSelect;

export type DeploymentFacts = {
  chainId: number;
  genesisHash: Hex;
  contractAddress: Address;
  startBlock: number;
  tokens: Tokens;
  units: TokenUnits;
  /** The off-ramp wallets that new payments are settled to. */
  wallets: readonly Address[];
};

/** The configuration, the recorded deployment and the chain disagree. */
export class DeploymentMismatch extends Error {
  override readonly name = "DeploymentMismatch";
}

const mismatch = (differences: string[]): DeploymentMismatch =>
  new DeploymentMismatch(differences.join("\n"));

/** Whether a recorded deployment is this contract on this chain. The case of the address does not matter. */
const isSameContract = (recorded: Deployment, { chainId, genesisHash, contract }: MoneySettings): boolean =>
  recorded.chainId === chainId &&
  recorded.genesisHash === genesisHash &&
  isAddressEqual(recorded.contract, contract);

/** The wallets in a configuration, deduplicated and sorted. */
export const listWallets = ({ offRamp, accounts }: Pick<Config, "offRamp" | "accounts">): Address[] =>
  [...new Set([offRamp, ...accounts.flatMap(({ wallets }) => wallets.map(({ address }) => address))])].sort();

/** Hashes the settings that are compared with the chain. */
function hashSettings({ chainId, genesisHash, contract, tokens, units }: MoneySettings): Hex {
  const named = Object.entries(tokens)
    .map(([c, token]) => [c, token.toLowerCase(), units[c]?.decimals, units[c]?.symbol])
    .sort();
  return keccak256(stringToHex(JSON.stringify([chainId, genesisHash, contract.toLowerCase(), named])));
}

/** Hashes the complete record. */
const hashRecord = (settings: MoneySettings & Pick<DeploymentFacts, "startBlock" | "wallets">): Hex =>
  keccak256(
    stringToHex(JSON.stringify([hashSettings(settings), settings.startBlock, [...settings.wallets].sort()])),
  );

type NamedTokens = Pick<MoneySettings, "tokens" | "units">;

/** Returns each token whose setting differs from the record, with a sentence that contains both values. */
export function findTokenChanges(
  recorded: NamedTokens,
  configured: NamedTokens,
): { currency: Currency; sentence: string }[] {
  const currencies = new Set([...Object.keys(recorded.tokens), ...Object.keys(configured.tokens)]);
  return [...currencies].flatMap((currency) => {
    const describe = ({ tokens, units }: NamedTokens) => {
      const [token, unit] = [tokens[currency], units[currency]];
      return (
        token && `${token} for ${currency} with ${unit?.decimals} decimals and the symbol ${unit?.symbol}`
      );
    };
    const [now, known] = [describe(configured), describe(recorded)];
    if (now?.toLowerCase() === known?.toLowerCase()) return [];
    const shown = now ?? `nothing for ${currency}`;
    return {
      currency,
      sentence: `TOKENS lists ${shown}, but the recorded deployment has ${known ?? "nothing"}.`,
    };
  });
}

const describeWallets = (wallets: readonly Address[]): string => wallets.join(", ") || "none";

function findWalletChange(recorded: readonly Address[], configured: readonly Address[]): string[] {
  const differ = describeWallets([...recorded].sort()) !== describeWallets([...configured].sort());
  return differ
    ? [
        `OFF_RAMP_ADDRESS and OFF_RAMP_ACCOUNTS list the wallets ${describeWallets(configured)}, but ` +
          `the recorded deployment has ${describeWallets(recorded)}.`,
      ]
    : [];
}

type Configured = Pick<DeploymentFacts, "chainId" | "tokens" | "units" | "wallets"> & { contract: Address };

const findContractChange = (recorded: Deployment, { chainId, contract }: Configured): string[] =>
  recorded.chainId === chainId && isAddressEqual(recorded.contract, contract)
    ? []
    : [
        `The database belongs to contract ${recorded.contract} on chain ${recorded.chainId}, but the configuration is for ` +
          `contract ${contract} on chain ${chainId}.`,
      ];

/** @throws DeploymentMismatch if the contract, a token or a wallet differs from the recorded one */
function requireRecorded(recorded: Deployment, configured: Configured) {
  const moved = findContractChange(recorded, configured);
  if (moved.length > 0) throw mismatch(moved);
  const differences = findChanges(recorded, configured);
  if (differences.length > 0) {
    throw mismatch([
      ...differences,
      "If the change is intentional, run: npm run migrate -- --change --by NAME --reason TEXT.",
    ]);
  }
}

const findChanges = (recorded: Deployment, configured: Configured): string[] => [
  ...findContractChange(recorded, configured),
  ...findTokenChanges(recorded, configured).map(({ sentence }) => sentence),
  ...findWalletChange(recorded.wallets, configured.wallets),
];

/**
 * Compares settings with the chain.
 * @returns currencies whose tokens the contract does not accept for new orders
 * @throws DeploymentMismatch, which names both values of each differing setting, or ServiceError 503 if the node does
 * not respond
 */
export async function verifyOnChain(client: ChainClient, settings: MoneySettings): Promise<Currency[]> {
  const { differences, unlisted } = await compareSettings(client, settings);
  if (differences.length > 0) throw mismatch(differences);
  return unlisted;
}

export const describeUnlisted = (
  { contract, tokens }: Pick<MoneySettings, "contract" | "tokens">,
  currency: Currency,
): string =>
  `TOKENS lists ${tokens[currency]} for ${currency}, which is not listed in the escrow contract ${contract}: ` +
  "it does not accept new orders in this token.";

/** How settings are verified. */
export type Verification = {
  client: ChainClient;
  environment: "local" | "production";
  /** The command that verifies the settings. */
  verifiedBy: string;
  /**
   * Who requests or approves a change of the record. Without a change, settings that differ from the record are
   * rejected.
   */
  change?: Change;
};

/**
 * Makes a deployment the current one after the chain has confirmed its settings. A local chain is kept in memory, so a
 * different genesis block means a new chain, and the intents of the old chain are orphaned. In production, a different
 * genesis block is a mistake or an attack.
 * @returns whether another deployment was replaced, the number of unfinished intents that this orphaned, the currencies
 * whose tokens the contract has stopped listing since their first verification, and the operation under which a change
 * waits for a second person, in which case nothing is recorded yet
 * @throws DeploymentMismatch if the chain differs, if a token is not listed and never was, or if other settings are
 * recorded
 */
export async function recordDeployment(
  databaseUrl: string,
  { contractAddress, ...facts }: DeploymentFacts,
  { client, environment, verifiedBy, change }: Verification,
): Promise<{ changed: boolean; orphaned: number; unlisted: Currency[]; waits?: number }> {
  const database = connect(databaseUrl, { max: 1, application: "deployment" });
  const settings = { ...facts, wallets: [...facts.wallets], contract: getAddress(contractAddress) };
  try {
    return await database.transaction(async (tx) => {
      await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('gateway.deployment', 0))`);
      const [current] = await tx.select().from(deployment).where(eq(deployment.current, true));
      const replaced = current && isSameContract(current, settings) ? undefined : current;
      if (replaced && change) await requireFinished(tx, replaced.id);
      else if (replaced && (environment === "production" || replaced.genesisHash === facts.genesisHash)) {
        throw mismatch([
          `The database belongs to contract ${replaced.contract} on chain ${replaced.chainId} with genesis ` +
            `${replaced.genesisHash}, but the node is on a chain with genesis ${facts.genesisHash} and contract ` +
            `${settings.contract}. Check RPC_URL and CONTRACT_ADDRESS, or use another database.`,
          "If the change is intentional, run: npm run migrate -- --change --by NAME --reason TEXT.",
        ]);
      }
      if (current && !replaced && change)
        await requireUnusedTokens(tx, current, findTokenChanges(current, settings));
      else if (current && !replaced) requireRecorded(current, settings);
      const verifiedHash = hashSettings(settings);
      const unlisted = await verifyOnChain(client, settings);
      if (unlisted.length > 0 && current?.verifiedHash !== verifiedHash) {
        throw mismatch(unlisted.map((currency) => describeUnlisted(settings, currency)));
      }
      const changes = current ? findChanges(current, settings) : [];
      if (current && change && (replaced || changes.length > 0 || "approves" in change)) {
        const [fromHash, settingsHash] = [hashRecord(current), hashRecord(settings)];
        const recorded = { before: current, verifiedHash, fromHash, settingsHash, changes };
        const waits = await controlChange(tx, recorded, change);
        if (waits !== undefined) return { changed: false, orphaned: 0, unlisted, waits };
      }
      const verified = { verifiedHash, verifiedAt: new Date(), verifiedBy };
      if (replaced) await tx.update(deployment).set({ current: false }).where(eq(deployment.id, replaced.id));
      await tx
        .insert(deployment)
        .values({ ...settings, ...verified, current: true })
        .onConflictDoUpdate({
          target: [deployment.chainId, deployment.genesisHash, deployment.contract],
          set: {
            tokens: settings.tokens,
            units: settings.units,
            wallets: settings.wallets,
            ...verified,
            current: true,
          },
        });
      const orphaned = replaced
        ? await tx.$count(intent, and(eq(intent.deploymentId, replaced.id), isNull(intent.endedAs)))
        : 0;
      return { changed: replaced !== undefined, orphaned, unlisted };
    });
  } finally {
    await database.$client.end();
  }
}

/**
 * Returns the recorded deployment. Its settings were verified on chain, and match the configuration.
 * @throws DeploymentMismatch if the settings do not match
 */
export async function readDeployment(
  database: Database,
  config: Pick<Config, "chain" | "offRamp" | "accounts">,
): Promise<Deployment> {
  const { chain } = config;
  const [current] = await database.select().from(deployment).where(eq(deployment.current, true));
  if (!current) {
    throw mismatch([
      "No deployment is recorded in this database. Run `npm run migrate` before starting roles.",
    ]);
  }
  const { id: chainId, contract, tokens, units } = chain;
  requireRecorded(current, { chainId, contract, tokens, units, wallets: listWallets(config) });
  if (current.verifiedHash !== hashSettings(current)) {
    throw mismatch([
      `The contract ${current.contract} and its tokens were not verified on chain ${current.chainId}. Run ` +
        "`npm run migrate` before starting roles.",
    ]);
  }
  return current;
}

/**
 * Returns the recorded deployment after comparing it with the configuration and with the chain.
 * @throws DeploymentMismatch if they differ, ServiceError 503 if the node does not respond
 */
export async function currentDeployment(
  database: Database,
  client: ChainClient,
  config: Pick<Config, "chain" | "offRamp" | "accounts">,
): Promise<Deployment> {
  const current = await readDeployment(database, config);
  await verifyOnChain(client, current);
  return current;
}
