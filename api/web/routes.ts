// Serves the payment page at the path of PAYMENT_PAGE_URL, the dashboard at /dashboard (and a redirect from /), and
// their assets.
import { brotliCompressSync, constants } from "node:zlib";
import { Elysia } from "elysia";
import { unknownRoute } from "#core/errors.ts";
import { recordRequest } from "../http/answer.ts";
import { codingFor } from "../http/compression.ts";
import type { Services } from "../services.ts";
import { loadPages, type PageFile, type PageFiles } from "./pages.ts";
import { createPaymentDocument, type Visitor } from "./payment-document.ts";
import { contentPolicy } from "./policy.ts";

const ALWAYS = {
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin-allow-popups",
  "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=()",
  Vary: "Accept-Encoding",
};

/**
 * The names of assets change with their content, so assets can be cached forever. The documents that refer to
 * them cannot.
 */
const FOR_EVER = "public, max-age=31536000, immutable";
const NEVER = "no-store";

type Visited = Visitor & { path: string; route: string };

const OWN_ORIGIN = contentPolicy();

function show(file: PageFile, request: Request, caching: string, policy = OWN_ORIGIN): Response {
  const wanted = codingFor(request.headers.get("accept-encoding"));
  const coding = wanted === "br" && file.br === null ? "gzip" : wanted;
  const packed = coding === undefined ? null : file[coding];
  return new Response(packed ?? file.plain, {
    headers: {
      ...ALWAYS,
      "Content-Security-Policy": policy,
      "Content-Type": file.type,
      "Cache-Control": caching,
      ...(packed && coding ? { "Content-Encoding": coding } : {}),
    },
  });
}

/** Fast, and sufficient for a document that is generated for a single request. */
const QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

/** Serves a document that was generated for this request. */
function showText(text: string, type: string, request: Request, policy: string): Response {
  const plain = new TextEncoder().encode(text);
  const brotli = codingFor(request.headers.get("accept-encoding")) === "br";
  const br = brotli ? new Uint8Array(brotliCompressSync(plain, QUALITY)) : null;
  return show({ type, plain, gzip: null, br }, request, NEVER, policy);
}

/** @param files the built pages; tests pass their own */
export function webRoutes(services: Services, files: PageFiles = loadPages()) {
  if (files.size === 0) services.log.warn("the pages are not built: run npm run build");
  const answer = (find: (path: string) => PageFile | undefined, caching: string) => {
    return ({ request, path, route }: Visited): Response => {
      const startedAt = performance.now();
      const file = find(path);
      if (!file) throw unknownRoute(request.method, path);
      const response = show(file, request, caching);
      recordRequest(services, { request, route, startedAt }, response.status);
      return response;
    };
  };
  const document = (page: string) => answer(() => files.get(`${page}/index.html`), NEVER);

  const payDocument = files.get("pay/index.html");
  const fillDocument =
    payDocument && createPaymentDocument(services, new TextDecoder().decode(payDocument.plain));
  const payment = async (visited: Visited): Promise<Response> => {
    const { request, path, route } = visited;
    const startedAt = performance.now();
    if (!payDocument || !fillDocument) throw unknownRoute(request.method, path);
    const { text, policy } = await fillDocument(visited);
    const response = showText(text, payDocument.type, request, policy);
    recordRequest(services, { request, route, startedAt }, response.status);
    return response;
  };

  // Elysia does not distinguish between a path with and without a trailing slash.
  const pay = new URL(services.config.paymentPageUrl).pathname.replace(/\/+$/, "");
  const hidden = { detail: { hide: true } };
  const home = new Elysia();
  // If the payment page has its own host, it is served at /.
  if (pay !== "") home.get("/", ({ redirect }) => redirect("/dashboard"), hidden);
  return (
    home
      .get(
        "/assets/*",
        answer((path) => files.get(path.slice(1)), FOR_EVER),
        hidden,
      )
      .get(`${pay}/`, payment, hidden)
      .get("/dashboard", document("dashboard"), hidden)
      // All dashboard URLs serve the same document.
      .get("/dashboard/*", document("dashboard"), hidden)
  );
}
