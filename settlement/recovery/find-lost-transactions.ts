// Finds the operator's transactions that are on chain but not in the database: nonces that went backwards, calls whose
// rows are lost, and calls that lost their nonce to another call in the database. A lost call is found in its block,
// and stored as it was signed.
import { and, eq, inArray, max, ne, sql } from "drizzle-orm";
import { type Hex, keccak256, type Transaction as Sent, serializeTransaction } from "viem";
import { askChain } from "#core/chain/client.ts";
import { signer, transaction, transactionAttempt, transactionOrder } from "#core/db/schema/transactions.ts";
import { newId } from "#core/ids.ts";
import { loadReceipt, PENDING, readOutcome } from "../escrow/transaction-outcome.ts";
import type { Context } from "../runtime/context.ts";
import { decodeSent, type SentCall } from "./decode-sent.ts";
import type { Note, Repair } from "./repair.ts";

/** Maximum number of blocks that are read: about a week and a half with 12 seconds per block. */
const MOST_BLOCKS = 75_000;
const BLOCKS_AT_ONCE = 20;

/** Returns the signed bytes; undefined if they cannot be derived from the node's response. */
function serializeSent(sent: Sent): Hex | undefined {
  const { r, s, yParity, hash } = sent;
  if (sent.type !== "eip1559" || yParity === undefined) return undefined;
  const {
    chainId,
    nonce,
    to,
    input: data,
    gas,
    value,
    maxFeePerGas,
    maxPriorityFeePerGas,
    accessList,
  } = sent;
  const raw = serializeTransaction(
    {
      ...{ type: "eip1559", chainId, nonce, to, data, gas, value, maxFeePerGas },
      maxPriorityFeePerGas,
      accessList,
    },
    { r, s, yParity },
  );
  return keccak256(raw) === hash ? raw : undefined;
}

/** Finds the operator's transactions with these nonces, from the newest block back to a given time. */
async function findSent({ client }: Context, from: string, nonces: ReadonlySet<number>, since: Date) {
  const missing = new Set(nonces);
  const found: Sent[] = [];
  const head = Number(await askChain(() => client.getBlockNumber({ cacheTime: 0 })));
  const least = Math.max(0, head - MOST_BLOCKS);
  for (let top = head; top >= least && missing.size > 0; top -= BLOCKS_AT_ONCE) {
    const numbers = Array.from(
      { length: Math.min(BLOCKS_AT_ONCE, top - least + 1) },
      (_, index) => top - index,
    );
    const blocks = await Promise.all(
      numbers.map((number) =>
        askChain(() => client.getBlock({ blockNumber: BigInt(number), includeTransactions: true })),
      ),
    );
    for (const sent of blocks.flatMap(({ transactions }) => transactions)) {
      if (sent.from.toLowerCase() !== from.toLowerCase() || !missing.delete(sent.nonce)) continue;
      found.push(sent);
    }
    const oldest = Math.min(...blocks.map(({ timestamp }) => Number(timestamp)));
    if (oldest * 1_000 < since.getTime()) break;
  }
  return found;
}

async function readNonces({ database, client, deployment, relayer }: Context) {
  const { address } = relayer.account;
  const isOurs = and(eq(transaction.deploymentId, deployment.id), eq(transaction.signer, address));
  const onChain = await askChain(() => client.getTransactionCount({ address }));
  const pending = await askChain(() => client.getTransactionCount({ address, blockTag: "pending" }));
  const [stored] = await database
    .select({ last: max(transaction.nonce) })
    .from(transaction)
    .where(isOurs);
  const [row] = await database
    .select({ next: signer.nextNonce })
    .from(signer)
    .where(and(eq(signer.deploymentId, deployment.id), eq(signer.address, address)));
  const { rows } = await database.execute<{ nonce: number }>(sql`
    select n.nonce from generate_series(0, ${onChain - 1}::int) n (nonce)
    where not exists (select from ${transaction} where ${isOurs} and ${transaction.nonce} = n.nonce
      and ${transaction.state} = 'final')`);
  const free = Math.max(onChain, pending, (stored?.last ?? -1) + 1);
  return { next: row?.next ?? 0, free, unexplained: new Set(rows.map(({ nonce }) => nonce)) };
}

