// GET /dashboard/changes: streams the names of changed resources of the user's merchant to the dashboard.
import { forbidden, rateLimitExceeded, signInRequired } from "#core/errors.ts";
import type { Auth } from "../access/dashboard-sign-in.ts";
import type { Call } from "../http/request-context.ts";
import type { Services } from "../services.ts";
import { eventStreamResponse, type StreamClient } from "../streams/event-streams.ts";

/** Until then, the user may have closed one of their other pages. */
const RETRY_SECONDS = 60;

export async function streamChanges(
  { changes }: Services,
  { caller, request }: Call,
  auth: Auth,
  closeAfterIdle: StreamClient["closeAfterIdle"],
): Promise<Response> {
  if (!caller.isUser) {
    throw forbidden(
      "This stream is only available to the dashboard. With an API key, use webhooks or list the events.",
    );
  }
  const session = await auth.api.getSession({
    headers: request.headers,
    query: { disableRefresh: true },
  });
  // The session may have ended just after it authorized the request.
  if (!session) throw signInRequired("You are not signed in, or your session has expired. Sign in again.");
  const watcher = { merchantId: caller.merchantId, sessionId: session.session.id };
  const stream = changes.open(watcher, { owner: caller.keyId, closeAfterIdle });
  if (!stream)
    throw rateLimitExceeded("Too many dashboard pages are open. Close one of them.", RETRY_SECONDS);
  return eventStreamResponse(stream);
}
