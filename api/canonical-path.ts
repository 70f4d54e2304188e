// The canonical path of an operation, because `/v1` and `/api/v1` serve the same operations.

/** @param route the pattern, such as `/v1/payment-intents/:intentId` */
export const canonicalPath = (route: string, params: Record<string, string | null>): string =>
  route
    .replace(/^\/api(?=\/v1\/)/, "")
    .replace(/\/$/, "")
    .replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
