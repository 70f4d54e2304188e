// Polls an intent as fast as possible, and compares every response with the chain.
import { expect } from "chai";
import { until } from "#scripts/shared/wait.ts";
import type { Client, Intent } from "../../api/support/client.ts";
import { createChainClient } from "../../api/support/payments.ts";
import type { RunningStack } from "../../support/shared-stack.ts";

const TIMEOUT_MS = 30_000;
/** Phase statuses in ascending order. A phase must never revert to an earlier one. */
const RANK = ["", "IN_PROGRESS", "COMPLETED"];

export function follow(stack: RunningStack, client: Client, first: Intent) {
  const chain = createChainClient(stack.rpcUrl);
  const statuses: string[] = [first.status];
  const phases = new Map<string, string>();

  /** Queries the chain after the response: anything that was confirmed then is still confirmed. */
  async function check(intent: Intent): Promise<void> {
    for (const { phase, status } of intent.phases) {
      expect(RANK.indexOf(status), `${phase} ${status}`).to.be.at.least(
        RANK.indexOf(phases.get(phase) ?? ""),
      );
      phases.set(phase, status);
    }
    const statusOf = (phase: string) => intent.phases.find((one) => one.phase === phase)?.status;
    expect(statusOf("SIGNATURE_VERIFICATION")).to.equal(
      intent.status === "INITIATED" ? "IN_PROGRESS" : "COMPLETED",
    );
    if (intent.status === "PROCESSING") expect(statusOf("BLOCKCHAIN_CONFIRMATION")).to.equal("IN_PROGRESS");
    if (intent.status === "SUCCEEDED" || intent.status === "SETTLED") {
      expect(statusOf("BLOCKCHAIN_CONFIRMATION")).to.equal("COMPLETED");
      expect(statusOf("SETTLEMENT")).to.equal(intent.status === "SETTLED" ? "COMPLETED" : "IN_PROGRESS");
      const hash = intent.transactionHash;
      if (!hash) throw new Error(`${intent.status} without a transaction.`);
      const { blockNumber, status } = await chain.getTransactionReceipt({ hash });
      expect(status).to.equal("success");
      const tip = await chain.getBlockNumber({ cacheTime: 0 });
      expect(Number(tip - blockNumber + 1n), "confirmations").to.be.at.least(5);
    }
  }

  return {
    statuses,
    async until(wanted: string): Promise<Intent> {
      return until(
        async () => {
          const { status, body } = await client.get<Intent>(`/payment-intents/${first.id}`);
          expect(status, JSON.stringify(body)).to.equal(200);
          await check(body);
          if (statuses.at(-1) !== body.status) statuses.push(body.status);
          return body.status === wanted ? body : null;
        },
        { what: `${first.id} being ${wanted}`, timeoutMs: TIMEOUT_MS },
      );
    },
  };
}
