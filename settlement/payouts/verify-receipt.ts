// Checks against the chain itself, not the indexer, whether an on-chain settlement may be paid out.
import { parseEventLogs, TransactionReceiptNotFoundError } from "viem";
import { deliveryVsPaymentAbi } from "#core/chain/abi/delivery-vs-payment.ts";
import { askChain } from "#core/chain/client.ts";
import type * as chain from "#core/db/chain.ts";
import type { Context } from "../runtime/context.ts";
import { finalizedBlock } from "../runtime/finalized-block.ts";

/** The facts of a settlement that its receipt must contain. */
export type VerifiableSettlement = Pick<
  typeof chain.settlement.$inferSelect,
  "orderId" | "offRamp" | "amount" | "blockHash" | "txHash"
>;

/** A settlement with this problem is not invalid: it waits. */
export const NOT_DEEP = "the settlement's block is not confirmed";

/** @returns the reason why the settlement must not be paid out (yet); undefined if it may be paid out */
export type SettlementVerifier = (settlement: VerifiableSettlement) => Promise<string | undefined>;

/**
 * Creates a check for one run, which reads the chain's tip, its finalized block and each receipt once. A block is
 * confirmed after `confirmations` blocks and, on networks with finality, not before it is finalized.
 */
export function createSettlementVerifier({
  client,
  config,
  deployment,
}: Pick<Context, "client" | "config" | "deployment">): SettlementVerifier {
  const { confirmations } = config.chain;
  let depth: Promise<bigint> | undefined;
  const receipts = new Map<string, ReturnType<typeof client.getTransactionReceipt>>();

  /** The latest confirmed block. */
  async function deepBlock(): Promise<bigint> {
    const tip = await askChain(() => client.getBlockNumber({ cacheTime: 0 }));
    const deep = tip - BigInt(confirmations) + 1n;
    const finalized = await finalizedBlock({ client, config });
    return finalized !== undefined && finalized < deep ? finalized : deep;
  }

  return async ({ orderId, offRamp, amount, blockHash, txHash }) => {
    let asked = receipts.get(txHash);
    if (!asked) {
      asked = askChain(() => client.getTransactionReceipt({ hash: txHash }));
      receipts.set(txHash, asked);
    }
    const receipt = await asked.catch((error: unknown) => {
      if (error instanceof TransactionReceiptNotFoundError) return undefined;
      throw error;
    });
    if (!receipt) return "the settlement's transaction is not on chain";
    if (receipt.status !== "success") return "the settlement's transaction reverted";
    if (receipt.blockHash !== blockHash)
      return "the settlement's transaction is in a different block than the indexed one";
    depth ??= deepBlock();
    if (receipt.blockNumber > (await depth)) return NOT_DEEP;
    const said = parseEventLogs({ abi: deliveryVsPaymentAbi, eventName: "OrderSettled", logs: receipt.logs });
    const found = said.some(
      (log) =>
        log.address.toLowerCase() === deployment.contract.toLowerCase() &&
        log.args.orderId === orderId &&
        log.args.offRamp.toLowerCase() === offRamp.toLowerCase() &&
        log.args.amount === amount,
    );
    return found ? undefined : "the settlement's transaction has no matching OrderSettled event";
  };
}
