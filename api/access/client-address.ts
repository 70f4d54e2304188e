// Determines the client address of a request. Only configured proxies are trusted to report another one.
import type { Server } from "bun";
import { liesIn, type Network, parseAddress } from "#core/config/ip-ranges.ts";

export type ClientAddress = (request: Request, server: Server<unknown> | null) => string;

/** A proxy may include the port: `192.0.2.7:4711`, `[2001:db8::7]:4711`. */
const withoutPort = (text: string): string =>
  /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;

/**
 * Reads the header from right to left, because each proxy appends the address of its caller.
 * @returns the first untrusted address, or the last one read if there is none or an entry is malformed
 */
function forwarded(peer: string, header: string, trusted: readonly Network[]): string {
  let known = peer;
  for (let end = header.length; end >= 0; ) {
    const comma = header.lastIndexOf(",", end - 1);
    const address = parseAddress(withoutPort(header.slice(comma + 1, end).trim()));
    if (!address) return known;
    known = address.toString();
    if (comma < 0 || !liesIn(address, trusted)) return known;
    end = comma;
  }
  return known;
}

/** Identifies an IPv6 address by its /64 network, because a single host can use all 2^64 addresses of that network. */
function counted(text: string): string {
  const address = parseAddress(text);
  if (address?.kind() !== "ipv6") return address?.toString() ?? text;
  return `${address.toByteArray().slice(0, 8).join(".")}/64`;
}

/** @returns a function that identifies a request's client by its IPv4 address or /64 network; `unknown` without a peer */
export function createClientAddressReader(trusted: readonly Network[]): ClientAddress {
  return (request, server) => {
    const peer = server?.requestIP(request)?.address;
    if (peer === undefined) return "unknown";
    const header = trusted.length === 0 ? null : request.headers.get("x-forwarded-for");
    const address = parseAddress(peer);
    if (header === null || !address || !liesIn(address, trusted)) return counted(peer);
    return counted(forwarded(peer, header, trusted));
  };
}
