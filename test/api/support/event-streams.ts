// Clients of server-sent events that can stop reading, and payments with large events.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { Client as Postgres } from "pg";
import { BLOCK_CHANNEL } from "#core/db/chain.ts";
import type { Client } from "./client.ts";
import { create } from "./payments.ts";

const MILESTONES = 100;
const LONGEST_DESCRIPTION = "鋼".repeat(1_000);

/** Creates a payment whose page receives 300 kB on each change. */
export async function largePayment(client: Client, database: Postgres): Promise<string> {
  const { id } = await create(client, { metadata: { releaseType: "MILESTONE_LOCKED" } });
  await database.query(
    `insert into gateway.milestone (id, merchant_id, intent_id, milestone_index, description, amount)
     select 'milestone_' || encode(i.id, 'hex') || n, i.merchant_id, i.id, n, $2, 1
     from gateway.intent i, generate_series(1, ${MILESTONES}) n where i.id = decode(substr($1, 8), 'hex')`,
    [id, LONGEST_DESCRIPTION],
  );
  return id;
}

/** Changes a payment in a way that its page shows. */
export async function change(database: Postgres, id: string): Promise<void> {
  await database.query(
    "update gateway.intent set updated_at = updated_at + interval '1 second' where id = decode(substr($1, 8), 'hex')",
    [id],
  );
  await database.query("select pg_notify($1, '')", [BLOCK_CHANNEL]);
}

export class EventStream {
  /** Whether the server or the network has closed the connection. */
  closed = false;
  /** The payment status in each complete message. */
  readonly statuses: string[] = [];
  #parts: string[] = [];
  #onProgress = (): void => undefined;
  readonly #socket: Socket;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding("utf8");
    socket.on("data", (text: string) => {
      this.#parts.push(text);
      if (text.includes("\n")) this.#readMessages();
    });
    socket.on("close", () => {
      this.closed = true;
      this.#onProgress();
    });
    // A reset connection counts as closed; its reason is irrelevant here.
    socket.on("error", () => undefined);
  }

  /** Opens a payment's stream for a client with this address, and reads the first message. */
  static async open(origin: string, id: string, address: string): Promise<EventStream> {
    const { hostname, port } = new URL(origin);
    const socket = connect(Number(port), hostname);
    const stream = new EventStream(socket);
    await once(socket, "connect");
    socket.write(
      [
        `GET /v1/payment-intents/public/${id}/checkout HTTP/1.1`,
        `Host: ${hostname}`,
        "Accept: text/event-stream",
        `X-Forwarded-For: ${address}`,
        "\r\n",
      ].join("\r\n"),
    );
    await stream.untilMessages(1);
    return stream;
  }

  #readMessages(): void {
    const blocks = this.#parts.join("").split("\n\n");
    this.#parts = blocks.splice(-1);
    for (const block of blocks) {
      const status = /^data: \{.*?"status":"(\w+)"/m.exec(block)?.[1];
      if (status) this.statuses.push(status);
    }
    this.#onProgress();
  }

  async untilMessages(count: number): Promise<void> {
    while (this.statuses.length < count) {
      if (this.closed) throw new Error(`The stream ended after ${this.statuses.length} messages.`);
      await new Promise<void>((resolve) => {
        this.#onProgress = resolve;
      });
    }
  }

  async untilClosed(): Promise<void> {
    if (!this.closed) await once(this.#socket, "close");
  }

  /** Stops reading. Everything sent from now on stays in the server's and the network's buffers. */
  stall(): void {
    this.#socket.pause();
  }

  read(): void {
    this.#socket.resume();
  }

  leave(): void {
    this.#socket.destroy();
  }
}
