// Sends an evenly spaced load from a client whose cost is small compared with that of the measured servers.
// docs/decisions/0027-latency-at-half-load.md explains why neither autocannon's rate option nor `fetch` is suitable.
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { CONNECTIONS, median, type Options, SECONDS } from "./shared/load.ts";

const END_OF_HEAD = "\r\n\r\n";

/** A connection that sends one request at a time. */
class Connection {
  readonly #socket: Socket;
  #answer = "";
  /** Length of the response in bytes, including its head; undefined until the head has been read. */
  #length: number | undefined;
  #received = 0;
  #pending: PromiseWithResolvers<void> | undefined;

  constructor(
    private readonly url: URL,
    private readonly headers: Record<string, string>,
  ) {
    this.#socket = connect({ host: url.hostname, port: Number(url.port), noDelay: true });
    this.#socket.on("data", (bytes: Buffer) => this.#read(bytes));
    this.#socket.on("error", (error) => this.#pending?.reject(error));
    this.#socket.on("close", () => this.#pending?.reject(new Error(`${url} closed the connection.`)));
  }

  /** @throws Error unless the response is 200 */
  get(path: string): Promise<void> {
    this.#pending = Promise.withResolvers();
    const lines = [`GET ${path} HTTP/1.1`, `host: ${this.url.host}`];
    for (const [name, value] of Object.entries(this.headers)) lines.push(`${name}: ${value}`);
    this.#socket.write(lines.join("\r\n") + END_OF_HEAD);
    return this.#pending.promise;
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(bytes: Buffer): void {
    this.#received += bytes.length;
    if (this.#length === undefined) {
      this.#answer += bytes.toString("latin1");
      const head = this.#answer.indexOf(END_OF_HEAD);
      if (head < 0) return;
      const [, length] = /^content-length: (\d+)/im.exec(this.#answer.slice(0, head)) ?? [];
      if (!this.#answer.startsWith("HTTP/1.1 200 ") || length === undefined) {
        this.#pending?.reject(new Error(`${this.url} responded with ${this.#answer.split("\r\n", 1)[0]}.`));
        return;
      }
      this.#length = head + END_OF_HEAD.length + Number(length);
    }
    if (this.#received < this.#length) return;
    this.#answer = "";
    this.#length = undefined;
    this.#received = 0;
    this.#pending?.resolve();
  }
}

/**
 * Sends evenly spaced requests until a given time. A late request is sent immediately; missed requests are not made up
 * for.
 */
async function callEvenly(options: Options, pause: number, until: number, times: number[]): Promise<void> {
  const connection = new Connection(new URL(options.url), options.headers as Record<string, string>);
  let due = performance.now() + Math.random() * pause;
  try {
    for (let index = 0; due < until; index++) {
      const early = due - performance.now();
      // A timer takes at least one millisecond.
      if (early > 0) await delay(early);
      const start = performance.now();
      await connection.get(options.requests?.[index % options.requests.length]?.path ?? "");
      times.push(performance.now() - start);
      due = Math.max(due + pause, performance.now());
    }
  } finally {
    connection.close();
  }
}

/**
 * Measures the response time in milliseconds under evenly spaced requests at a given rate.
 * @returns the median, and the number of requests sent per second
 */
export async function latencyUnder(
  options: Options,
  rate: number,
): Promise<{ median: number; sent: number }> {
  const times: number[] = [];
  const until = performance.now() + SECONDS * 1000;
  const pause = (CONNECTIONS / rate) * 1000;
  await Promise.all(Array.from({ length: CONNECTIONS }, () => callEvenly(options, pause, until, times)));
  return { median: median(times), sent: Math.round(times.length / SECONDS) };
}
