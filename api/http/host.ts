// Validates a request's Host header. Bun builds the request's URL from it without validation, and the router
// reads paths from that URL.
import { invalidRequest } from "#core/errors.ts";

/** Load balancers may probe these paths with HTTP/1.0, without a Host header. */
const PROBES = new Set(["/health", "/ready", "/metrics"]);

/** @throws ServiceError 400 if the Host header is missing, repeated or invalid */
export function requireHost({ headers, url }: Request): void {
  const host = headers.get("host");
  // If the Host is missing or invalid in a URL, Bun's URL contains only the path.
  if (host === null && PROBES.has(url)) return;
  // Several Host headers are joined by commas.
  if (host && !host.includes(",") && URL.canParse(url)) return;
  throw invalidRequest("The request must have one valid Host header.");
}
