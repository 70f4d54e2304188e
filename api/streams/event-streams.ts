// Connections on which server-sent events go out. What a stream does not read is not kept for it: it is closed, and its
// client opens it again.

/** A process's streams of one kind in all. */
const MOST_STREAMS = 2_000;
/** Proxies drop connections on which nothing is sent for a minute. */
const HEARTBEAT_MS = 15_000;
/** A stream ends by itself; its client opens it again, and is asked again who it is. */
const LONGEST_MS = 15 * 60_000;
/** How long the client waits before it does. */
const RETRY_MS = 2_000;
/** Bytes that may wait for a client, besides those in the network's buffers; a client with more is behind. */
const MOST_WAITING = 64 * 1024;
/** After so many seconds without a byte that the network took, heartbeats included, the connection is closed. */
const STALLED_AFTER = 60;
/** The same for what is left of a stream that has ended. */
const STALLED_AFTER_END = 5;

const encoder = new TextEncoder();

/** The connection on which a stream is sent. */
export type StreamClient = {
  /** To count by: an address or a user. */
  owner: string;
  /** Closes it when nothing could be sent for so long. */
  closeAfterIdle(seconds: number): void;
};

export type EventStream<Subject> = {
  subject: Subject;
  client: StreamClient;
  openedAt: number;
  controller: Pick<ReadableStreamDefaultController<Uint8Array>, "desiredSize" | "enqueue" | "close">;
};

type Parts<Subject> = {
  /** Streams of one owner: a client that gets none asks again now and then. */
  mostOfOwner: number;
  onOpen(stream: EventStream<Subject>): void;
  /** No stream is left: nothing needs to be read any more. */
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

  /** Sends a message to those of the streams that are still open. */
  send(streams: Iterable<EventStream<Subject>>, data: string): void {
    const bytes = encoder.encode(`data: ${data}\n\n`);
    for (const stream of streams) if (this.#streams.has(stream)) this.#write(stream, bytes);
  }

  end(stream: EventStream<Subject>): void {
    this.#leave(stream);
    // Without it the connection of a client that never reads would stay open, with what it was sent.
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

/** The answer that carries a stream. */
export const eventStreamResponse = (stream: ReadableStream<Uint8Array>): Response =>
  new Response(stream, {
    headers: {
      "Content-Type": "text/event-stream;charset=utf-8",
      "Cache-Control": "no-store",
      // A proxy that collects what is sent would hold it back.
      "X-Accel-Buffering": "no",
    },
  });
