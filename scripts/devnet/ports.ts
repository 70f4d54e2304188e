// Free ports: which are, and which to take.
import { randomInt } from "node:crypto";
import { createServer, type Server } from "node:net";
import { errorCode, UserError } from "../shared/errors.ts";

/**
 * Below what Linux, macOS and Windows give to connections, and to processes that listen on any port: they take none of
 * these.
 */
const FIRST = 20_000;
const BLOCKS = 399;
/** Ports a block, of which the first is the claim. */
const BLOCK = 32;

/** Loopback and wildcard, both families: a server on any of them answers (or blocks) http://localhost. */
const PLACES = ["127.0.0.1", "::1", "0.0.0.0", "::"];

/** Whether nothing on this machine listens on the port. Throws what the system says if it cannot be tried. */
export async function isFree(port: number): Promise<boolean> {
  for (const host of PLACES) {
    if (!(await canListen(port, host))) return false;
  }
  return true;
}

/**
 * The first of the preferred ports that is free, else any free one. Nobody else who asks this gets the latter as long
 * as this process lives: its user may take a while to listen there.
 */
export async function freePort(...preferred: readonly (number | undefined)[]): Promise<number> {
  for (const port of preferred) {
    if (port !== undefined && (await isFree(port))) return port;
  }
  for (;;) {
    const port = await nextOfMine();
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

function listen(port: number, host: string): Promise<Server> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host, exclusive: true }, () => resolve(server));
  });
}

async function canListen(port: number, host: string): Promise<boolean> {
  try {
    const server = await listen(port, host);
    await new Promise((resolve) => server.close(resolve));
    return true;
  } catch (error) {
    const code = errorCode(error);
    if (code === "EADDRINUSE") return false;
    // A machine without IPv6: nothing can listen there, so nothing does.
    if (code === "EADDRNOTAVAIL" || code === "EAFNOSUPPORT") return true;
    if (code === "EACCES") {
      throw new UserError(`Port ${port} needs privileges that this user lacks. Choose one above 1023.`);
    }
    throw error;
  }
}

let mine!: Promise<number>;
let given = 0;

/** The ports of this process' block, one after the other; after the last one those of another block. */
async function nextOfMine(): Promise<number> {
  const turn = given++ % (BLOCK - 1);
  if (turn === 0) mine = claimBlock();
  return (await mine) + 1 + turn;
}

/**
 * The first port of a block of which all others are this process' own, because it listens on that one as long as it
 * lives.
 */
async function claimBlock(): Promise<number> {
  const start = randomInt(BLOCKS);
  for (let i = 0; i < BLOCKS; i++) {
    const first = FIRST + ((start + i) % BLOCKS) * BLOCK;
    if (await claim(first)) return first;
  }
  throw new Error(`Of the ports from ${FIRST} to ${FIRST + BLOCKS * BLOCK - 1} all are claimed.`);
}

async function claim(port: number): Promise<boolean> {
  try {
    (await listen(port, "127.0.0.1")).unref();
    return true;
  } catch (error) {
    if (errorCode(error) === "EADDRINUSE") return false;
    throw error;
  }
}
