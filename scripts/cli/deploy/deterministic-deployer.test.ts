// Funds and code depend on these constants, so the tests derive each of them from the presigned transaction.
import { describe, it } from "bun:test";
import { expect } from "chai";
import { getContractAddress, type Hex, parseTransaction, recoverTransactionAddress } from "viem";
import {
  DETERMINISTIC_DEPLOYER,
  DETERMINISTIC_DEPLOYER_CODE,
  PRESIGNED_COST,
  PRESIGNED_SENDER,
  PRESIGNED_TRANSACTION,
} from "./deterministic-deployer.ts";

describe("the deterministic deployer's transaction", () => {
  const { gas = 0n, gasPrice = 0n, data = "0x", ...rest } = parseTransaction(PRESIGNED_TRANSACTION);

  it("comes from the funded account, and costs exactly the funds it receives", async () => {
    type Signed = Parameters<typeof recoverTransactionAddress>[0]["serializedTransaction"];
    const serializedTransaction = PRESIGNED_TRANSACTION as Signed;
    expect(await recoverTransactionAddress({ serializedTransaction })).to.equal(PRESIGNED_SENDER);
    expect(gas * gasPrice).to.equal(PRESIGNED_COST);
  });

  it("deploys the known code to the known address, on every chain", () => {
    expect(rest.chainId).to.equal(undefined);
    expect(rest.nonce).to.equal(0);
    expect(getContractAddress({ from: PRESIGNED_SENDER, nonce: 0n })).to.equal(DETERMINISTIC_DEPLOYER);
    // Init code that returns the code after it.
    const copy: Hex = "0x604580600e600039806000f350fe";
    expect(data).to.equal(copy + DETERMINISTIC_DEPLOYER_CODE.slice(2));
  });
});
