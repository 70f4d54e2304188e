// Free ports: which are, and which to take.
import { createServer } from "node:net";
import { errorCode, UserError } from "./errors.ts";

/** Loopback and wildcard, both families: a server on any of them answers (or blocks) http://localhost. */
const PLACES = ["127.0.0.1", "::1", "0.0.0.0", "::"];

/** Whether nothing on this machine listens on the port. Throws what the system says if it cannot be tried. */
export async function isFree(port: number): Promise<boolean> {
  for (const host of PLACES) {
    if (!(await canListen(port, host))) return false;
  }
  return true;
}

/** The first of the preferred ports that is free, else any free one. */
export async function freePort(...preferred: readonly (number | undefined)[]): Promise<number> {
  for (const port of preferred) {
    if (port !== undefined && (await isFree(port))) return port;
  }
  for (;;) {
    const port = await anyPort();
    if (await isFree(port)) return port;
  }
}

/** The value of PORT as a number; the default if it is not set. */
export function parsePort(value: string | undefined, standard: number): number {
  if (value === undefined || value === "") return standard;
  const port = Number(value);
  if (!/^\d+$/.test(value) || port < 1 || port > 65_535) {
    throw new UserError(
      `PORT=${value} is not a port. Give a number from 1 to 65535, e.g. PORT=8080 npm start.`,
    );
  }
  return port;
}

function canListen(port: number, host: string): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once("error", (error) => {
      const code = errorCode(error);
      if (code === "EADDRINUSE") resolve(false);
      // A machine without IPv6: nothing can listen there, so nothing does.
      else if (code === "EADDRNOTAVAIL" || code === "EAFNOSUPPORT") resolve(true);
      else if (code === "EACCES") {
        reject(new UserError(`Port ${port} needs privileges that this user lacks. Choose one above 1023.`));
      } else reject(error);
    });
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

function anyPort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port: 0, host: "127.0.0.1" }, () => {
      const address = server.address();
      server.close(() => {
        if (typeof address === "object" && address !== null) resolve(address.port);
        else reject(new Error("The system gave no port."));
      });
    });
  });
}
