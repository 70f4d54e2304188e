// Confirming a payment intent with the payer's signature (spec, operation 4).
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { eq } from "drizzle-orm";
import { type Hex, zeroHash } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { connect } from "#core/db/client.ts";
import { intent } from "#core/db/schema/intents.ts";
import { transaction, transactionOrder } from "#core/db/schema/transactions.ts";
import { type IntentId, newId, orderIdOfIntent } from "#core/ids.ts";
import { type SharedStack, sharedStack } from "../support/shared-stack.ts";
import { Client, type ErrorBody, type Intent } from "./support/client.ts";
import {
  confirm,
  countEvents,
  create,
  createChainClient,
  fund,
  newPayer,
  untilStatus,
} from "./support/payments.ts";
import { expectError, expectIntent } from "./support/shapes.ts";

const UNKNOWN = `intent_${"0".repeat(64)}`;

let stack: SharedStack;
let client: Client;
let stranger: Client;
let open: Intent;

beforeAll(async () => {
  stack = await sharedStack();
  client = new Client(stack.baseUrl, stack.merchants[0]?.apiKey);
  stranger = new Client(stack.baseUrl, stack.merchants[1]?.apiKey);
  open = await create(client);
});
afterAll(() => stack?.stop());

const post = <T>(id: string, body: unknown, by = client) =>
  by.post<T>(`/payment-intents/${id}/confirm`, body);

/** Simulates three funding attempts by the relayer whose transactions all reverted. */
async function failThrice(id: IntentId): Promise<void> {
  const database = connect(stack.databaseUrl, { max: 1, application: "test" });
  const [row] = await database.select().from(intent).where(eq(intent.id, id));
  if (!row) throw new Error(`There is no intent ${id}.`);
  const { deploymentId } = row;
  const orderId = orderIdOfIntent(id);
  for (let nonce = 0; nonce < 3; nonce++) {
    const made = { id: newId("tx"), deploymentId, nonce, signer: newPayer().address };
    const ended = { state: "final", succeeded: false, minedHash: zeroHash } as const;
    await database.insert(transaction).values({ ...made, ...ended, purpose: "create_order" });
    await database
      .insert(transactionOrder)
      .values({ transactionId: made.id, orderId, purpose: "create_order" });
  }
  await database.$client.end();
}

