// Tests that the supervisor restarts services that exit, but not those that were asked to stop.
import { expect, test } from "bun:test";
import { type Running, type Service, Supervisor } from "./supervisor.ts";

/** A service without a process: each start creates a run that the test can end. */
function fakeService(name: string, options: { failStarts?: number } = {}) {
  const lives: { end: (how: string) => void; stopped: boolean }[] = [];
  let failures = options.failStarts ?? 0;
  const waiting: (() => void)[] = [];
  const service: Service = {
    name,
    async start(): Promise<Running> {
      const { promise, resolve } = Promise.withResolvers<string>();
      const life = { end: resolve, stopped: false };
      lives.push(life);
      for (const wake of waiting.splice(0)) wake();
      return {
        pid: lives.length,
        started: "now",
        exited: promise,
        ready: async () => {
          if (failures-- > 0) throw new Error("not today");
        },
        stop: async () => {
          life.stopped = true;
          resolve("stopped");
        },
        force: () => resolve("forced"),
      };
    },
  };
  const started = async (count: number) => {
    while (lives.length < count) await new Promise<void>((resolve) => waiting.push(resolve));
  };
  return { service, lives, started };
}

function newSupervisor() {
  const notices: string[] = [];
  const supervisor = new Supervisor({ notice: (line) => notices.push(line), changed: () => undefined });
  return { supervisor, notices };
}

test("a service that exits is restarted, and the user is informed", async () => {
  const { supervisor, notices } = newSupervisor();
  const { service, lives, started } = fakeService("api");
  await supervisor.start(service);
  lives[0]?.end("SIGKILL");
  await started(2);
  expect(notices[0]).toBe("api exited (SIGKILL); restarting it.");
  await supervisor.stopAll(["api"]);
});

test("a service that fails to restart is retried", async () => {
  const { supervisor } = newSupervisor();
  let failing = false;
  const { service, lives, started } = fakeService("indexer");
  const start = service.start;
  service.start = async () => {
    const running = await start();
    return failing ? { ...running, ready: () => Promise.reject(new Error("no database")) } : running;
  };
  await supervisor.start(service);
  failing = true;
  lives[0]?.end("exit code 1");
  await started(2);
  failing = false;
  await started(3);
  expect(lives[1]?.stopped).toBe(true);
  await supervisor.stopAll(["indexer"]);
});

test("a failing first start is left to the caller, and nothing is left running", async () => {
  const { supervisor, notices } = newSupervisor();
  const { service, lives } = fakeService("api", { failStarts: 1 });
  expect(supervisor.start(service)).rejects.toThrow("not today");
  await supervisor.stopAll(["api"]);
  expect(lives).toHaveLength(1);
  expect(lives[0]?.stopped).toBe(true);
  expect(notices).toEqual([]);
});

test("everything stops in the given order, and stays stopped", async () => {
  const { supervisor, notices } = newSupervisor();
  const order: string[] = [];
  for (const name of ["postgres", "api"]) {
    const { service } = fakeService(name);
    const start = service.start;
    service.start = async () => {
      const running = await start();
      return {
        ...running,
        stop: async () => {
          order.push(name);
          await running.stop();
        },
      };
    };
    await supervisor.start(service);
  }
  await supervisor.stopAll(["api", "postgres"]);
  expect(order).toEqual(["api", "postgres"]);
  expect(notices).toEqual([]);
  expect(supervisor.start(fakeService("late").service)).rejects.toThrow("being stopped");
});

test("a paused service stays stopped until it is resumed", async () => {
  const { supervisor } = newSupervisor();
  const { service, lives, started } = fakeService("settlement");
  await supervisor.start(service);
  await supervisor.pause("settlement");
  expect(lives).toHaveLength(1);
  expect(lives[0]?.stopped).toBe(true);
  supervisor.resume("settlement");
  await started(2);
  await supervisor.stopAll(["settlement"]);
});
