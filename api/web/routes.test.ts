// Tests which page the root path of a host serves.
import { expect, test } from "bun:test";
import type { Services } from "../services.ts";
import { webRoutes } from "./routes.ts";

const FILE = { type: "text/html", plain: new Uint8Array(), gzip: null, br: null };

test.each([
  ["https://example.com/pay", "/dashboard"],
  // The payment page's host only serves the payment page.
  ["https://pay.example.com", null],
])("/ leads to the dashboard, unless / is the payment page: %s", async (paymentPageUrl, location) => {
  const services = { config: { paymentPageUrl } } as unknown as Services;
  const answer = await webRoutes(services, new Map([["dashboard/index.html", FILE]])).handle(
    new Request("http://localhost/"),
  );
  expect(answer.headers.get("location")).toBe(location);
});