describe("confirming a payment intent", () => {
  it("returns PROCESSING with the transaction, the signer and the phases, also flattened", async () => {
    const intent = await create(client);
    const payer = newPayer();
    const confirmed = await confirm(client, intent, payer);
    expectIntent(confirmed);
    expect(confirmed.status).to.equal("PROCESSING");
    expect(confirmed.settlementStatus).to.equal("PENDING");
    expect(confirmed.transactionHash).to.match(/^0x[0-9a-f]{64}$/);
    expect(confirmed.data).to.include({ signerAddress: payer.address, fundingMethod: "ALLOWANCE" });
    expect(confirmed.phases.map(({ phase, status }) => [phase, status])).to.deep.equal([
      ["SIGNATURE_VERIFICATION", "COMPLETED"],
      ["BLOCKCHAIN_CONFIRMATION", "IN_PROGRESS"],
    ]);
    const succeeded = await untilStatus(client, intent.id, "SUCCEEDED");
    expect(succeeded.transactionHash).to.equal(confirmed.transactionHash);
  });

  it("also accepts the typed data that names the payer", async () => {
    const payer = newPayer();
    const { id } = await create(client);
    const named = await client.get<Intent>(`/payment-intents/public/${id}?payerAddress=${payer.address}`);
    await confirm(client, named.body, payer);
    await untilStatus(client, id, "SUCCEEDED");
  });

  it("accepts an address in lower case and a signature in upper case", async () => {
    const payer = newPayer();
    const signature = await payer.signTypedData(open.data.typedData);
    const intent = await create(client);
    const own = await payer.signTypedData(intent.data.typedData);
    expect(own).not.to.equal(signature);
    const { status, body } = await post<Intent>(intent.id, {
      signature: `0x${own.slice(2).toUpperCase()}`,
      payerAddress: payer.address.toLowerCase(),
    });
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body.data.signerAddress).to.equal(payer.address);
  });

  it("accepts a signature that ends in 0 or 1 instead of 27 or 28", async () => {
    const intent = await create(client);
    const payer = newPayer();
    const signature = await payer.signTypedData(intent.data.typedData);
    const { status, body } = await post<Intent>(intent.id, {
      signature: `${signature.slice(0, -2)}${signature.endsWith("1b") ? "00" : "01"}`,
      payerAddress: payer.address,
    });
    expect(status, JSON.stringify(body)).to.equal(200);
    await untilStatus(client, intent.id, "SUCCEEDED");
  });

  it("is reserved for the merchant after three failed fundings, each of which cost the relayer gas", async () => {
    const intent = await create(client);
    await failThrice(intent.id as IntentId);
    const payer = newPayer();
    const signature = await payer.signTypedData(intent.data.typedData);
    const body = { signature, payerAddress: payer.address };
    const refused = await post<ErrorBody>(`public/${intent.id}`, body, new Client(stack.baseUrl));
    expectError(refused, 400, "invalid_state_transition");
    expect(refused.body.error.message).to.include("createOrder");
    expect((await post(intent.id, body)).status).to.equal(200);
    await untilStatus(client, intent.id, "SUCCEEDED");
  });

  it("funds a CONDITIONAL payment, which does not have an escrow phase", async () => {
    const { phases, id } = await fund(client, { type: "CONDITIONAL" });
    expect(phases.map(({ phase }) => phase)).to.deep.equal([
      "SIGNATURE_VERIFICATION",
      "BLOCKCHAIN_CONFIRMATION",
      "SETTLEMENT",
    ]);
    await untilStatus(client, id, "SETTLED", "FINAL");
  });

  it("sends one transaction for two concurrent confirmations, by the same payer or by two payers", async () => {
    for (const payers of [Array(2).fill(newPayer()), [newPayer(), newPayer()]]) {
      const intent = await create(client);
      const bodies = await Promise.all(
        payers.map(async (payer) => ({
          signature: await payer.signTypedData(intent.data.typedData),
          payerAddress: payer.address,
        })),
      );
      const answers = await Promise.all(bodies.map((body) => post(intent.id, body)));
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 400]);
      const refused = answers.find(({ status }) => status === 400);
      if (refused) expectError(refused, 400, "invalid_state_transition");
      await untilStatus(client, intent.id, "SUCCEEDED");
      expect(
        await countEvents(createChainClient(stack.rpcUrl), stack.contractAddress, "OrderCreated", intent.id),
      ).to.equal(1);
    }
  });

  it("is rejected for an intent that is already confirmed, with any signature", async () => {
    const { id } = await fund(client);
    for (const signature of ["0x12", "nonsense"]) {
      const body = { signature, payerAddress: newPayer().address };
      expectError(await post(id, body), 400, "invalid_state_transition");
    }
  });
});

