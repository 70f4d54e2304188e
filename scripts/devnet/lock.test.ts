// Tests that the lock has one holder at a time, and is free after that holder has exited.
import { expect, test } from "bun:test";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "#test/support/temporary-folder.ts";
import { acquireLock } from "./lock.ts";

const folder = temporaryFolder("lock");
const newLock = () => join(mkdtempSync(`${folder}/`), "lock.sqlite");

const HOLDER = `
  import { acquireLock } from ${JSON.stringify(join(import.meta.dir, "lock.ts"))};
  console.log(acquireLock(process.argv[1]) ? "held" : "refused");
  setInterval(() => {}, 1000);`;

async function otherHolder(file: string) {
  const child = Bun.spawn([process.execPath, "-e", HOLDER, file], { stdout: "pipe", stdin: "ignore" });
  const { value } = await child.stdout.getReader().read();
  expect(new TextDecoder().decode(value).trim()).toBe("held");
  return child;
}

test("a second holder is rejected until the first releases the lock", () => {
  const file = newLock();
  const first = acquireLock(file);
  expect(first).not.toBeNull();
  expect(acquireLock(file)).toBeNull();
  first?.release();
  const second = acquireLock(file);
  expect(second).not.toBeNull();
  second?.release();
});

test("a lock held by another process is unavailable, and free once that process is killed", async () => {
  const file = newLock();
  const holder = await otherHolder(file);
  expect(acquireLock(file)).toBeNull();
  holder.kill("SIGKILL");
  await holder.exited;
  const lock = acquireLock(file);
  expect(lock).not.toBeNull();
  lock?.release();
});

test("a waiting process acquires the lock when the holder exits", async () => {
  const file = newLock();
  const holder = await otherHolder(file);
  // The wait blocks this process, so another process has to end the holder.
  Bun.spawn(["sh", "-c", `sleep 0.3; kill -9 ${holder.pid}`]);
  const lock = acquireLock(file, 10_000);
  expect(lock).not.toBeNull();
  lock?.release();
});
