// Distinguishes a test's own statements from those of the code under test, which share connections. A statement belongs
// to the test if a file in test/ created it. drizzle sends a statement later than it is created, so its creator is
// recorded.
import { AsyncLocalStorage, AsyncResource } from "node:async_hooks";
import { join, sep } from "node:path";
import { QueryPromise } from "drizzle-orm";
import {
  PgDatabase,
  PgInsertBuilder,
  PgSelectBase,
  PgSelectBuilder,
  PgUpdateBuilder,
} from "drizzle-orm/pg-core";
import { PgCountBuilder } from "drizzle-orm/pg-core/query-builders/count";
import pg from "pg";
import { root } from "../../shared/paths.ts";

const own = new AsyncLocalStorage<true>();

/** Whether the statement that is being sent was created by a test. */
export const isTestsOwn = (): boolean => own.getStore() === true;

type Method = (this: object, ...args: unknown[]) => unknown;

/** Makes drizzle and pg record who creates a statement. */
export function noteWriters(): void {
  const written = new WeakSet<object>();
  const note = (prototype: object, name: string) =>
    wrap(
      prototype,
      name,
      (method) =>
        function (...args) {
          const byTest = isWrittenByTest();
          const statement = Reflect.apply(method, this, args);
          if (byTest && typeof statement === "object" && statement !== null) written.add(statement);
          return statement;
        },
    );
  note(PgSelectBuilder.prototype, "from");
  note(PgInsertBuilder.prototype, "values");
  note(PgInsertBuilder.prototype, "select");
  note(PgUpdateBuilder.prototype, "set");
  note(PgDatabase.prototype, "delete");
  note(PgDatabase.prototype, "execute");
  note(PgDatabase.prototype, "$count");
  // A select copies the methods of QueryPromise, and a count does not extend it, so their methods are wrapped as well.
  for (const prototype of [QueryPromise.prototype, PgSelectBase.prototype, PgCountBuilder.prototype]) {
    wrap(
      prototype,
      "then",
      (method) =>
        function (...args) {
          const send = () => Reflect.apply(method, this, args);
          return written.has(this) ? own.run(true, send) : send();
        },
    );
  }
  // A waiting request receives its connection in the async context of the request that releases it, so its callback is
  // bound to its own context.
  wrap(
    pg.Pool.prototype,
    "connect",
    (method) =>
      function (...args) {
        return Reflect.apply(method, this, args.map(bound));
      },
  );
  wrap(
    pg.Pool.prototype,
    "query",
    (method) =>
      function (...args) {
        const send = () => Reflect.apply(method, this, args);
        return isWrittenByTest() ? own.run(true, send) : send();
      },
  );
}

const bound = (argument: unknown): unknown =>
  typeof argument === "function" ? AsyncResource.bind(argument as () => unknown) : argument;

function wrap(prototype: object, name: string, around: (method: Method) => Method): void {
  const methods = prototype as Record<string, Method>;
  const method = methods[name];
  if (!method) throw new Error(`There is no method ${name} to record.`);
  methods[name] = around(method);
}

const LIBRARIES = `${sep}node_modules${sep}`;

/** Whether the first stack frame in a file of this project is in test/. */
function isWrittenByTest(): boolean {
  const frames = new Error().stack?.split("\n").slice(1) ?? [];
  const writer = frames.find(
    (frame) => frame.includes(root) && !frame.includes(LIBRARIES) && !frame.includes(import.meta.path),
  );
  return writer?.includes(join(root, "test") + sep) ?? false;
}
