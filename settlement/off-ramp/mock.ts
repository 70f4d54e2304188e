// A simulated bank. Like a real bank, it has its own schema and transactions: an accepted transfer stays accepted even
// if the response is lost. README.md in this folder lists the rules for destinations.
import type { Pool } from "pg";
import { batched, together } from "#core/db/batch.ts";
import type { Currency } from "#core/money.ts";
import { type OffRamp, type Transfer, type TransferOrder, TransferRefused } from "./off-ramp.ts";

export type MockBankOptions = {
  /** The bank's own connections. */
  pool: Pool;
  /**
   * Duration of a transfer after it is accepted, in milliseconds: a random value in this range. The spec's 10 to 30
   * seconds are the defaults of MOCK_PAYOUT_MIN_MS and MOCK_PAYOUT_MAX_MS (core/config/config.ts).
   */
  minMs: number;
  maxMs: number;
  /** Whether destinations can request misbehavior; only locally and in tests. */
  rules: boolean;
};

type Fate = { outcome: "completed" | "failed" | "returned"; slower: number };

/** Factor by which a `slow_` transfer takes longer. */
const SLOW = 10;

/** Fraction of the delivery time, counted from delivery, after which a `returned_` transfer comes back. */
const RETURN_SHARE = 0.5;

const TABLES = `
  create schema if not exists mock_bank;
  create table if not exists mock_bank.transfer (
    reference text primary key,
    id text not null,
    amount numeric(40) not null,
    currency text not null,
    destination text not null,
    outcome text not null,
    accepted_at timestamptz not null default clock_timestamp(),
    completes_at timestamptz not null,
    returns_at timestamptz
  );
  create index if not exists transfer_fail_once on mock_bank.transfer (destination)
    where starts_with(destination, 'fail_once_');
  create index if not exists transfer_id on mock_bank.transfer (id);
  create index if not exists transfer_accepted_at on mock_bank.transfer using brin (accepted_at);`;

type Row = {
  reference: string;
  id: string;
  amount: string;
  currency: Currency;
  outcome: Fate["outcome"] | "canceled";
  accepted_at: Date;
  completes_at: Date;
  returns_at: Date | null;
  now: Date;
};

type New = Pick<Row, "reference" | "id" | "amount" | "currency"> & {
  destination: string;
  outcome: Fate["outcome"];
  /** Milliseconds until the transfer ends, and until it is returned. */
  takes: number;
  returnsAfter: number | null;
};

/** The bank's response, computed from the stored transfer. */
type Made = Pick<Row, "id" | "accepted_at" | "completes_at" | "returns_at" | "now">;

const TIMES = "accepted_at, completes_at, returns_at, clock_timestamp() as now";
const COLUMNS = `reference, id, amount::text, currency, outcome, ${TIMES}`;

function deriveState(row: Row): Transfer["state"] {
  if (row.outcome === "canceled") return "failed";
  if (row.now < row.completes_at) return "pending";
  if (row.outcome === "failed") return "failed";
  return row.returns_at && row.now >= row.returns_at ? "returned" : "completed";
}

const FAILURES = {
  completed: null,
  failed: "account closed",
  returned: "returned by the receiving bank",
  canceled: "canceled",
} as const;

/** Number of transfers per page. */
const PAGE = 500;

function toTransfer(row: Row): Transfer {
  const state = deriveState(row);
  const coming = state === "pending" ? row.completes_at : state === "completed" ? row.returns_at : null;
  return {
    providerId: row.id,
    reference: row.reference,
    amount: BigInt(row.amount),
    fee: 0n,
    currency: row.currency,
    state,
    ...(state === "pending" && { awaitsFunds: false }),
    createdAt: row.accepted_at,
    completedAt: state === "completed" || state === "returned" ? row.completes_at : null,
    failure: state === "failed" || state === "returned" ? FAILURES[row.outcome] : null,
    ...(row.outcome === "canceled" && { canceled: true }),
    nextPollAt: coming,
  };
}

