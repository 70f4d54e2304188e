// `gateway trigger`: runs a test payment of a given kind through its lifecycle, and prints every step.
import { randomUUID } from "node:crypto";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { type Gateway, type PaymentIntentStatus, signIntent, UnexpectedStatusError } from "#sdk/index.ts";
import type { Kind } from "./help.ts";
import type { Output } from "./output.ts";

const LOCK_S = 3_600;
const PROOF_HASH = `0x${"ab".repeat(32)}` as const;
const GOOD = {
  amount: "100.00",
  currency: "USDC",
  type: "DELIVERY_VS_PAYMENT",
  settlementMethod: "OFF_RAMP_MOCK",
  settlementDestination: "bank_account_123",
} as const;

function createSteps(gateway: Gateway, out: Output) {
  const step = (id: string, what: string) => out.show({ id, step: what }, `${id}  ${what}`);
  const payer = privateKeyToAccount(generatePrivateKey());
  const steps = {
    step,
    async create(terms: object = {}): Promise<string> {
      const intent = await gateway.paymentIntents.create({ ...GOOD, ...terms });
      step(intent.id, intent.status);
      return intent.id;
    },
    async fund(terms: object = {}): Promise<string> {
      const id = await steps.create(terms);
      const intent = await gateway.paymentIntents.retrieve(id);
      await gateway.paymentIntents.confirm(id, await signIntent(intent, payer));
      await steps.until(id, "SUCCEEDED");
      return id;
    },
    async until(id: string, status: PaymentIntentStatus): Promise<void> {
      const intent = await gateway.paymentIntents.waitFor(id, status);
      step(id, intent.status);
    },
    async prove(id: string): Promise<void> {
      await gateway.escrow.submitDeliveryProof(id, { proofHash: PROOF_HASH, submittedBy: payer.address });
      step(id, "delivery proof submitted");
    },
    payer: payer.address,
  };
  return steps;
}

type Steps = ReturnType<typeof createSteps>;

const LIVES: Record<Kind, (steps: Steps, gateway: Gateway) => Promise<void>> = {
  async payment({ fund, prove, until }) {
    const id = await fund({ autoRelease: true });
    await prove(id);
    await until(id, "SETTLED");
  },
  async "time-lock"({ fund, until, step }, gateway) {
    const { time } = await gateway.testClock.retrieve();
    const metadata = { releaseType: "TIME_LOCKED", timeLockUntil: String(time + LOCK_S) };
    const id = await fund({ metadata });
    await gateway.escrow.markShipped(id);
    step(id, "shipped");
    await gateway.testClock.advance(LOCK_S);
    step(id, "test clock advanced by an hour");
    await until(id, "SETTLED");
  },
  async milestones({ fund, until, step, payer }, gateway) {
    const id = await fund({ autoRelease: true, metadata: { releaseType: "MILESTONE_LOCKED" } });
    for (const milestoneIndex of [0, 1]) {
      const milestone = await gateway.milestones.create(id, { milestoneIndex, amount: "50.00" });
      await gateway.milestones.complete(id, milestone.id, { completedBy: payer });
      step(id, `milestone ${milestoneIndex} completed`);
    }
    await until(id, "SETTLED");
  },
  async refund({ fund, until, step }, gateway) {
    const id = await fund();
    await gateway.escrow.refund(id);
    step(id, "refunded");
    await until(id, "CANCELED");
  },
  async dispute({ fund, until, step }, gateway) {
    const id = await fund();
    const { data } = await gateway.account.retrieve();
    await gateway.escrow.raiseDispute(id, { reason: "A test.", raisedBy: data.contractMerchantId });
    step(id, "dispute raised");
    await gateway.escrow.resolveDispute(id, { outcome: "MERCHANT_WON" });
    step(id, "dispute resolved: MERCHANT_WON");
    await until(id, "SETTLED");
  },
  async "failed-payout"({ fund, prove, until, step }, gateway) {
    const id = await fund({ autoRelease: true, settlementDestination: `fail_once_${randomUUID()}` });
    await prove(id);
    await until(id, "SETTLED").catch(async (error: unknown) => {
      if (!(error instanceof UnexpectedStatusError)) throw error;
      step(id, error.status);
      await gateway.paymentIntents.retrySettlement(id);
      step(id, "payout ordered again");
      await until(id, "SETTLED");
    });
  },
  async canceled({ create, step }, gateway) {
    const id = await create();
    step(id, (await gateway.paymentIntents.cancel(id)).status);
  },
};

export const trigger = (gateway: Gateway, kind: Kind, out: Output): Promise<void> =>
  LIVES[kind](createSteps(gateway, out), gateway);
