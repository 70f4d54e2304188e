// Connections that carry server-sent events. Nothing is buffered for a client that does not read: its stream is closed,
// and it reconnects.

/** Maximum streams of one kind per process. */
const MOST_STREAMS = 2_000;
/** Proxies drop connections that are silent for a minute. */
const HEARTBEAT_MS = 15_000;
/** Streams have a maximum age; the client reconnects and is authenticated again. */
const LONGEST_MS = 15 * 60_000;
/** Reconnect delay of the client. */
const RETRY_MS = 2_000;
/** Bytes that may be queued for a client besides the network's buffers; a client with more is too slow. */
const MOST_WAITING = 64 * 1024;
/** The connection is closed after this many seconds in which the network accepted no bytes, including heartbeats. */
const STALLED_AFTER = 60;
/** The same for the rest of a stream that has ended. */
const STALLED_AFTER_END = 5;

const encoder = new TextEncoder();

/** The connection that carries a stream. */
export type StreamClient = {
  /** The owner to count by: an address or a user. */
  owner: string;
  /** Closes the connection when nothing could be sent for this long. */
  closeAfterIdle(seconds: number): void;
};

export type EventStream<Subject> = {
  subject: Subject;
  client: StreamClient;
  openedAt: number;
  controller: Pick<ReadableStreamDefaultController<Uint8Array>, "desiredSize" | "enqueue" | "close">;
};

type Parts<Subject> = {
  /** Maximum streams per owner; a client that gets none retries occasionally. */
  mostOfOwner: number;
  onOpen(stream: EventStream<Subject>): void;
  /** Called when no stream is left, so nothing has to be read any more. */
  onIdle(): void;
};

export class EventStreams<Subject> {
  readonly #streams = new Set<EventStream<Subject>>();
  #heartbeat: ReturnType<typeof setInterval> | undefined;
  #stopped = false;

  constructor(private readonly parts: Parts<Subject>) {}

  get size(): number {
    return this.#streams.size;
  }

  [Symbol.iterator](): Iterator<EventStream<Subject>> {
    return [...this.#streams].values();
  }

  /** @returns undefined if there are too many */
  open(subject: Subject, client: StreamClient): ReadableStream<Uint8Array> | undefined {
    const ofOwner = [...this.#streams].filter((stream) => stream.client.owner === client.owner).length;
    if (this.#stopped || this.size >= MOST_STREAMS || ofOwner >= this.parts.mostOfOwner) return undefined;
    let stream: EventStream<Subject> | undefined;
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          client.closeAfterIdle(STALLED_AFTER);
          stream = { subject, client, openedAt: Date.now(), controller };
          this.#streams.add(stream);
          this.#heartbeat ??= setInterval(() => this.#beat(), HEARTBEAT_MS);
          this.#write(stream, encoder.encode(`retry: ${RETRY_MS}\n\n`));
          this.parts.onOpen(stream);
        },
        cancel: () => {
          if (stream) this.#leave(stream);
        },
      },
      new ByteLengthQueuingStrategy({ highWaterMark: MOST_WAITING }),
    );
  }

  /** Sends a message to the streams that are still open. */
  send(streams: Iterable<EventStream<Subject>>, data: string): void {
    const bytes = encoder.encode(`data: ${data}\n\n`);
    for (const stream of streams) if (this.#streams.has(stream)) this.#write(stream, bytes);
  }

  end(stream: EventStream<Subject>): void {
    this.#leave(stream);
    // Otherwise the connection of a client that never reads would stay open with its queued data.
    stream.client.closeAfterIdle(STALLED_AFTER_END);
    stream.controller.close();
  }

  stop(): void {
    this.#stopped = true;
    for (const stream of this) this.end(stream);
  }

  #write(stream: EventStream<Subject>, bytes: Uint8Array): void {
    if ((stream.controller.desiredSize ?? 0) > 0) stream.controller.enqueue(bytes);
    else this.end(stream);
  }

  #leave(stream: EventStream<Subject>): void {
    this.#streams.delete(stream);
    if (this.size > 0) return;
    clearInterval(this.#heartbeat);
    this.#heartbeat = undefined;
    this.parts.onIdle();
  }

  #beat(): void {
    const heartbeat = encoder.encode(": still here\n\n");
    for (const stream of this) {
      if (Date.now() - stream.openedAt > LONGEST_MS) this.end(stream);
      else this.#write(stream, heartbeat);
    }
  }
}

/** The response that carries a stream. */
export const eventStreamResponse = (stream: ReadableStream<Uint8Array>): Response =>
  new Response(stream, {
    headers: {
      "Content-Type": "text/event-stream;charset=utf-8",
      "Cache-Control": "no-store",
      // A buffering proxy would delay the events.
      "X-Accel-Buffering": "no",
    },
  });