/**
 * Stores a call as it was signed, with its orders and the data of its receipt. Its fee is posted to the orders'
 * payments once the resolver has found the transaction final. If the database has another call with this nonce, that
 * call was never executed, because the chain included this one.
 */
async function storeSent(
  context: Context,
  sent: Sent,
  raw: Hex,
  { purpose, orderIds }: SentCall,
  note: Note,
) {
  const { database, client, deployment, relayer } = context;
  const receipt = await loadReceipt(client, sent.hash);
  const outcome = receipt ? readOutcome(receipt, "mined") : PENDING;
  await database.transaction(async (tx) => {
    const key = { deploymentId: deployment.id, signer: relayer.account.address, nonce: sent.nonce };
    const [row] = await tx
      .insert(transaction)
      .values({ ...key, id: newId("tx"), purpose, ...outcome })
      .onConflictDoUpdate({
        target: [transaction.deploymentId, transaction.signer, transaction.nonce],
        set: { purpose, ...outcome, updatedAt: sql`clock_timestamp()` },
        setWhere: ne(transaction.state, "final"),
      })
      .returning({ id: transaction.id });
    if (!row) return;
    const transactionId = row.id;
    await tx
      .insert(transactionAttempt)
      .values({
        ...{ hash: sent.hash, transactionId, raw, maxFeePerGas: sent.maxFeePerGas ?? 0n },
        maxPriorityFeePerGas: sent.maxPriorityFeePerGas ?? 0n,
      })
      .onConflictDoNothing();
    await tx.delete(transactionOrder).where(eq(transactionOrder.transactionId, transactionId));
    const orders = orderIds.map((orderId) => ({ transactionId, orderId, purpose }));
    if (orders.length > 0) await tx.insert(transactionOrder).values(orders);
    await note(tx);
  });
}

/** Returns the transactions without a stored attempt; the outcome of the others is known without a search. */
async function listUnknown({ database }: Context, sent: readonly Sent[]): Promise<Sent[]> {
  if (sent.length === 0) return [];
  const hashes = sent.map(({ hash }) => hash);
  const stored = await database
    .select({ hash: transactionAttempt.hash })
    .from(transactionAttempt)
    .where(inArray(transactionAttempt.hash, hashes));
  const known = new Set(stored.map(({ hash }) => hash));
  return sent.filter(({ hash }) => !known.has(hash));
}

function describeCall({ purpose, orderIds: [first, ...others] }: SentCall): string {
  if (!first) return purpose;
  return others.length === 0 ? `${purpose} of ${first}` : `${purpose} of ${others.length + 1} orders`;
}

/**
 * Finds lost transactions. A signing key serves one deployment, so each nonce that the chain has used must have a row
 * here with the mined transaction.
 */
export async function findLostTransactions(context: Context, since: Date): Promise<Repair[]> {
  const { database, deployment, relayer } = context;
  const { address } = relayer.account;
  const { next, free, unexplained } = await readNonces(context);
  const repairs: Repair[] = [];
  const sent = unexplained.size > 0 ? await findSent(context, address, unexplained, since) : [];
  for (const one of await listUnknown(context, sent)) {
    const call = decodeSent(one, deployment);
    const raw = serializeSent(one);
    const says = `Transaction ${one.hash} with nonce ${one.nonce} is on chain, but not in the database.`;
    const base = { kind: "transaction_lost", about: one.hash, says } as const;
    if (!call || !raw) {
      repairs.push({
        ...base,
        does: "Nothing: it is not a call by the relayer. Check whether someone else uses the key.",
      });
      continue;
    }
    repairs.push({
      ...{ ...base, does: `Stores the signed transaction (${describeCall(call)}).` },
      apply: (note) => storeSent(context, one, raw, call, note),
    });
  }
  if (next < free) {
    repairs.push({
      ...{ kind: "nonce_behind", about: address },
      says: `The next nonce of ${address} is ${next} in the database, but ${free} according to the chain and the stored transactions.`,
      does: `Sets it to ${free}.`,
      apply: (note) =>
        database.transaction(async (tx) => {
          await tx
            .insert(signer)
            .values({ deploymentId: deployment.id, address, nextNonce: free })
            .onConflictDoUpdate({
              target: [signer.deploymentId, signer.address],
              set: { nextNonce: sql`greatest(${signer.nextNonce}, ${free})` },
            });
          await note(tx);
        }),
    });
  }
  return repairs;
}
