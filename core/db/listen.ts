// Listens for PostgreSQL notifications on a dedicated connection, and reconnects when it breaks.
import { Client } from "pg";
import { backoffMs } from "../backoff.ts";

const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 2_000;

export type Listener = { stop(): Promise<void> };

/** Notified when the connection is lost and when it recovers. */
export type ListenerProblems = {
  report(subject: "listener", error: Error): void;
  resolve(subject: "listener"): void;
};

/**
 * @param wake called for every notification, and after every (re)connection, because notifications may have been missed
 * @param application the connection's name, as shown by PostgreSQL
 */
export function listen(
  url: string,
  channel: string,
  wake: () => void,
  problems: ListenerProblems,
  application: string,
): Listener {
  let client: Client | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let stopped = false;
  let failures = 0;

  const again = (broken: Client, error: Error) => {
    if (stopped || client !== broken) return;
    client = undefined;
    problems.report("listener", error);
    // The connection may be half open, so errors while closing it are irrelevant.
    broken.end().catch(() => undefined);
    retry = setTimeout(connect, backoffMs(FIRST_RETRY_MS, LAST_RETRY_MS, failures++));
  };

  const connect = () => {
    const fresh = new Client({
      connectionString: url,
      application_name: application,
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
    });
    client = fresh;
    fresh.on("error", (error) => again(fresh, error));
    fresh.on("end", () => again(fresh, new Error("The connection was closed.")));
    fresh.on("notification", wake);
    fresh
      .connect()
      .then(() => fresh.query(`listen ${fresh.escapeIdentifier(channel)}`))
      .then(() => {
        failures = 0;
        problems.resolve("listener");
        wake();
      })
      .catch((error: Error) => again(fresh, error));
  };

  connect();
  return {
    async stop() {
      stopped = true;
      clearTimeout(retry);
      await client?.end().catch(() => undefined);
    },
  };
}
