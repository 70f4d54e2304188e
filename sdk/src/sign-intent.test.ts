// viem and ethers wallets sign an intent identically, with the payer's address filled in.
import { describe, it } from "bun:test";
import { expect } from "chai";
import { Wallet } from "ethers";
import { createWalletClient, custom, verifyTypedData } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { GatewayError, type Schemas, signIntent } from "./index.ts";

const KEY = `0x${"42".repeat(32)}` as const;
const account = privateKeyToAccount(KEY);

const field = (name: string, type: string) => ({ name, type });
const typedData: Schemas["TypedData"] = {
  types: {
    EIP712Domain: [
      field("name", "string"),
      field("version", "string"),
      field("chainId", "uint256"),
      field("verifyingContract", "address"),
    ],
    Payment: [field("intentId", "string"), field("payer", "address"), field("amount", "uint256")],
  },
  primaryType: "Payment",
  domain: {
    name: "DeliveryVsPayment",
    version: "1",
    chainId: 31337,
    verifyingContract: `0x${"11".repeat(20)}`,
  },
  message: { intentId: "intent_1", payer: `0x${"00".repeat(20)}`, amount: "100000000" },
};
const INTENT = { data: { typedData } };

/** A browser wallet that is called through JSON-RPC. */
const provider = {
  async request({ method, params }: { method: string; params?: unknown }) {
    if (method === "eth_accounts") return [account.address];
    expect(method).to.equal("eth_signTypedData_v4");
    return account.signTypedData(JSON.parse((params as [string, string])[1]));
  },
};

const SIGNERS = {
  "a local account of viem": account,
  "a wallet client of viem with its account": createWalletClient({ account, transport: custom(provider) }),
  "a wallet client of viem that asks a wallet": createWalletClient({ transport: custom(provider) }),
  "a wallet of ethers": new Wallet(KEY),
};

describe("an intent is signed by", () => {
  it.each(Object.entries(SIGNERS))("%s", async (_, signer) => {
    const { signature, payerAddress } = await signIntent(INTENT, signer);
    expect(payerAddress).to.equal(account.address);
    const message = { ...typedData.message, payer: account.address };
    const isValid = await verifyTypedData({
      ...typedData,
      message,
      address: account.address,
      signature,
    } as never);
    expect(isValid).to.equal(true);
  });

  it("no wallet that lacks an account, and by no signer without typed data", async () => {
    const locked = createWalletClient({ transport: custom({ request: async () => [] }) });
    const refused = await signIntent(INTENT, locked).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(GatewayError);
    const empty = await signIntent({ data: { typedData: null } }, account).catch((error: unknown) => error);
    expect(empty).to.be.instanceOf(GatewayError);
  });
});
