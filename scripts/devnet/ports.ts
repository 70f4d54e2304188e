// Finds and reserves free ports.
import { randomInt } from "node:crypto";
import { createServer, type Server } from "node:net";
import { errorCode, UserError } from "../shared/errors.ts";

/**
 * The first port is below the ephemeral port ranges of Linux, macOS and Windows, so outgoing connections and port-0
 * listeners never use the ports of these blocks.
 */
const FIRST = 20_000;
const BLOCKS = 399;
/** Ports per block; listening on the first one claims the block. */
const BLOCK = 32;

/**
 * Loopback and wildcard addresses of both families: a server on any of them responds to (or blocks) http://localhost.
 */
const PLACES = ["127.0.0.1", "::1", "0.0.0.0", "::"];

/** Whether the port is free on this machine. Throws the system's error if it cannot be tested. */
export async function isFree(port: number): Promise<boolean> {
  for (const host of PLACES) {
    if (!(await canListen(port, host))) return false;
  }
  return true;
}

/**
 * Returns the first free preferred port, otherwise any free port. The latter is reserved for this process's lifetime,
 * because some time may pass before a server listens on it.
 */
export async function freePort(...preferred: readonly (number | undefined)[]): Promise<number> {
  for (const port of preferred) {
    if (port !== undefined && (await isFree(port))) return port;
  }
  for (;;) {
    const port = await takeNextPort();
    if (await isFree(port)) return port;
  }
}

/** Parses the value of PORT; returns the default if it is unset. */
export function parsePort(value: string | undefined, standard: number): number {
  if (value === undefined || value === "") return standard;
  const port = Number(value);
  if (!/^\d+$/.test(value) || port < 1 || port > 65_535) {
    throw new UserError(
      `PORT=${value} is not a port. Use a number from 1 to 65535, e.g. PORT=8080 npm start.`,
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
    // Without IPv6 nothing can listen there, so the port is free.
    if (code === "EADDRNOTAVAIL" || code === "EAFNOSUPPORT") return true;
    if (code === "EACCES") {
      throw new UserError(`Port ${port} requires privileges that this user lacks. Choose one above 1023.`);
    }
    throw error;
  }
}

let mine!: Promise<number>;
let given = 0;

/** Takes the ports of this process's block, then those of another block. */
async function takeNextPort(): Promise<number> {
  const turn = given++ % (BLOCK - 1);
  if (turn === 0) mine = claimBlock();
  return (await mine) + 1 + turn;
}

/**
 * Returns the first port of a block. This process listens on it for its lifetime, which reserves the rest of the block.
 */
async function claimBlock(): Promise<number> {
  const start = randomInt(BLOCKS);
  for (let i = 0; i < BLOCKS; i++) {
    const first = FIRST + ((start + i) % BLOCKS) * BLOCK;
    if (await claim(first)) return first;
  }
  throw new Error(`All ports from ${FIRST} to ${FIRST + BLOCKS * BLOCK - 1} are claimed.`);
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
