// Reads what a payment costs the payer, and whether the account can pay, before the wallet is asked to sign.
import { erc20Abi, formatEther } from "viem";
import { estimateContractGas, estimateFeesPerGas, getBalance, readContract } from "viem/actions";
import { deliveryVsPaymentAbi } from "#core/chain/abi/delivery-vs-payment.ts";
import type { Verified } from "../payment/verify.ts";
import type { PaymentMethod, Wallet } from "./payment-methods.ts";

/** Gas of an approval and of `createOrder`, rounded up, for transactions that cannot be simulated yet. */
const APPROVE_GAS = 60_000n;
const CREATE_GAS = 260_000n;

/** Fees are shown in millionths of the native currency. */
const SHOWN_WEI = 10n ** 12n;

export type Costs = {
  /** In the token's smallest unit; undefined for test tokens, which are minted automatically. */
  balance: bigint | undefined;
  /** In wei; undefined if the gateway sends the transaction. */
  fee: { most: bigint; has: bigint } | undefined;
};

async function readGas(wallet: Wallet, { contract, terms }: Verified, allowed: boolean): Promise<bigint> {
  if (!allowed) return APPROVE_GAS + CREATE_GAS;
  const call = { address: contract, abi: deliveryVsPaymentAbi, account: wallet.account } as const;
  return estimateContractGas(wallet, { ...call, functionName: "createOrder", args: [terms] }).catch(
    () => CREATE_GAS,
  );
}

async function readFee(wallet: Wallet, verified: Verified, testMode: boolean) {
  const { account } = wallet;
  const { contract, terms } = verified;
  const [prices, has, allowance] = await Promise.all([
    estimateFeesPerGas(wallet),
    getBalance(wallet, { address: account.address }),
    readContract(wallet, {
      ...{ address: terms.token, abi: erc20Abi, functionName: "allowance" },
      args: [account.address, contract],
    }),
  ]);
  const gas = await readGas(wallet, verified, testMode || allowance >= terms.amount);
  return { most: gas * prices.maxFeePerGas, has };
}

export async function readCosts(
  wallet: Wallet,
  verified: Verified,
  paymentMethod: PaymentMethod,
  testMode: boolean,
): Promise<Costs> {
  const [balance, fee] = await Promise.all([
    testMode
      ? undefined
      : readContract(wallet, {
          ...{ address: verified.terms.token, abi: erc20Abi, functionName: "balanceOf" },
          args: [wallet.account.address],
        }),
    paymentMethod.by === "transaction" ? readFee(wallet, verified, testMode) : undefined,
  ]);
  return { balance, fee };
}

/** Formats a fee as a decimal string, rounded up. @param wei of the native currency */
export const roundFee = (wei: bigint): string =>
  formatEther(((wei + SHOWN_WEI - 1n) / SHOWN_WEI) * SHOWN_WEI);
