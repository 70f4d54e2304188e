// Determines whether a wallet has funds for a payout. If its funds are insufficient, the oldest payouts are paid first.
import { isAddressEqual } from "viem";
import { asError } from "../runtime/as-error.ts";
import type { Context } from "../runtime/context.ts";
import type { Problems } from "../runtime/problems.ts";
import { type Allocating, type Allocation, createAllocation, storeBalance } from "./allocate-funds.ts";
import { findRetryTurn, type Retry } from "./retry-funds.ts";
import type { WalletToken } from "./wallet-token.ts";
import {
  type Age,
  computeLack,
  findNewestFunded,
  isNotNewer,
  readWallets,
  type Sources,
  type Turn,
  type Wallet,
} from "./wallets.ts";

/** How long wallet balances are reused; many batches are processed in that time. */
const FRESH_MS = 1_000;

/** Until the provider reports that allocated funds have left the wallet, they count twice. This is not a shortage. */
const REPORTED_MS = 60_000;

/** The newest payout that can be paid together with all older ones. `all`: every payout can be paid. */
type Newest = Age | "all" | undefined;

/** A wallet's funds at the time of the read. */
type Reading = Wallet & {
  balance: bigint;
  /** For the waiting payouts, and for the payouts whose funds are allocated. */
  newest: Record<"waiting" | "allocated", Newest>;
};

type PendingRead = {
  wallets: Promise<(Reading | Wallet)[]>;
  beganAt: number;
  /** Infinity until the read ends. */
  endedAt: number;
};

export type WalletFunds = {
  /** Starts to read the wallets, unless a recent read can be reused. */
  prefetch(): void;
  /**
   * Returns when a payout can be paid from its wallet.
   * @throws if the wallet's balance cannot be read
   */
  findTurn(row: Retry & Allocating, place: WalletToken): Promise<Turn>;
  /** Allocates a payout's funds. The payout may be ordered only afterwards. */
  allocate(row: Allocating, place: WalletToken): Promise<Exclude<Allocation, "short"> | Exclude<Turn, "now">>;
};

const formatWallet = ({ offRamp, token }: WalletToken): string => `wallet ${offRamp} of ${token}`;

const isRead = (wallet: Reading | Wallet): wallet is Reading => !(wallet.balance instanceof Error);

/** Creates the funds check. It logs each shortage once, and its end once. */
export function createWalletFunds(
  sources: Sources & Pick<Context, "guard">,
  problems: Problems,
): WalletFunds {
  const { database } = sources;
  const allocate = createAllocation(database);

  /** Wallets whose funds that are not allocated are too low, and since when. */
  const shortSince = new Map<string, number>();

  function report(wallets: readonly (Wallet | Reading)[]): void {
    const isShort = (wallet: Wallet | Reading) => !isRead(wallet) || wallet.newest.waiting !== "all";
    const short = new Map(wallets.filter(isShort).map((wallet) => [formatWallet(wallet), wallet]));
    for (const subject of shortSince.keys()) {
      if (short.has(subject)) continue;
      shortSince.delete(subject);
      problems.resolve(subject);
    }
    for (const [subject, wallet] of short) {
      const since = shortSince.get(subject) ?? performance.now();
      shortSince.set(subject, since);
      const lack = computeLack(wallet);
      if (wallet.balance instanceof Error) problems.report(subject, wallet.balance);
      else if (lack > 0n) {
        problems.report(subject, new Error(`The wallet lacks ${lack} units: its newest payouts wait.`));
      } else if (performance.now() - since > REPORTED_MS) {
        const cause =
          "Its newest payouts wait, because the providers have not taken the funds of payouts that are ordered.";
        problems.report(subject, new Error(cause));
      }
    }
  }

  async function findNewest(wallet: Wallet, balance: bigint): Promise<Reading> {
    const { allocated, need } = wallet;
    const free = balance - allocated;
    const find = (among: "waiting" | "allocated", amount: bigint): Promise<Newest> =>
      findNewestFunded(sources, wallet, { among, amount });
    const newest: Reading["newest"] = {
      waiting: need === 0n || need <= free ? "all" : await find("waiting", free),
      allocated: allocated <= balance ? "all" : await find("allocated", balance),
    };
    return { ...wallet, balance, newest };
  }

  async function complete(wallet: Wallet): Promise<Reading | Wallet> {
    if (wallet.balance instanceof Error) return wallet;
    try {
      await storeBalance(database, wallet);
      return await findNewest(wallet, wallet.balance);
    } catch (error) {
      // A failure of one wallet must not delay the others.
      return { ...wallet, balance: asError(error) };
    }
  }

  async function read(): Promise<(Reading | Wallet)[]> {
    const wallets = await Promise.all((await readWallets(sources)).map(complete));
    report(wallets);
    return wallets;
  }

  let last: PendingRead | undefined;

  function startRead(): PendingRead {
    const mine: PendingRead = {
      wallets: read(),
      beganAt: performance.now(),
      endedAt: Number.POSITIVE_INFINITY,
    };
    mine.wallets.then(
      () => {
        mine.endedAt = performance.now();
      },
      () => {
        if (last === mine) last = undefined;
      },
    );
    last = mine;
    return mine;
  }

  /** Returns the latest read if it is recent or still running, otherwise starts a new one. */
  const recent = (): PendingRead =>
    last && last.endedAt >= performance.now() - FRESH_MS ? last : startRead();

  /** Returns the latest read if it started at this time or later, otherwise starts a new one. */
  const since = (at: number): PendingRead => (last && last.beganAt >= at ? last : startRead());

  async function find({ wallets }: PendingRead, place: WalletToken): Promise<Reading | undefined> {
    const found = (await wallets).find(
      ({ token, offRamp }) => isAddressEqual(token, place.token) && isAddressEqual(offRamp, place.offRamp),
    );
    if (found && !isRead(found)) throw found.balance;
    return found;
  }

  function computeTurn(row: Retry & Allocating, wallet: Reading | undefined): Turn {
    if (!wallet) return "later";
    const newest = wallet.newest[row.allocated ? "allocated" : "waiting"];
    // A retry does not compete with payouts that are ordered for the first time.
    const competes = row.attempt === 1 || row.allocated;
    if (!competes || newest === "all" || (newest && isNotNewer(row, newest))) return "now";
    return row.allocated || computeLack(wallet) === 0n ? "soon" : "later";
  }

  return {
    prefetch() {
      recent();
    },
    async findTurn(row, place) {
      const asked = performance.now();
      // If the wallet is unknown, nothing was to be paid from it at the time of that read.
      const wallet = (await find(recent(), place)) ?? (await find(since(asked), place));
      const turn = computeTurn(row, wallet);
      if (turn !== "now" || row.attempt === 1 || row.allocated) return turn;
      return findRetryTurn(sources, row, place);
    },
    async allocate(row, place) {
      const asked = performance.now();
      const result = await allocate({ row, place });
      if (result !== "short") return result;
      // Funds may have arrived since the balance was read.
      const wallet = await find(since(asked), place);
      const again = await allocate({ row, place });
      if (again !== "short") return again;
      return wallet && computeLack(wallet) === 0n ? "soon" : "later";
    },
  };
}
