// GET /dashboard/changes: streams to the dashboard the names of what changes for the user's merchant.
import { forbidden, rateLimitExceeded, signInRequired } from "#core/errors.ts";
import type { Auth } from "../access/dashboard-sign-in.ts";
import type { Call } from "../http/request-context.ts";
import type { Services } from "../services.ts";
import { eventStreamResponse, type StreamClient } from "../streams/event-streams.ts";

/** By then one of the user's other pages may have been closed. */
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
  // The session ended just after it authorized the request.
  if (!session) throw signInRequired("You are not signed in, or your session has expired. Sign in again.");
  const watcher = { merchantId: caller.merchantId, sessionId: session.session.id };
  const stream = changes.open(watcher, { owner: caller.keyId, closeAfterIdle });
  if (!stream)
    throw rateLimitExceeded("Too many dashboard pages are open. Close one of them.", RETRY_SECONDS);
  return eventStreamResponse(stream);
}
