// A request on its way through the router and an operation.
import type { Server } from "bun";
import type { Caller } from "#core/api-keys.ts";

/** What the router gives to a handler. */
export type Matched = {
  request: Request;
  params: Record<string, string | null>;
  set: { headers: Record<string, unknown> };
  server: Server<unknown> | null;
  /** The pattern, such as `/v1/payment-intents/:intentId`. */
  route: string;
};

export type Visit = Matched & { startedAt: number; caller?: Caller };
