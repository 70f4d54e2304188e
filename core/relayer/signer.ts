// Signs the operator's transactions with a key in this process, or with a remote signer that implements Web3Signer's
// JSON-RPC methods eth_accounts and eth_signTransaction (docs.web3signer.consensys.io, JSON-RPC API).
import { Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import {
  type Address,
  BaseError,
  createClient,
  type Hex,
  http,
  isAddressEqual,
  numberToHex,
  parseTransaction,
  RpcRequestError,
  recoverTransactionAddress,
  serializeTransaction,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { isUnreachable } from "../chain/client.ts";
import type { Config } from "../config/config.ts";
import { ConfigError } from "../config/config-error.ts";
import { ServiceError, serviceUnavailable } from "../errors.ts";

/** An EIP-1559 call without value. Fees are in wei. */
export type UnsignedTransaction = {
  type: "eip1559";
  chainId: number;
  nonce: number;
  to: Address;
  data: Hex;
  gas: bigint;
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
};

export type OperatorSigner = {
  readonly address: Address;
  /**
   * @returns the serialized signed transaction
   * @throws NotSigned if the signer returns an error or something else, or does not respond
   */
  signTransaction(transaction: UnsignedTransaction): Promise<Hex>;
  /** @throws ServiceError 503 if the signer does not respond with its accounts */
  checkResponding(): Promise<void>;
};

/** The signer did not sign a transaction. It may sign others, and it may sign this one later. */
export class NotSigned extends ServiceError {
  /** @param answered whether the signer responded. Otherwise, it did not, or is over its limit */
  constructor(
    readonly answered: boolean,
    cause: unknown,
  ) {
    const { status, code, type, message, details } = failed(cause);
    super(status, code, type, message, details);
  }
}

/** Signing holds the lock on the nonce's row, for which other transactions wait at most 3 s (READERS_LOCK_TIMEOUT). */
const TIMEOUT_MS = 2_500;

/** Web3Signer returns the signed transaction, and Geth returns an object that contains it. */
const Signed = Type.Union([
  Type.String({ pattern: "^0x[0-9a-f]+$" }),
  Type.Object({ raw: Type.String({ pattern: "^0x[0-9a-f]+$" }) }),
]);

const connect = (url: string) =>
  createClient({ transport: http(url, { timeout: TIMEOUT_MS, retryCount: 0 }) });

const failed = (cause: unknown): ServiceError =>
  serviceUnavailable("The operator's signer is unreachable or returned an error.", cause);

const loadAccounts = (url: string): Promise<unknown> =>
  connect(url)
    .request({ method: "eth_accounts" } as never)
    .catch((error: unknown) => {
      throw failed(error);
    });

const isAnswer = (error: unknown): boolean =>
  error instanceof BaseError &&
  error.walk((cause) => cause instanceof RpcRequestError) !== null &&
  !isUnreachable(error);

/** The signer may be configured for another chain or key, so its response is verified. */
async function isSigned(raw: Hex, asked: UnsignedTransaction, address: Address): Promise<boolean> {
  try {
    const serializedTransaction = raw as `0x02${string}`;
    const { r, s, yParity } = parseTransaction(serializedTransaction);
    if (!r || !s || yParity === undefined) return false;
    if (serializeTransaction(asked, { r, s, yParity }) !== raw) return false;
    return isAddressEqual(await recoverTransactionAddress({ serializedTransaction }), address);
  } catch {
    return false;
  }
}

function remoteSigner(url: string, address: Address): OperatorSigner {
  const client = connect(url);
  return {
    address,
    async signTransaction(asked) {
      const { type, nonce, chainId, gas, maxFeePerGas, maxPriorityFeePerGas, to, data } = asked;
      const parameters = {
        ...{ from: address, to, data, value: "0x0", type: "0x2" },
        chainId: numberToHex(chainId),
        nonce: numberToHex(nonce),
        gas: numberToHex(gas),
        maxFeePerGas: numberToHex(maxFeePerGas),
        maxPriorityFeePerGas: numberToHex(maxPriorityFeePerGas),
      };
      const method = "eth_signTransaction";
      const answer: unknown = await client
        .request({ method, params: [parameters] } as never)
        .catch((error: unknown) => {
          throw new NotSigned(isAnswer(error), error);
        });
      const found = Value.Check(Signed, answer) ? answer : undefined;
      const raw = (typeof found === "object" ? found.raw : found) as Hex | undefined;
      if (raw && (await isSigned(raw, asked, address))) return raw;
      const requested = `requested transaction (${type}, nonce ${nonce})`;
      throw new NotSigned(true, new Error(`The operator's signer did not sign the ${requested}.`));
    },
    async checkResponding() {
      await loadAccounts(url);
    },
  };
}

function localSigner(key: Hex): OperatorSigner {
  const account = privateKeyToAccount(key);
  return {
    address: account.address,
    signTransaction: (asked) => account.signTransaction(asked),
    async checkResponding() {},
  };
}

type Settings = Pick<Config, "operator" | "signing">;

export const createSigner = ({ operator, signing }: Settings): OperatorSigner =>
  signing.key === undefined ? remoteSigner(signing.url, operator) : localSigner(signing.key);

/**
 * Checks that the signer, if there is one, has the operator's key.
 * @throws ConfigError if it does not, ServiceError 503 if it cannot be reached
 */
export async function checkSigner({ operator, signing }: Settings): Promise<void> {
  if (signing.url === undefined) return;
  const accounts = await loadAccounts(signing.url);
  const has =
    Array.isArray(accounts) && accounts.some((one) => String(one).toLowerCase() === operator.toLowerCase());
  if (has) return;
  throw new ConfigError(`The signer at OPERATOR_SIGNER_URL has no key for ${operator} (OPERATOR_ADDRESS).`);
}
