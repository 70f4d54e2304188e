// Validates a request's Host. Bun builds the request's URL from it unchecked, and the router reads paths from that URL.
import { invalidRequest } from "#core/errors.ts";

/** Load balancers may probe these with HTTP/1.0, without a Host. */
const PROBES = new Set(["/health", "/ready", "/metrics"]);

/** @throws ServiceError 400 if there is none, more than one, or an invalid one */
export function requireHost({ headers, url }: Request): void {
  const host = headers.get("host");
  // Without a Host, or with one that is invalid in a URL, Bun's URL is only the path.
  if (host === null && PROBES.has(url)) return;
  // Several are joined by commas.
  if (host && !host.includes(",") && URL.canParse(url)) return;
  throw invalidRequest("The request must have one valid Host header.");
}
