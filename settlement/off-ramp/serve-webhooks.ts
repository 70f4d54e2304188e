// Serves the webhooks of off-ramp providers over HTTP, on the settlement role's only public port and a single path.
import type { Server } from "bun";
import { Counter, type Registry } from "prom-client";
import type { Drain } from "#core/runtime/shutdown.ts";
import { WebhookRefused } from "./off-ramp.ts";
import { WEBHOOK_PATH, type WebhookReceiver } from "./receive-webhook.ts";

/** An event is only a few thousand bytes long. */
const LARGEST_BODY = 262_144;

export type WebhookHttp = {
  host: string;
  port: number;
  /** The registry in which responses are counted. */
  metrics: Registry;
  drain: Drain;
  receive: WebhookReceiver;
  /** Called with the reason for each rejection. */
  onProblem: (what: string, error: unknown) => void;
};

const json = (status: number, body: object) => Response.json(body, { status });

/** Reads the body; returns undefined as soon as it is larger than any event, even if its headers claim less. */
async function read({ body, headers }: Request): Promise<Uint8Array | undefined> {
  if (Number(headers.get("Content-Length") ?? 0) > LARGEST_BODY) return undefined;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    // Leaving the loop cancels the rest of the stream.
    if (size > LARGEST_BODY) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Starts the server. Replicas on one machine can share the port: any of them can receive a webhook. */
export function serveWebhooks({
  host,
  port,
  metrics,
  drain,
  receive,
  onProblem,
}: WebhookHttp): Server<undefined> {
  const answers = new Counter({
    name: "off_ramp_webhooks_total",
    help: "Webhooks from the off-ramp provider, by response status: 401 means not signed by the provider.",
    labelNames: ["status"],
    registers: [metrics],
  });

  async function answer(request: Request): Promise<Response> {
    try {
      const body = await read(request);
      if (!body) {
        const headers = { Connection: "close" };
        return Response.json({ status: "too large" }, { status: 413, headers });
      }
      await receive(request.headers, body);
      return json(200, { status: "ok" });
    } catch (error) {
      onProblem("webhook", error);
      if (error instanceof WebhookRefused) return json(error.status, { status: error.message });
      return json(503, { status: "try again later" });
    }
  }

  /** During shutdown, the next request on a connection goes to another process. */
  const closeWhileDraining = (response: Response) => {
    if (drain.begun) response.headers.set("Connection", "close");
    return response;
  };

  return Bun.serve({
    hostname: host,
    port,
    reusePort: port !== 0,
    // Rejects a request by its Content-Length; `read` limits a body without one.
    maxRequestBodySize: LARGEST_BODY,
    // Error pages must not contain a source excerpt.
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
