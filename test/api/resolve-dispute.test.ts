// Resolving a dispute (spec, "Dispute resolution"), by the arbiter or by both parties' signatures.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import type { Hex } from "viem";
import { type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { orderMessage } from "../support/order-messages.ts";
import { type SharedStack, sharedStack } from "../support/shared-stack.ts";
import { Client, type Intent } from "./support/client.ts";
import { post, readUsdcBalance, retrieveEscrow, untilEscrow } from "./support/escrow.ts";
import { fund, newPayer, untilStatus } from "./support/payments.ts";
import { expectError } from "./support/shapes.ts";

let stack: SharedStack;
let client: Client;

beforeAll(async () => {
  stack = await sharedStack();
  client = new Client(stack.baseUrl, stack.merchants[0]?.apiKey);
});
afterAll(() => stack?.stop());

const resolve = <T>(id: string, body: object) => post<T>(client, id, "escrow/dispute/resolve", body);

async function disputed(payer: PrivateKeyAccount): Promise<Intent> {
  const intent = await fund(client, {}, payer);
  const { status, body } = await post(client, intent.id, "escrow/dispute", {
    reason: "Broken.",
    raisedBy: payer.address,
  });
  expect(status, JSON.stringify(body)).to.equal(200);
  return intent;
}

async function expectResolved(id: string, body: object): Promise<void> {
  const answer = await resolve<object>(id, body);
  expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
  expect(answer.body).to.deep.equal({ object: "dispute", status: "resolved" });
}

describe("a dispute ends", () => {
  it("with MERCHANT_WON: everything is released, settled and paid out", async () => {
    const payer = newPayer();
    const { id } = await disputed(payer);
    await expectResolved(id, { outcome: "MERCHANT_WON" });
    await untilStatus(client, id, "SETTLED", "FINAL");
    expect((await retrieveEscrow(client, id)).orderStatus).to.equal("COMPLETED");
    expect(await readUsdcBalance(stack, payer.address)).to.equal(0n);
  });

  it("with BUYER_WON: everything returns to the payer, and the intent is CANCELED", async () => {
    const payer = newPayer();
    const { id } = await disputed(payer);
    await expectResolved(id, { outcome: "BUYER_WON" });
    await untilStatus(client, id, "CANCELED");
    expect(await retrieveEscrow(client, id)).to.include({
      orderStatus: "CANCELLED",
      settlementStatus: "CANCELLED",
    });
    expect(await readUsdcBalance(stack, payer.address)).to.equal(100_000_000n);
  });

  it("with PARTIAL_REFUND: the merchant's part is paid out, and the rest returned to the payer, to the last unit", async () => {
    const payer = newPayer();
    const { id } = await disputed(payer);
    await expectResolved(id, { outcome: "PARTIAL_REFUND", merchantAmount: "33.333333" });
    await untilStatus(client, id, "SETTLED", "FINAL");
    expect(await readUsdcBalance(stack, payer.address)).to.equal(66_666_667n);
  });

  it("once: after that, no dispute can be resolved or raised", async () => {
    const payer = newPayer();
    const { id } = await disputed(payer);
    const answers = await Promise.all([
      resolve(id, { outcome: "MERCHANT_WON" }),
      resolve(id, { outcome: "BUYER_WON" }),
    ]);
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 400]);
    expectError(await resolve(id, { outcome: "BUYER_WON" }), 400, "invalid_status");
    expectError(
      await post(client, id, "escrow/dispute", { reason: "Again.", raisedBy: payer.address }),
      400,
      "invalid_request",
    );
  });
});

describe("an agreement", () => {
  const sign = (account: PrivateKeyAccount, intent: Intent, payeeAmount: bigint): Promise<Hex> =>
    account.signTypedData(
      orderMessage(intent.data.typedData, "DisputeAgreement", {
        raisedBy: "merchant",
        payeeAmount,
        deadline: 4_000_000_000n,
      }),
    );
  const merchant = () => privateKeyToAccount(stack.merchants[0]?.privateKey as Hex);

  it("that both parties have signed splits the money as agreed", async () => {
    const payer = newPayer();
    const intent = await disputed(payer);
    await expectResolved(intent.id, {
      outcome: "PARTIAL_REFUND",
      merchantAmount: "60.00",
      payerSignature: await sign(payer, intent, 60_000_000n),
      merchantSignature: await sign(merchant(), intent, 60_000_000n),
      signatureDeadline: "4000000000",
    });
    await untilEscrow(client, intent.id, { orderStatus: "COMPLETED" });
    expect(await readUsdcBalance(stack, payer.address)).to.equal(40_000_000n);
  });

  it("is rejected with only one signature, with a stranger's signature, and over a different amount", async () => {
    const payer = newPayer();
    const intent = await disputed(payer);
    const [payerSignature, merchantSignature, stranger, other] = await Promise.all([
      sign(payer, intent, 60_000_000n),
      sign(merchant(), intent, 60_000_000n),
      sign(newPayer(), intent, 60_000_000n),
      sign(payer, intent, 61_000_000n),
    ]);
    const terms = { outcome: "PARTIAL_REFUND", merchantAmount: "60.00", signatureDeadline: "4000000000" };
    const cases: [object, string | undefined][] = [
      [{ payerSignature }, "merchantSignature"],
      [{ merchantSignature }, "payerSignature"],
      [{ payerSignature: stranger, merchantSignature }, undefined],
      [{ payerSignature: other, merchantSignature }, undefined],
      [{ payerSignature: merchantSignature, merchantSignature: payerSignature }, undefined],
      [{ payerSignature: "signed", merchantSignature }, "payerSignature"],
      [{ payerSignature, merchantSignature, signatureDeadline: undefined }, "signatureDeadline"],
    ];
    for (const [signatures, param] of cases) {
      const answer = await resolve(intent.id, { ...terms, ...signatures });
      const code =
        param === undefined && JSON.stringify(answer.body).includes("signature_verification_failed")
          ? "signature_verification_failed"
          : "invalid_request";
      expectError(answer, 400, code, code === "invalid_request" ? param : "payerSignature");
    }
    expect((await retrieveEscrow(client, intent.id)).orderStatus).to.equal("DISPUTED");
  });
});

describe("resolving", () => {
  it("reports which field of the body is invalid", async () => {
    const { id } = await disputed(newPayer());
    const cases: [object, string][] = [
      [{}, "outcome"],
      [{ outcome: "DRAW" }, "outcome"],
      [{ outcome: "PARTIAL_REFUND" }, "merchantAmount"],
      ...["0", "100.00", "100.01", "-1", "1e1", "0.0000001", "all"].map(
        (merchantAmount): [object, string] => [
          { outcome: "PARTIAL_REFUND", merchantAmount },
          "merchantAmount",
        ],
      ),
      [{ outcome: "PARTIAL_REFUND", merchantAmount: 5 }, "merchantAmount"],
      [{ outcome: "MERCHANT_WON", merchantAmount: "100.00" }, "merchantAmount"],
      [{ outcome: "BUYER_WON", more: 1 }, "more"],
    ];
    for (const [body, param] of cases) expectError(await resolve(id, body), 400, "invalid_request", param);
    expect((await retrieveEscrow(client, id)).orderStatus).to.equal("DISPUTED");
  });

  it("is rejected if no dispute is open", async () => {
    const { id } = await fund(client);
    expectError(await resolve(id, { outcome: "MERCHANT_WON" }), 400, "invalid_status");
  });
});
