// The role's own HTTP: whether it lives, whether it can work and if not what is missing, its metrics, and the off-ramp
// provider's webhooks, the one path that is for the world.
import type { Server } from "bun";
import { Counter, type Registry } from "prom-client";
import { type Parts, readiness } from "#core/readiness.ts";
import { WebhookRefused } from "./offramp/off-ramp.ts";
import { WEBHOOK_PATH, type WebhookReceiver } from "./offramp/receive-webhook.ts";

const json = (status: number, body: object) => Response.json(body, { status });

/** An event has a few thousand bytes. */
const LARGEST_BODY = 262_144;

export type RoleHttp = {
  host: string;
  port: number;
  /** What the role stands on. */
  parts: Parts;
  metrics: Registry;
  receiveWebhook: WebhookReceiver;
  /** Told why something did not work: an address of ours is nobody else's business. */
  onProblem: (what: string, error: unknown) => void;
};

export function serveRole(role: RoleHttp): Server<undefined> {
  const answers = new Counter({
    name: "offramp_webhooks_total",
    help: "Webhooks of the off-ramp's provider by our answer: 401 was not signed by it.",
    labelNames: ["status"],
    registers: [role.metrics],
  });

  async function receive(request: Request): Promise<Response> {
    try {
      await role.receiveWebhook(request.headers, new Uint8Array(await request.arrayBuffer()));
      return json(200, { status: "ok" });
    } catch (error) {
      role.onProblem("webhook", error);
      if (error instanceof WebhookRefused) return json(error.status, { status: error.message });
      return json(503, { status: "try again later" });
    }
  }

  async function receiveAndCount(request: Request): Promise<Response> {
    const response = await receive(request);
    answers.inc({ status: response.status });
    return response;
  }

  return Bun.serve({
    hostname: role.host,
    port: role.port,
    maxRequestBodySize: LARGEST_BODY,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname === WEBHOOK_PATH && request.method === "POST") return receiveAndCount(request);
      if (request.method !== "GET") return json(405, { status: "method not allowed" });
      if (pathname === "/health") return json(200, { status: "ok" });
      if (pathname === "/metrics") {
        const { metrics } = role;
        return new Response(await metrics.metrics(), { headers: { "Content-Type": metrics.contentType } });
      }
      if (pathname !== "/ready") return json(404, { status: "not found" });
      const { ready, body } = await readiness(role.parts, role.onProblem);
      return json(ready ? 200 : 503, body);
    },
  });
}