/** Opens the bank, and creates its tables if necessary. */
export async function openMockBank(options: MockBankOptions): Promise<OffRamp> {
  const { pool, minMs, maxMs, rules } = options;
  const client = await pool.connect();
  let isOpen = false;
  try {
    // Two replicas may open the bank concurrently, and "if not exists" alone does not prevent a conflict.
    await client.query("begin; select pg_advisory_xact_lock(hashtextextended('mock_bank', 0))");
    await client.query(TABLES);
    await client.query("commit");
    isOpen = true;
  } finally {
    // The pool closes a connection whose transaction has not ended.
    client.release(!isOpen);
  }

  async function decideFate(destination: string): Promise<Fate> {
    if (!rules) return { outcome: "completed", slower: 1 };
    if (destination.startsWith("fail_once_")) {
      const known = await pool.query(
        "select from mock_bank.transfer where destination = $1 and starts_with(destination, 'fail_once_')",
        [destination],
      );
      return { outcome: known.rowCount === 0 ? "failed" : "completed", slower: 1 };
    }
    if (destination.startsWith("fail_")) return { outcome: "failed", slower: 1 };
    if (destination.startsWith("returned_")) return { outcome: "returned", slower: 1 };
    return { outcome: "completed", slower: destination.startsWith("slow_") ? SLOW : 1 };
  }

  const find = batched<string, Transfer>(
    async (references) => {
      const { rows } = await pool.query<Row>({
        name: "mock_bank_find",
        text: `select ${COLUMNS} from mock_bank.transfer where reference = any($1)`,
        values: [references],
      });
      return rows.map(toTransfer);
    },
    ({ reference }) => reference,
  );

  /** @returns undefined if a transfer with this reference already exists */
  const insert = together<New, Transfer | undefined>(async (transfers) => {
    const { rows } = await pool.query<Made>({
      name: "mock_bank_create",
      text: `insert into mock_bank.transfer (reference, id, amount, currency, destination, outcome, completes_at, returns_at)
        select reference, id, amount, currency, destination, outcome,
          clock_timestamp() + takes * interval '1 ms', clock_timestamp() + "returnsAfter" * interval '1 ms'
        from json_to_recordset($1) as new (reference text, id text, amount numeric, currency text, destination text,
          outcome text, takes float8, "returnsAfter" float8)
        on conflict (reference) do nothing returning id, ${TIMES}`,
      values: [JSON.stringify(transfers)],
    });
    const made = new Map(rows.map((row) => [row.id, row]));
    return transfers.map((transfer) => {
      const row = made.get(transfer.id);
      return row && toTransfer({ ...transfer, ...row });
    });
  });

  async function create(order: TransferOrder): Promise<Transfer> {
    const { reference, amount, currency, destination } = order;
    if (rules && destination.startsWith("refused_")) throw new TransferRefused("destination not accepted");
    const { outcome, slower } = await decideFate(destination);
    const takes = (minMs + Math.random() * Math.max(0, maxMs - minMs)) * slower;
    const made = await insert({
      reference,
      id: `mock_${Bun.randomUUIDv7()}`,
      amount: amount.toString(),
      currency,
      destination,
      outcome,
      takes,
      returnsAfter: outcome === "returned" ? takes * (1 + RETURN_SHARE) : null,
    });
    if (rules && destination.startsWith("lost_answer_")) throw new Error("The bank's response timed out.");
    const accepted = made ?? (await find(reference));
    if (!accepted) throw new Error("The bank lost a transfer that it had accepted.");
    return accepted;
  }

  async function loadReference(id: string): Promise<string> {
    const { rows } = await pool.query<{ reference: string }>(
      "select reference from mock_bank.transfer where id = $1",
      [id],
    );
    return rows[0]?.reference ?? "";
  }

  async function cancel(reference: string): Promise<Transfer> {
    await pool.query(
      `update mock_bank.transfer set outcome = 'canceled' where reference = $1 and clock_timestamp() < completes_at`,
      [reference],
    );
    const known = await find(reference);
    if (!known) throw new Error("The bank has no such transfer.");
    return known;
  }

  async function* transfers({ since, after: last }: { since: Date; after?: string }) {
    let after = last === undefined ? "" : await loadReference(last);
    for (;;) {
      const { rows }: { rows: Row[] } = await pool.query<Row>(
        `select ${COLUMNS} from mock_bank.transfer where accepted_at >= $1 and reference > $2
          order by reference limit ${PAGE}`,
        [since, after],
      );
      yield* rows.map(toTransfer);
      const last = rows.at(-1);
      if (!last || rows.length < PAGE) return;
      after = last.reference;
    }
  }

  return {
    account: "mock",
    hasWallets: false,
    atOnce: Number.POSITIVE_INFINITY,
    lookUpAfterMs: 500,
    quote: () => ({ fee: 0n, seconds: Math.ceil(maxMs / 1_000) }),
    lookUp: find,
    create,
    cancel,
    transfers,
  };
}
