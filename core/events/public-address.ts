// Which addresses a webhook may go to: those of the public internet.
import ipaddr from "ipaddr.js";

/** Whether an IP address is one that anybody on the internet could reach; mapped and tunnelled forms are not. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  // An IPv4 address in IPv6's clothes is what it is.
  return ipaddr.process(address).range() === "unicast";
}

/** Without the brackets of an IPv6 address in a URL, and without the dot of a fully qualified name. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");

/**
 * What is wrong with a URL by itself; where its name leads is found out when it is called.
 * @returns undefined for one that may be called
 */
export function problemOfUrl(
  text: string,
  { allowPrivate, httpsOnly }: { allowPrivate: boolean; httpsOnly: boolean },
): string | undefined {
  if (!URL.canParse(text)) return "expected an absolute URL";
  const url = new URL(text);
  if (httpsOnly && url.protocol !== "https:") return "expected an https URL";
  if (url.protocol !== "https:" && url.protocol !== "http:") return "expected an http or https URL";
  if (url.username || url.password) return "it must not contain a user name or password";
  if (url.hash) return "it must not contain a fragment";
  const host = hostOf(url);
  if (!allowPrivate && (host === "localhost" || host.endsWith(".localhost")))
    return "it leads to this machine";
  if (!allowPrivate && ipaddr.isValid(host) && !isPublicAddress(host)) return "it is a private address";
  return undefined;
}
