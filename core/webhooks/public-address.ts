// Restricts webhooks to addresses on the public internet.
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/**
 * The global unicast space of IPv6. It does not contain local, IPv4-mapped, IPv4-compatible or IPv4-translated
 * addresses.
 */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR("2000::/3");

/** Azure's platform services. The address is public but leads into Azure's own network. */
const AZURE_PLATFORM = "168.63.129.16";

/**
 * Names that resolve only in a private network (RFC 6761, 6762, 8375; ICANN on .internal), including the names of cloud
 * metadata services.
 */
const PRIVATE_NAME = /(^|\.)(localhost|local|internal|intranet|private|corp|home|lan|home\.arpa)$/;

/** Whether an IP address is publicly reachable without a tunnel or a translator. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0 || address.includes("%") || address === AZURE_PLATFORM) return false;
  const parsed = ipaddr.parse(address);
  if (parsed instanceof ipaddr.IPv6 && !parsed.match(GLOBAL_IPV6)) return false;
  return parsed.range() === "unicast";
}

/** Removes the brackets of an IPv6 address in a URL, and the trailing dot of a fully qualified name. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, "").replace(/\.+$/, "");

function problemOfHost(host: string): string | undefined {
  if (isIP(host) !== 0) return isPublicAddress(host) ? undefined : "its host is a private address";
  if (!host.includes(".") || PRIVATE_NAME.test(host)) return "its host is in a private network";
  return undefined;
}

/**
 * Checks a URL without resolving its host. The resolved addresses are checked when the URL is called.
 * @returns the problem with the URL; undefined if it is acceptable
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
  return allowPrivate ? undefined : problemOfHost(hostOf(url));
}
