// Measures how soon the API shows on-chain changes: the time from a payer's transaction to the first response that
// reflects it.
import { type Payments, startPayments } from "#test/settlement/support/payments.ts";

const PAYMENTS = Number(process.env.BENCH_PAYMENTS ?? 40);
const TIMEOUT_MS = 10_000;

/** @returns the latency of each payment in milliseconds */
export async function measureLatency(payments: Payments, count: number): Promise<number[]> {
  const { stack, control } = payments;
  const apiKey = stack.merchants[0]?.apiKey ?? "";
  const loadStatus = async (id: string): Promise<string> => {
    const response = await fetch(`${stack.baseUrl}/payment-intents/${id}`, {
      headers: { "x-api-key": apiKey },
    });
    const answer = (await response.json()) as { data?: { status: string }; status?: string };
    if (!response.ok) throw new Error(`The API responded with ${response.status}: ${JSON.stringify(answer)}`);
    return answer.data?.status ?? answer.status ?? "";
  };
  const times: number[] = [];
  for (let i = 0; i < count; i++) {
    const { id, terms } = await payments.addIntent();
    const serializedTransaction = await payments.signed("createOrder", terms);
    const before = await loadStatus(id);
    // The node mines the transaction before it responds.
    const start = performance.now();
    await control.sendRawTransaction({ serializedTransaction });
    while ((await loadStatus(id)) === before) {
      if (performance.now() - start > TIMEOUT_MS) throw new Error(`The API does not show ${id} as funded.`);
    }
    times.push(performance.now() - start);
  }
  return times;
}

/** @returns the latency of each payment in milliseconds, measured on a separate gateway */
export async function measureLive(): Promise<number[]> {
  const payments = await startPayments({
    roles: ["indexer", "api"],
    blockIntervalMs: 1_000,
    env: { LOG_LEVEL: "warn", BLOCK_POLL_MS: "" },
  });
  try {
    return await measureLatency(payments, PAYMENTS);
  } finally {
    await payments.close();
  }
}
