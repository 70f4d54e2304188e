// Parses IP ranges in CIDR notation, and checks whether an address is in one of them.
import ipaddr from "ipaddr.js";

type IpAddress = ipaddr.IPv4 | ipaddr.IPv6;
export type Network = readonly [IpAddress, number];

/** Rejects legacy notations such as `10.1` and `0x7f000001`, because in a configuration they are certainly mistakes. */
const isPlain = (text: string): boolean =>
  text.includes(":") || ipaddr.IPv4.isValidFourPartDecimal(text.split("/", 1)[0] ?? "");

/** Parses an address, and converts an IPv4-mapped IPv6 address to the IPv4 address. */
export function parseAddress(text: string): IpAddress | undefined {
  return isPlain(text) && ipaddr.isValid(text) ? ipaddr.process(text) : undefined;
}

/**
 * @param text such as `10.0.0.0/8, fd00::/8, 192.0.2.7`; empty for none
 * @returns undefined if any part is not an address or a range
 */
export function parseNetworks(text: string): Network[] | undefined {
  const networks: Network[] = [];
  for (const part of text.split(",").map((one) => one.trim())) {
    if (part === "") continue;
    const address = parseAddress(part);
    if (address) networks.push([address, address.kind() === "ipv4" ? 32 : 128]);
    else if (isPlain(part) && ipaddr.isValidCIDR(part)) networks.push(ipaddr.parseCIDR(part));
    else return undefined;
  }
  return networks;
}

export const liesIn = (address: IpAddress, networks: readonly Network[]): boolean =>
  networks.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
