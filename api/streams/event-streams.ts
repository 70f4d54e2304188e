// Streams of server-sent events. If a client reads too slowly, its stream is closed and the client reconnects.

/** Maximum number of streams of one kind per process. */
const MOST_STREAMS = 2_000;
/** Some proxies close connections that are silent for a minute. */
const HEARTBEAT_MS = 15_000;
/** Maximum age of a stream. The client then reconnects and is authenticated again. */
const LONGEST_MS = 15 * 60_000;
/** Delay before a client reconnects. */
const RETRY_MS = 2_000;
/**
 * Maximum number of bytes that may be queued for a client, in addition to network buffers. The stream of a
 * slower client is closed.
 */
const MOST_WAITING = 64 * 1024;
/** Seconds without progress, including heartbeats, after which a connection is closed. */
const STALLED_AFTER = 60;
/** The same limit for the remaining data of a stream that has ended. */
const STALLED_AFTER_END = 5;

const encoder = new TextEncoder();

/** The connection that carries a stream. */
export type StreamClient = {
  /** The address or user by which streams are counted. */
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

type Parts<Subject> = {
  /** Maximum number of streams per owner. Rejected clients retry occasionally. */
  mostOfOwner: number;
  onOpen(stream: EventStream<Subject>): void;
  /** Called when no streams are left, so that polling can stop. */
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

  /** @returns undefined if too many streams are open */
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
    // Otherwise, the connection of a client that does not read would stay open with its queued data.
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
