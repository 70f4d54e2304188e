import { afterEach, describe, it } from "bun:test";
import { expect } from "chai";
import { type Address, type Hex, hexToBigInt, hexToNumber, keccak256, toHex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { ConfigError } from "../config/config-error.ts";
import { ServiceError } from "../errors.ts";
import { checkSigner, createSigner, NotSigned, type UnsignedTransaction } from "./signer.ts";

const account = privateKeyToAccount(keccak256(toHex("a key that only the signer has")));
const stranger = privateKeyToAccount(keccak256(toHex("another key")));

const ASKED: UnsignedTransaction = {
  ...{ type: "eip1559", chainId: 10, nonce: 7, gas: 123_456n, data: "0x1234" },
  ...{ to: stranger.address, maxFeePerGas: 2_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n },
};

type Parameters = Record<keyof UnsignedTransaction | "from" | "value", Hex>;
type Signer = {
  accounts?: Address[];
  key?: typeof account;
  /** The signer's own chain id, as configured in Web3Signer. */
  chainId?: number;
  shape?: (raw: Hex) => unknown;
  /** An error to return instead of a signature. */
  error?: { code: number; message: string };
};

let server: ReturnType<typeof Bun.serve> | undefined;
afterEach(() => server?.stop(true));

/** Starts a signer that signs every request over HTTP with numbers as hex, like Web3Signer. */
function startSigner({
  accounts = [account.address],
  key = account,
  shape = (raw) => raw,
  ...own
}: Signer = {}) {
  const asked: Parameters[] = [];
  server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { id, method, params } = (await request.json()) as {
        id: number;
        method: string;
        params: Parameters[];
      };
      if (own.error) return Response.json({ jsonrpc: "2.0", id, error: own.error });
      if (method === "eth_accounts") return Response.json({ jsonrpc: "2.0", id, result: accounts });
      const [call] = params;
      if (method !== "eth_signTransaction" || !call)
        return Response.json({ jsonrpc: "2.0", id, result: null });
      asked.push(call);
      const raw = await key.signTransaction({
        ...{ type: "eip1559", to: call.to, data: call.data, value: hexToBigInt(call.value) },
        chainId: own.chainId ?? hexToNumber(call.chainId),
        nonce: hexToNumber(call.nonce),
        gas: hexToBigInt(call.gas),
        maxFeePerGas: hexToBigInt(call.maxFeePerGas),
        maxPriorityFeePerGas: hexToBigInt(call.maxPriorityFeePerGas),
      });
      return Response.json({ jsonrpc: "2.0", id, result: shape(raw) });
    },
  });
  const settings = { operator: account.address, signing: { url: server.url.href } };
  return { settings, asked, sign: () => createSigner(settings).signTransaction(ASKED) };
}

async function refusalOf(work: Promise<unknown>): Promise<Error> {
  return work.then(
    () => {
      throw new Error("It was not refused.");
    },
    (error: Error) => error,
  );
}

describe("the operator's signer", () => {
  it("over HTTP signs identically to the local key", async () => {
    const { settings, sign, asked } = startSigner();
    expect(createSigner(settings).address).to.equal(account.address);
    expect(await sign()).to.equal(await account.signTransaction(ASKED));
    expect(asked[0]).to.include({ from: account.address, nonce: "0x7", value: "0x0" });
    await checkSigner(settings);
  });

  it("may respond in Geth's format", async () => {
    const { sign } = startSigner({ shape: (raw) => ({ raw, tx: {} }) });
    expect(await sign()).to.equal(await account.signTransaction(ASKED));
  });

  it.each<[string, Signer]>([
    ["for a different chain", { chainId: 1 }],
    ["with a different key", { key: stranger }],
    ["something other than a transaction", { shape: () => "0x1234" }],
    ["nothing", { shape: () => null }],
    ["more than was requested", { shape: (raw) => `${raw}00` }],
  ])("is not trusted if it signs %s", async (_, signer) => {
    const error = await refusalOf(startSigner(signer).sign());
    expect(error).to.be.instanceOf(NotSigned).and.include({ status: 503, answered: true });
    expect(error)
      .to.have.nested.property("cause.message")
      .that.includes("did not sign the requested transaction");
  });

  it("that refuses or is unavailable makes the caller retry later", async () => {
    const { settings, sign } = startSigner({ error: { code: -32_000, message: "locked" } });
    expect(await refusalOf(sign()))
      .to.be.instanceOf(NotSigned)
      .and.include({ status: 503, answered: true });
    await server?.stop(true);
    const limited = startSigner({ error: { code: -32_005, message: "too many requests" } });
    expect(await refusalOf(limited.sign())).to.include({ status: 503, answered: false });
    await server?.stop(true);
    expect(await refusalOf(sign()))
      .to.be.instanceOf(NotSigned)
      .and.include({ status: 503, answered: false });
    expect(await refusalOf(checkSigner(settings))).to.be.instanceOf(ServiceError);
  });

  it("that has a different key is a configuration error", async () => {
    const { settings } = startSigner({ accounts: [stranger.address] });
    const error = await refusalOf(checkSigner(settings));
    expect(error).to.be.instanceOf(ConfigError);
    expect(error.message).to.include(account.address);
  });
});
