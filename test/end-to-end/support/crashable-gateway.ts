// A gateway whose parts a test can kill, on a database whose connection it can cut, with a client that tolerates both.
import { expect } from "chai";
import { until } from "#scripts/shared/wait.ts";
import { type Severable, severable } from "#test/support/severable.ts";
import { Client, type Intent } from "../../api/support/client.ts";
import * as pay from "../../api/support/payments.ts";
import { CrashablePostgres } from "../../support/crashable-postgres.ts";
import { type Stack, startStack } from "../../support/stack.ts";

const TIMEOUT_MS = 40_000;
export const ROLES = ["indexer", "api", "settlement"] as const;

export class CrashableGateway {
  private constructor(
    readonly stack: Stack,
    readonly postgres: CrashablePostgres,
    readonly wire: Severable,
    readonly client: Client,
  ) {}

  static async start(): Promise<CrashableGateway> {
    const stack = await startStack({ roles: [], ownPostgres: true });
    const { databaseUrl, environment, merchants } = stack;
    const postgres = await CrashablePostgres.at(databaseUrl);
    const wire = await severable(databaseUrl);
    environment.DATABASE_URL = wire.url;
    const gateway = new CrashableGateway(
      stack,
      postgres,
      wire,
      new Client(stack.baseUrl, merchants[0]?.apiKey),
    );
    await gateway.restartAll();
    return gateway;
  }

  async stop(): Promise<void> {
    await this.stack.stop();
    await this.wire.close();
  }

  async restartAll(): Promise<void> {
    await Promise.all(ROLES.map((role) => this.stack.restart(role)));
  }

  /** Returns null while the status is unknown. */
  async statusOf(id: string): Promise<string | null> {
    const answer = await this.client.get<Intent>(`/payment-intents/${id}`).catch(() => undefined);
    return answer?.status === 200 ? answer.body.status : null;
  }

  async untilAnswered(id: string): Promise<void> {
    await until(async () => (await this.statusOf(id)) !== null, {
      what: "An answer",
      timeoutMs: TIMEOUT_MS,
    });
  }

  async untilSeen(id: string, status: string): Promise<void> {
    await until(async () => (await this.statusOf(id)) === status, {
      what: `${id} being ${status}`,
      timeoutMs: TIMEOUT_MS,
    });
  }

  /** Retries until there is a response, as a client does during an outage. */
  async proveAtLast(id: string): Promise<void> {
    await until(
      async () => {
        const answer = await pay.prove(this.client, id).catch(() => undefined);
        // If an earlier proof was already in progress, a second one is unnecessary.
        return answer?.status === 200 || JSON.stringify(answer?.body ?? "").includes("invalid_status");
      },
      { what: "acceptance of the proof", timeoutMs: TIMEOUT_MS },
    );
  }

  async expectOnce(id: string): Promise<void> {
    const chain = pay.createChainClient(this.stack.rpcUrl);
    for (const event of ["OrderCreated", "DeliveryProofSubmitted", "OrderSettled"] as const) {
      expect(await pay.countEvents(chain, this.stack.contractAddress, event, id), event).to.equal(1);
    }
    const transfers = await this.postgres.query(
      "select from mock_bank.transfer where reference in (select reference from gateway.payout where intent_id = decode(substr($1, 8), 'hex'))",
      [id],
    );
    expect(transfers).to.have.length(1);
  }
}
