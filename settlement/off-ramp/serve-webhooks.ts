// Receives webhooks from off-ramp providers over HTTP, on the settlement role's only public port and a single path.
import type { Server } from "bun";
import { Counter, type Registry } from "prom-client";
import type { Drain } from "#core/runtime/shutdown.ts";
import { WebhookRefused } from "./off-ramp.ts";
import { WEBHOOK_PATH, type WebhookReceiver } from "./receive-webhook.ts";

/** Events are a few kilobytes long. */
const MAX_BODY_BYTES = 262_144;

export type WebhookServerOptions = {
  host: string;
  port: number;
  /** The registry of `off_ramp_webhooks_total`. */
  metrics: Registry;
  drain: Drain;
  receive: WebhookReceiver;
  /** Called with every error thrown while a webhook is processed. */
  onProblem: (what: string, error: unknown) => void;
};

const json = (status: number, body: object) => Response.json(body, { status });

/** Starts the server. Replicas on one machine can share the port: any of them can receive a webhook. */
export function serveWebhooks({
  host,
  port,
  metrics,
  drain,
  receive,
  onProblem,
}: WebhookServerOptions): Server<undefined> {
  const answers = new Counter({
    name: "off_ramp_webhooks_total",
    help: "Off-ramp webhooks by response status. 400: the body was not received completely; 401: no valid signature.",
    labelNames: ["status"],
    registers: [metrics],
  });

  async function answer(request: Request): Promise<Response> {
    let body: Uint8Array;
    try {
      body = await request.bytes();
    } catch {
      // The sender has disconnected, or its body is too large.
      return json(400, { status: "unreadable" });
    }
    try {
      await receive(request.headers, body);
      return json(200, { status: "ok" });
    } catch (error) {
      onProblem("webhook", error);
      if (error instanceof WebhookRefused) return json(error.status, { status: error.message });
      return json(503, { status: "try again later" });
    }
  }

  /** During shutdown, closes the connection, so that the client opens its next one to another process. */
  const closeWhileDraining = (response: Response) => {
    if (drain.begun) response.headers.set("Connection", "close");
    return response;
  };

  return Bun.serve({
    hostname: host,
    port,
    reusePort: port !== 0,
    // A larger body is answered with 413, and a chunked one cannot be read.
    maxRequestBodySize: MAX_BODY_BYTES,
    // In development mode, error pages contain source code.
    development: false,
    routes: {
      async [WEBHOOK_PATH](request) {
        if (request.method !== "POST") return closeWhileDraining(json(405, { status: "method not allowed" }));
        const response = await answer(request);
        answers.inc({ status: response.status });
        return closeWhileDraining(response);
      },
    },
    fetch: () => closeWhileDraining(json(404, { status: "not found" })),
  });
}
