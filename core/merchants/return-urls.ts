// Where the payment page may send a payer back to: hosts that the merchant's account lists.
import type { Mode } from "../db/schema/gateway.ts";

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

const parse = (text: string): URL | undefined => (URL.canParse(text) ? new URL(text) : undefined);

/**
 * @param text such as `shop.example.com`, with a port if it is not https's own
 * @returns the host as a URL spells it; undefined if it is none
 */
export function parseReturnHost(text: string): string | undefined {
  const url = parse(`https://${text}`);
  if (!url || url.hostname.endsWith(".") || url.href !== `https://${url.host}/`) return undefined;
  return /[/\\?#@\s]/.test(text) ? undefined : url.host;
}

/**
 * Checks a URL that a payer is to be sent back to.
 * @param hosts the account's
 * @returns what is wrong with it; undefined if nothing is
 */
export function problemOfReturnUrl(
  text: string,
  { mode, hosts }: { mode: Mode; hosts: readonly string[] },
): string | undefined {
  const url = parse(text);
  // A URL parser drops spaces and line breaks, and reads a backslash as a slash.
  if (!url || /[\s\\]/.test(text)) return "expected an absolute URL";
  if (url.username || url.password) return "it must not contain a user name or password";
  const isLocal = mode === "test" && LOOPBACK.has(url.hostname);
  if (isLocal && (url.protocol === "http:" || url.protocol === "https:")) return undefined;
  if (url.protocol !== "https:") {
    return mode === "test" ? "expected an https URL, or http at localhost" : "expected an https URL";
  }
  return hosts.includes(url.host)
    ? undefined
    : `the account does not list its host ${url.host}: GET /v1/account shows those that it lists`;
}
