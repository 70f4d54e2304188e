// An HTTP/1.1 client that sends requests unchanged: it neither normalizes paths nor merges or rejects headers.
import { connect, type Socket } from "node:net";
import { brotliDecompressSync, gunzipSync } from "node:zlib";

export type RawRequest = {
  method: string;
  /** Path and query exactly as sent. */
  target: string;
  headers: [string, string][];
  body?: string;
};

export type RawResponse = { status: number; headers: Map<string, string>; body: string };

type Waiting = {
  request: RawRequest;
  resolve(response: RawResponse): void;
  reject(error: Error): void;
  timer: ReturnType<typeof setTimeout>;
};

export class HangingRequest extends Error {
  override readonly name = "HangingRequest";
}

/** Returns the body's text once the body is complete; undefined before. */
function bodyOf(headers: Map<string, string>, rest: string): { body: string; end: number } | undefined {
  if (headers.get("transfer-encoding") !== "chunked") {
    const length = Number(headers.get("content-length") ?? 0);
    return rest.length < length ? undefined : { body: rest.slice(0, length), end: length };
  }
  let body = "";
  for (let at = 0; ; ) {
    const line = rest.indexOf("\r\n", at);
    if (line < 0) return undefined;
    const size = Number.parseInt(rest.slice(at, line), 16);
    const end = line + 2 + size + 2;
    if (rest.length < end) return undefined;
    body += rest.slice(line + 2, end - 2);
    if (size === 0) return { body, end };
    at = end;
  }
}

/** Decodes the body, because a random Accept-Encoding may request a compressed response. */
function decode(headers: Map<string, string>, body: Buffer): string {
  if (body.length === 0) return "";
  switch (headers.get("content-encoding")) {
    case undefined:
      return body.toString("utf8");
    case "gzip":
      return gunzipSync(body).toString("utf8");
    case "br":
      return brotliDecompressSync(body).toString("utf8");
    default:
      throw new Error(`An encoding that nobody asked for: ${headers.get("content-encoding")}.`);
  }
}

/** A client with one keep-alive connection that sends one request at a time. */
export class RawClient {
  #socket: Socket | undefined;
  #received = "";
  #waiting: Waiting | undefined;

  constructor(
    private readonly host: string,
    private readonly port: number,
    private readonly timeoutMs: number,
  ) {}

  send(request: RawRequest): Promise<RawResponse> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#fail(new HangingRequest(`No answer within ${this.timeoutMs} ms.`));
      }, this.timeoutMs);
      this.#waiting = { request, resolve, reject, timer };
      const body = Buffer.from(request.body ?? "", "utf8");
      const hasBody = request.body !== undefined;
      const lines = [
        `${request.method} ${request.target} HTTP/1.1`,
        `Host: ${this.host}:${this.port}`,
        ...request.headers.map(([name, value]) => `${name}: ${value}`),
        ...(hasBody ? [`Content-Length: ${body.byteLength}`] : []),
      ];
      const socket = this.#connected();
      socket.write(Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), body]));
    });
  }

  close(): void {
    this.#socket?.destroy();
  }

  #connected(): Socket {
    if (this.#socket && !this.#socket.destroyed && this.#socket.writable) return this.#socket;
    const socket = connect(this.port, this.host);
    this.#socket = socket;
    this.#received = "";
    socket.on("data", (data: Buffer) => {
      if (this.#socket !== socket) return;
      this.#received += data.toString("latin1");
      this.#read();
    });
    const gone = (error?: Error) => {
      if (this.#socket !== socket) return;
      this.#socket = undefined;
      this.#fail(error ?? new Error("The connection was closed without an answer."));
    };
    socket.on("error", gone);
    socket.on("close", () => gone());
    return socket;
  }

  #read(): void {
    const waiting = this.#waiting;
    const headEnd = this.#received.indexOf("\r\n\r\n");
    if (!waiting || headEnd < 0) return;
    const [first = "", ...lines] = this.#received.slice(0, headEnd).split("\r\n");
    const headers = new Map(
      lines.map((line) => {
        const colon = line.indexOf(":");
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
      }),
    );
    const rest = this.#received.slice(headEnd + 4);
    const read = waiting.request.method === "HEAD" ? { body: "", end: 0 } : bodyOf(headers, rest);
    if (!read) return;
    this.#received = rest.slice(read.end);
    this.#waiting = undefined;
    clearTimeout(waiting.timer);
    if (headers.get("connection")?.toLowerCase() === "close") {
      const socket = this.#socket;
      this.#socket = undefined;
      socket?.destroy();
    }
    const status = Number(first.split(" ")[1]);
    waiting.resolve({ status, headers, body: decode(headers, Buffer.from(read.body, "latin1")) });
  }

  #fail(error: Error): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    this.#socket?.destroy();
    this.#socket = undefined;
    if (!waiting) return;
    clearTimeout(waiting.timer);
    waiting.reject(error);
  }
}
