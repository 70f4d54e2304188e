// API clients behind a load balancer. Each client keeps its connection, and opens a new one only to a ready process.
import { connect, type Socket } from "node:net";

/**
 * Interval of the load balancer's health checks. Real load balancers check every few seconds and have a longer drain
 * time.
 */
const CHECK_MS = 25;
/** Maximum delay between two requests of a client. */
const PAUSE_MS = 10;

type Answer = { status: number; closes: boolean };

/** A keep-alive connection that handles one request at a time. */
class Connection {
  #text = "";
  #ended = false;
  #onProgress = (): void => undefined;
  readonly #socket: Socket;

  constructor(port: number) {
    this.#socket = connect(port, "127.0.0.1");
    this.#socket.setEncoding("utf8");
    this.#socket.on("data", (text: string) => {
      this.#text += text;
      this.#onProgress();
    });
    this.#socket.on("close", () => {
      this.#ended = true;
      this.#onProgress();
    });
    // The error is reported by the request that gets no response.
    this.#socket.on("error", () => undefined);
  }

  /** Whether the server has closed the connection, which it may do between requests. */
  get ended(): boolean {
    return this.#ended;
  }

  /** @throws if the connection ends without a complete response */
  async get(path: string): Promise<Answer> {
    this.#text = "";
    this.#socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    for (;;) {
      const [head = "", body] = this.#text.split("\r\n\r\n");
      const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
      if (body !== undefined && Buffer.byteLength(body) >= length) {
        return { status: Number(head.split(" ")[1]), closes: /^connection: close/im.test(head) };
      }
      if (this.#ended) throw new Error("The connection ended without an answer.");
      await new Promise<void>((resolve) => {
        this.#onProgress = resolve;
      });
    }
  }

  close(): void {
    this.#socket.destroy();
  }
}

export class BalancedClients {
  answers = 0;
  readonly failures: string[] = [];
  /** Number of times that the process became not ready after being ready. */
  drains = 0;
  #ready = false;
  readonly #stopping = new AbortController();
  readonly #running: Promise<unknown>;

  constructor(
    private readonly port: number,
    private readonly path: string,
    count: number,
  ) {
    const clients = Array.from({ length: count }, () => this.#client());
    this.#running = Promise.all([this.#check(), ...clients]);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #check(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const status = await fetch(`http://127.0.0.1:${this.port}/ready`).then(
        (response) => response.status,
        () => undefined,
      );
      if (this.#ready && status === 503) this.drains++;
      this.#ready = status === 200;
      await Bun.sleep(CHECK_MS);
    }
  }

  async #client(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      if (this.#ready) await this.#connection();
      else await Bun.sleep(CHECK_MS);
    }
  }

  async #connection(): Promise<void> {
    const connection = new Connection(this.port);
    try {
      while (!this.#stopping.signal.aborted && !connection.ended) {
        const { status, closes } = await connection.get(this.path);
        if (status === 200) this.answers++;
        else this.failures.push(`Status ${status}.`);
        if (closes) return;
        await Bun.sleep(Math.random() * PAUSE_MS);
      }
    } catch (error) {
      this.failures.push(String(error));
    } finally {
      connection.close();
    }
  }
}
