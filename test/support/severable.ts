// A database connection that a test can cut. To the gateway, the database then looks unavailable.
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export type Severable = {
  /** The database URL through this connection. */
  url: string;
  /** Closes every connection and accepts no new ones. */
  cut(): Promise<void>;
  restore(): Promise<void>;
  /** Drops everything that is sent over the open connections, and over new ones until `answer`. They stay open. */
  silence(): void;
  /** Lets new connections work again. */
  answer(): void;
  close(): Promise<void>;
};

export async function severable(databaseUrl: string): Promise<Severable> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    // Cutting a connection raises an error at both ends, which is expected.
    socket.on("error", () => socket.destroy());
  };
  let silent = false;
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    keep(near);
    keep(far);
    if (silent) {
      near.resume();
      far.resume();
    } else {
      near.pipe(far);
      far.pipe(near);
    }
    near.on("close", () => far.destroy());
    far.on("close", () => near.destroy());
  });
  const listen = (port: number) =>
    new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(port, "127.0.0.1", resolve);
    });
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const url = new URL(databaseUrl);
  url.hostname = "127.0.0.1";
  url.port = String(port);
  const cut = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  return {
    url: url.href,
    cut,
    restore: () => listen(port),
    silence() {
      silent = true;
      for (const socket of sockets) socket.unpipe().resume();
    },
    answer() {
      silent = false;
    },
    close: () => (server.listening ? cut() : Promise.resolve()),
  };
}