describe("a confirmation checks", () => {
  const nonsense = { signature: "nonsense", payerAddress: newPayer().address };

  it("the intent before its state and the signature", async () => {
    expectError(await post(UNKNOWN, nonsense), 404, "resource_missing", "intentId");
  });

  it("the intent's owner before its state and the signature", async () => {
    expectError(await post(open.id, nonsense, stranger), 403, "forbidden");
    expectError(await post((await fund(client)).id, nonsense, stranger), 403, "forbidden");
  });

  it("the body's shape before the intent, its owner and its state", async () => {
    expectError(await post(UNKNOWN, {}), 400, "invalid_request", "signature");
    expectError(await post(open.id, {}, stranger), 400, "invalid_request", "signature");
    expectError(await post((await fund(client)).id, {}), 400, "invalid_request", "signature");
  });

  it("the body before the signature", async () => {
    const payerAddress = newPayer().address;
    expectError(await post(open.id, {}), 400, "invalid_request", "signature");
    expectError(await post(open.id, { signature: "0x" }), 400, "invalid_request", "payerAddress");
    expectError(
      await post(open.id, { signature: "0x", payerAddress: "nobody" }),
      400,
      "invalid_request",
      "payerAddress",
    );
    expectError(await post(open.id, { signature: 5, payerAddress }), 400, "invalid_request", "signature");
    expectError(
      await post(open.id, { signature: "0x", payerAddress, nonce: 1 }),
      400,
      "invalid_request",
      "nonce",
    );
  });
});

describe("a signature that is not the payer's over this intent is rejected, and nothing changes:", () => {
  const refused = async (signature: string, payerAddress: string = newPayer().address) => {
    const answer = await post(open.id, { signature, payerAddress });
    expectError(answer, 400, "signature_verification_failed");
    const { body } = await client.get<Intent>(`/payment-intents/${open.id}`);
    expect(body).to.include({ status: "INITIATED", transactionHash: null });
    expect(body.data.signature).to.equal(null);
  };

  it.each([
    "nonsense",
    "0x",
    "0x0",
    "0xzz",
    "0x12",
    `0x${"00".repeat(65)}`,
    `0x${"ff".repeat(65)}`,
    `0x${"ab".repeat(5_000)}`,
  ])("%s", async (signature) => refused(signature));

  it("another person's", async () => {
    await refused(await newPayer().signTypedData(open.data.typedData));
  });

  it("over a different intent", async () => {
    const payer = newPayer();
    const other = await create(client);
    await refused(await payer.signTypedData(other.data.typedData), payer.address);
  });

  it.each([
    ["amount", { amount: "1" }],
    ["payee", { payee: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8" }],
    ["deadline", { deadline: 1 }],
    ["payer", { payer: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8" }],
  ])("over a different %s", async (_field, change) => {
    const payer = newPayer();
    const { typedData } = open.data;
    await refused(
      await payer.signTypedData({ ...typedData, message: { ...typedData.message, ...change } }),
      payer.address,
    );
  });

  it("for a different chain or a different contract", async () => {
    const payer = newPayer();
    const { typedData } = open.data;
    for (const change of [{ chainId: 1 }, { verifyingContract: stack.tokens.USDC }]) {
      await refused(
        await payer.signTypedData({ ...typedData, domain: { ...typedData.domain, ...change } }),
        payer.address,
      );
    }
  });

  it("over a plain message", async () => {
    const payer = newPayer();
    await refused(
      await payer.signMessage({ message: { raw: open.id.replace("intent_", "0x") as Hex } }),
      payer.address,
    );
  });

  it("for the zero address", async () => {
    await refused(`0x${"00".repeat(65)}`, `0x${"0".repeat(40)}`);
  });

  it("with a high s value, which would be a second encoding of the same signature", async () => {
    const payer = newPayer();
    const signature = await payer.signTypedData(open.data.typedData);
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
    const s = (order - BigInt(`0x${signature.slice(66, 130)}`)).toString(16).padStart(64, "0");
    const v = signature.endsWith("1b") ? "1c" : "1b";
    await refused(`${signature.slice(0, 66)}${s}${v}`, payer.address);
  });
});

describe("an account that cannot be the payer", () => {
  it("is rejected: as the payer, the arbiter would decide its own dispute", async () => {
    const arbiter = privateKeyToAccount(stack.environment.ARBITER_KEY as Hex);
    const answer = await post(open.id, {
      signature: await arbiter.signTypedData(open.data.typedData),
      payerAddress: arbiter.address,
    });
    expectError(answer, 400, "invalid_request", "payerAddress");
  });
});
