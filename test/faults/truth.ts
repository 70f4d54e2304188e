// The ground truth, independent of the gateway: the node's own logs and balances, and the banks' own books.
import { type Address, type Hex, parseUnits } from "viem";
import { deliveryVsPaymentAbi } from "#core/chain/abi/delivery-vs-payment.ts";
import { CURRENCIES, CURRENCY_DECIMALS, type Currency } from "#core/money.ts";
import type { World } from "./world.ts";

/** An order according to the contract's events. Amounts are in the smallest unit. */
export type TrueOrder = {
  created: number;
  amount: bigint;
  token: Address;
  settled: bigint[];
  withdrawn: bigint;
  refunded: bigint;
  released: bigint;
};

/** A transfer according to the bank. `arrived` means that it arrived and was not returned. */
export type TrueTransfer = {
  destination: string;
  amount: bigint;
  currency: Currency;
  state: string;
  /** The time at which the bank accepted the transfer, in Unix milliseconds. */
  acceptedAt: number;
  arrived: boolean;
};

const emptyOrder = (): TrueOrder => ({
  ...{ created: 0, amount: 0n, token: "0x" as const, settled: [], withdrawn: 0n, refunded: 0n, released: 0n },
});

/** Returns every order on the canonical chain by its id. */
export async function trueOrders({ chain, stack }: World): Promise<Map<Hex, TrueOrder>> {
  const logs = await chain.getContractEvents({
    abi: deliveryVsPaymentAbi,
    address: stack.contractAddress,
    fromBlock: 0n,
    strict: true,
  });
  const orders = new Map<Hex, TrueOrder>();
  const of = (id: Hex): TrueOrder => {
    const order = orders.get(id) ?? emptyOrder();
    orders.set(id, order);
    return order;
  };
  for (const { eventName, args } of logs) {
    switch (eventName) {
      case "OrderCreated": {
        const order = of(args.orderId);
        order.created++;
        order.amount = args.terms.amount;
        order.token = args.terms.token;
        break;
      }
      case "FundsReleased":
      case "MilestoneReleased":
        of(args.orderId).released += args.amount;
        break;
      case "DisputeResolved":
        of(args.orderId).released += args.payeeAmount;
        of(args.orderId).refunded += args.payerAmount;
        break;
      case "OrderSettled":
        of(args.orderId).settled.push(args.amount);
        break;
      case "OrderWithdrawn":
        of(args.orderId).withdrawn += args.amount;
        break;
      case "OrderRefunded":
        of(args.orderId).refunded += args.amount;
        break;
      default:
    }
  }
  return orders;
}

export const sum = (amounts: Iterable<bigint>): bigint =>
  [...amounts].reduce((total, one) => total + one, 0n);

/** Returns every transfer in the books of both banks. */
export async function trueTransfers(world: World): Promise<TrueTransfer[]> {
  const known = await world.query<{ table: string | null }>(
    "select to_regclass('mock_bank.transfer')::text as table",
  );
  const mock = known[0]?.table
    ? await world.query<{
        destination: string;
        amount: string;
        currency: Currency;
        outcome: string;
        at: number;
        over: boolean;
        back: boolean;
      }>(
        `select destination, amount::text, currency, outcome,
          (extract(epoch from accepted_at) * 1000)::float8 as at, completes_at <= clock_timestamp() as over,
          coalesce(returns_at <= clock_timestamp(), false) as back from mock_bank.transfer`,
      )
    : [];
  return [
    ...mock.map(({ destination, amount, currency, outcome, at, over, back }) => ({
      ...{ destination, currency, amount: BigInt(amount), state: over ? outcome : "pending" },
      acceptedAt: at,
      arrived: over && !back && (outcome === "completed" || outcome === "returned"),
    })),
    ...world.stack.provider.transfers().map((transfer) => {
      const currency =
        CURRENCIES.find((one) => one.toLowerCase() === transfer.currency.toLowerCase()) ?? "USDC";
      return {
        ...{ destination: transfer.account, currency, state: transfer.state },
        amount: parseUnits(transfer.amount, CURRENCY_DECIMALS[currency]),
        acceptedAt: transfer.createdAt,
        arrived: transfer.state === "payment_processed",
      };
    }),
  ];
}
