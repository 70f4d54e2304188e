// Tests which ports are free, chosen and reserved, and which values of PORT are valid.
import { expect, test } from "bun:test";
import { createServer, type Server } from "node:net";
import { freePort, isFree, parsePort } from "./ports.ts";

async function startListener(host: string): Promise<{ port: number; server: Server }> {
  const port = await freePort();
  const server = createServer();
  await new Promise<void>((resolve) => server.listen({ port, host }, resolve));
  return { port, server };
}

test("a port with a listener, on loopback or on all interfaces, is not free", async () => {
  for (const host of ["127.0.0.1", "0.0.0.0"]) {
    const { port, server } = await startListener(host);
    expect(await isFree(port)).toBe(false);
    await new Promise((resolve) => server.close(resolve));
    expect(await isFree(port)).toBe(true);
  }
});

test("the first free preferred port is chosen", async () => {
  const { port: taken, server } = await startListener("127.0.0.1");
  const free = await freePort();
  expect(await freePort(undefined, taken, free)).toBe(free);
  expect(await freePort(taken)).not.toBe(taken);
  server.close();
});

test("PORT is a number from 1 to 65535, with a default if unset or empty", () => {
  expect(parsePort(undefined, 3000)).toBe(3000);
  expect(parsePort("", 3000)).toBe(3000);
  expect(parsePort("8080", 3000)).toBe(8080);
  for (const bad of ["0", "65536", "-1", "80.5", "0x50", "1e3", " 80", "http"]) {
    expect(() => parsePort(bad, 3000)).toThrow("is not a port");
  }
});

test("concurrent processes receive different ports, even before they listen on them", async () => {
  const script = `import { freePort } from "./scripts/devnet/ports.ts";
    const ports = await Promise.all(Array.from({ length: 40 }, () => freePort()));
    console.log(JSON.stringify(ports));
    process.stdin.on("data", () => undefined).on("end", () => process.exit());`;
  const children = Array.from({ length: 3 }, () =>
    Bun.spawn([process.execPath, "-e", script], { stdin: "pipe", stdout: "pipe", stderr: "inherit" }),
  );
  const given = await Promise.all(
    children.map(async ({ stdout }) => {
      const { value } = await stdout.getReader().read();
      return JSON.parse(new TextDecoder().decode(value)) as number[];
    }),
  );
  for (const child of children) child.stdin.end();
  expect(new Set(given.flat()).size).toBe(3 * 40);
  await Promise.all(children.map(({ exited }) => exited));
});
