// URLs to which the payment page may send a payer back. The merchant's account lists the allowed hosts.
import type { Mode } from "../model/mode.ts";

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

const parse = (text: string): URL | undefined => (URL.canParse(text) ? new URL(text) : undefined);

/**
 * @param text such as `shop.example.com`, with a port unless it is the https default
 * @returns the host as written in URLs; undefined if the text is not a host
 */
export function parseReturnHost(text: string): string | undefined {
  const url = parse(`https://${text}`);
  if (!url || url.hostname.endsWith(".") || url.href !== `https://${url.host}/`) return undefined;
  return /[/\\?#@\s]/.test(text) ? undefined : url.host;
}

/**
 * Checks a return URL.
 * @param hosts the account's hosts
 * @returns the problem with the URL; undefined if it is acceptable
 */
export function problemOfReturnUrl(
  text: string,
  { mode, hosts }: { mode: Mode; hosts: readonly string[] },
): string | undefined {
  const url = parse(text);
  // A URL parser removes spaces and line breaks, and treats a backslash as a slash.
  if (!url || /[\s\\]/.test(text)) return "expected an absolute URL";
  if (url.username || url.password) return "it must not contain a user name or password";
  const isLocal = mode === "test" && LOOPBACK.has(url.hostname);
  if (isLocal && (url.protocol === "http:" || url.protocol === "https:")) return undefined;
  if (url.protocol !== "https:") {
    return mode === "test" ? "expected an https URL, or an http URL on localhost" : "expected an https URL";
  }
  return hosts.includes(url.host)
    ? undefined
    : `its host ${url.host} is not allowed: GET /v1/account returns the allowed hosts`;
}
