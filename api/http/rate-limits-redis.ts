// Bun's own Redis client in the shape that rate-limiter-flexible asks (that of the package `redis`).
import { RedisClient } from "bun";

type Script = { keys: string[]; arguments: string[] };

/** @param url `redis://…`, `rediss://…` or `unix://…` */
export function redisStore(url: string, timeoutMs: number) {
  // A request must not wait until a dead store is back.
  const redis = new RedisClient(url, { connectionTimeout: timeoutMs, enableOfflineQueue: true });
  const client = {
    eval: (script: string, { keys, arguments: values }: Script): Promise<unknown> =>
      redis.send("EVAL", [script, String(keys.length), ...keys, ...values]),
    /** `get` and `pTTL` of one key, the only two that are read together; the counter's own script is atomic. */
    multi() {
      const commands: Promise<unknown>[] = [];
      const chain = {
        get: (key: string) => {
          commands.push(redis.send("GET", [key]));
          return chain;
        },
        pTTL: (key: string) => {
          commands.push(redis.send("PTTL", [key]));
          return chain;
        },
        exec: () => Promise.all(commands),
      };
      return chain;
    },
  };
  return { client, close: () => redis.close() };
}
