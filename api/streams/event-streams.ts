// Streams of server-sent events. If a client reads too slowly, its stream is closed; clients are expected
// to reconnect.

/** Maximum number of streams per kind and network. */
const MAX_STREAMS = 2_000;
/** Interval of heartbeats. Some proxies close connections that are idle for a minute. */
const HEARTBEAT_MS = 15_000;
/**
 * Age after which the next heartbeat closes a stream. A user of the dashboard is authenticated again when it reconnects.
 */
const MAX_AGE_MS = 15 * 60_000;
/** Delay before a client reconnects; each stream sends it as `retry`. */
const RETRY_MS = 2_000;
/**
 * Size of a client's queue, in addition to network buffers, from which the next message closes the stream. A single
 * message can exceed it.
 */
const MAX_QUEUED_BYTES = 64 * 1024;
/** Seconds after which a connection is closed if not even a heartbeat could be sent. */
const IDLE_TIMEOUT_S = 60;
/** The same limit for the queued data of a stream that has ended. */
const END_TIMEOUT_S = 5;

const encoder = new TextEncoder();

/** The connection that carries a stream. */
export type StreamClient = {
  /** The client's address or the user's id, to which the limit per owner applies. */
  owner: string;
  /** Closes the connection if no data could be sent for this number of seconds. */
  closeAfterIdle(seconds: number): void;
};

export type EventStream<Subject> = {
  subject: Subject;
  client: StreamClient;
  openedAt: number;
  controller: Pick<ReadableStreamDefaultController<Uint8Array>, "desiredSize" | "enqueue" | "close">;
};

type Dependencies<Subject> = {
  /** Maximum number of streams per owner. Rejected clients poll or retry later. */
  mostOfOwner: number;
  onOpen(stream: EventStream<Subject>): void;
  /** Called when no streams are left, so that polling can stop. */
  onIdle(): void;
};

export class EventStreams<Subject> {
  readonly #streams = new Set<EventStream<Subject>>();
  #heartbeat: ReturnType<typeof setInterval> | undefined;
  #stopped = false;

  constructor(private readonly dependencies: Dependencies<Subject>) {}

  get size(): number {
    return this.#streams.size;
  }

  [Symbol.iterator](): Iterator<EventStream<Subject>> {
    return [...this.#streams].values();
  }

  /** @returns undefined if a limit is reached, or the streams are stopped */
  open(subject: Subject, client: StreamClient): ReadableStream<Uint8Array> | undefined {
    const ofOwner = [...this.#streams].filter((stream) => stream.client.owner === client.owner).length;
    if (this.#stopped || this.size >= MAX_STREAMS || ofOwner >= this.dependencies.mostOfOwner)
      return undefined;
    let stream: EventStream<Subject> | undefined;
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          client.closeAfterIdle(IDLE_TIMEOUT_S);
          stream = { subject, client, openedAt: Date.now(), controller };
          this.#streams.add(stream);
          this.#heartbeat ??= setInterval(() => this.#sendHeartbeats(), HEARTBEAT_MS);
          this.#write(stream, encoder.encode(`retry: ${RETRY_MS}\n\n`));
          this.dependencies.onOpen(stream);
        },
        cancel: () => {
          if (stream) this.#remove(stream);
        },
      },
      new ByteLengthQueuingStrategy({ highWaterMark: MAX_QUEUED_BYTES }),
    );
  }

  /** Sends a message to those of the given streams that are still open, and closes those whose queue is full. */
  send(streams: Iterable<EventStream<Subject>>, data: string): void {
    const bytes = encoder.encode(`data: ${data}\n\n`);
    for (const stream of streams) if (this.#streams.has(stream)) this.#write(stream, bytes);
  }

  end(stream: EventStream<Subject>): void {
    this.#remove(stream);
    // Otherwise, a client that does not read would keep its connection and its queued data for longer.
    stream.client.closeAfterIdle(END_TIMEOUT_S);
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

  #remove(stream: EventStream<Subject>): void {
    this.#streams.delete(stream);
    if (this.size > 0) return;
    clearInterval(this.#heartbeat);
    this.#heartbeat = undefined;
    this.dependencies.onIdle();
  }

  #sendHeartbeats(): void {
    const heartbeat = encoder.encode(": heartbeat\n\n");
    for (const stream of this) {
      if (Date.now() - stream.openedAt > MAX_AGE_MS) this.end(stream);
      else this.#write(stream, heartbeat);
    }
  }
}

/** Creates the response for a stream. */
export const eventStreamResponse = (stream: ReadableStream<Uint8Array>): Response =>
  new Response(stream, {
    headers: {
      "Content-Type": "text/event-stream;charset=utf-8",
      "Cache-Control": "no-store",
      // A buffering proxy would delay the events.
      "X-Accel-Buffering": "no",
    },
  });
