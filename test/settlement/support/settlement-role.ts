// A process of the settlement role that a test starts with different configurations in sequence.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "#scripts/devnet/ports.ts";
import { type Environment, startRoleProcess } from "#scripts/devnet/roles.ts";
import { until } from "#scripts/shared/wait.ts";
import type { Stack } from "#test/support/stack.ts";

let started = 0;

/** Starts the role alongside a stack without settlement. */
export async function startSettlement(stack: Stack, changes: Environment) {
  const port = await freePort();
  const log = join(stack.logs, `settlement-configured-${++started}.log`);
  const environment = { ...stack.environment, ...changes, SETTLEMENT_PORT: String(port) };
  const child = await startRoleProcess("settlement", environment, log);
  const logged = () => readFileSync(log, "utf8");
  const hasStarted = () => logged().includes('"msg":"started"');
  return {
    environment,
    logged,
    /** @returns the log of a process that refused to start */
    async refusal(): Promise<string> {
      const how = await until(() => child.ended() ?? (hasStarted() && "started"), {
        what: "The refusal",
        timeoutMs: 30_000,
      });
      if (how !== "exit code 1") throw new Error(`It has not refused to start: ${how}.`);
      return logged();
    },
    works: () =>
      until(hasStarted, {
        what: "The start",
        timeoutMs: 30_000,
        check() {
          if (child.ended() !== null) throw new Error(`It ended: ${child.tail()}`);
        },
      }),
    async metric(name: string): Promise<number> {
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1]);
    },
    stop: () => child.stop(),
  };
}
