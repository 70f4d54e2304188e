// As much of a Redis as the rate limits use, over real sockets: the protocol's framing, the counting script, GET, PTTL.
import type { Socket, TCPSocketListener } from "bun";

/** The commands that are complete in the text, and what is left of it. */
function parse(text: string): { commands: string[][]; rest: string } {
  const commands: string[][] = [];
  let at = 0;
  for (;;) {
    const head = /^\*(\d+)\r\n/.exec(text.slice(at));
    if (!head) return { commands, rest: text.slice(at) };
    let end = at + head[0].length;
    const parts: string[] = [];
    for (let i = 0; i < Number(head[1]); i++) {
      const size = /^\$(\d+)\r\n/.exec(text.slice(end));
      if (!size) return { commands, rest: text.slice(at) };
      const start = end + size[0].length;
      end = start + Number(size[1]) + 2;
      if (end > text.length) return { commands, rest: text.slice(at) };
      parts.push(text.slice(start, end - 2));
    }
    commands.push(parts);
    at = end;
  }
}

export class FakeRedis {
  readonly #values = new Map<string, { count: number; until: number }>();
  readonly #listener: TCPSocketListener<{ rest: string }>;
  readonly #sockets = new Set<Socket<{ rest: string }>>();
  /** While true nothing is answered. */
  silent = false;

  constructor() {
    this.#listener = Bun.listen<{ rest: string }>({
      hostname: "127.0.0.1",
      port: 0,
      socket: {
        open: (socket) => {
          socket.data = { rest: "" };
          this.#sockets.add(socket);
        },
        close: (socket) => {
          this.#sockets.delete(socket);
        },
        data: (socket, data) => {
          const { commands, rest } = parse(socket.data.rest + data.toString("latin1"));
          socket.data.rest = rest;
          for (const command of commands) if (!this.silent) socket.write(this.#answer(command));
        },
      },
    });
  }

  get url(): string {
    return `redis://127.0.0.1:${this.#listener.port}`;
  }

  get keys(): string[] {
    return [...this.#values.keys()];
  }

  stop(): void {
    for (const socket of this.#sockets) socket.end();
    this.#listener.stop(true);
  }

  #answer([name = "", ...args]: string[]): string {
    switch (name.toUpperCase()) {
      case "HELLO":
        return "%1\r\n+proto\r\n:3\r\n";
      case "EVAL": {
        const [, , key = "", points, seconds] = args;
        const { count, left } = this.#count(key, Number(points), Number(seconds));
        return `*2\r\n:${count}\r\n:${left}\r\n`;
      }
      case "GET":
      case "PTTL": {
        const known = this.#values.get(args[0] ?? "");
        const alive = known && known.until > Date.now() ? known : undefined;
        if (name.toUpperCase() === "PTTL") return `:${alive ? alive.until - Date.now() : -2}\r\n`;
        return alive ? `$${String(alive.count).length}\r\n${alive.count}\r\n` : "_\r\n";
      }
      default:
        return "+OK\r\n";
    }
  }

  #count(key: string, points: number, seconds: number) {
    const now = Date.now();
    let value = this.#values.get(key);
    if (!value || value.until <= now) {
      value = { count: 0, until: now + seconds * 1000 };
      this.#values.set(key, value);
    }
    value.count += points;
    return { count: value.count, left: value.until - now };
  }
}
