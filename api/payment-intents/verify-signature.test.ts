// Tests the verification of signatures by key and by contract wallet (ERC-1271).
import { expect, test } from "bun:test";
import {
  createPublicClient,
  custom,
  type Hex,
  pad,
  RpcRequestError,
  slice,
  type TypedDataDefinition,
  zeroHash,
} from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import type { ChainClient } from "#core/chain/client.ts";
import { parseKeySignature, signedBy } from "./verify-signature.ts";

const payer = privateKeyToAccount(generatePrivateKey());
const typedData = {
  domain: { name: "Test", version: "1", chainId: 1 },
  types: { Word: [{ name: "word", type: "bytes32" }] },
  primaryType: "Word",
  message: { word: zeroHash },
} as const satisfies TypedDataDefinition;

/** Creates a chain on which the payer is a contract that returns this response. */
const walletThat = (answer: Hex | { code: number; message: string }): { client: ChainClient } => ({
  client: createPublicClient({
    transport: custom(
      {
        async request({ method }: { method: string }) {
          if (method === "eth_getCode") return "0x60";
          if (typeof answer === "string") return answer;
          throw new RpcRequestError({ body: {}, url: "", error: answer });
        },
      },
      { retryCount: 0 },
    ),
  }) as unknown as ChainClient,
});

const MAGIC = pad("0x1626ba7e", { dir: "right" });

test("a contract wallet validates every signature that was not made with its key", async () => {
  expect(await signedBy(walletThat(MAGIC), typedData, "0x1234", payer.address)).toBe("0x1234");
  for (const answer of [zeroHash, "0x", "0x1626", { code: 3, message: "execution reverted" }] as const) {
    expect(await signedBy(walletThat(answer), typedData, "0x1234", payer.address)).toBeUndefined();
  }
});

test("an unresponsive node results in a 503, not in a rejection", async () => {
  for (const failure of [
    { code: -32005, message: "limit exceeded" },
    { code: -32000, message: "header not found" },
    { code: -32603, message: "Internal error" },
  ]) {
    const asked = signedBy(walletThat(failure), typedData, "0x1234", payer.address);
    await expect(asked).rejects.toMatchObject({ status: 503 });
  }
});

test("a key's signature that ends in 0 or 1 is accepted and normalized for contracts", async () => {
  const signature = await payer.signTypedData(typedData);
  const ending: Hex = signature.endsWith("1b") ? "0x00" : "0x01";
  const other: Hex = `${slice(signature, 0, 64)}${ending.slice(2) as "00"}`;
  expect(await signedBy(walletThat("0x"), typedData, other, payer.address)).toBe(signature);
  expect(parseKeySignature(other)).toBe(signature);
  for (const wrong of ["0x", "0x1", "no hex", slice(signature, 0, 64)]) {
    expect(parseKeySignature(wrong)).toBeUndefined();
  }
});
