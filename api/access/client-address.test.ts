import { describe, it } from "bun:test";
import { expect } from "chai";
import { parseNetworks } from "#core/config/ip-ranges.ts";
import { createClientAddressReader } from "./client-address.ts";

const addressOf = (trusted: string, peer: string, forwarded?: string): string => {
  const networks = parseNetworks(trusted);
  if (!networks) throw new Error(`${trusted} is no list of networks.`);
  const request = new Request("http://localhost", {
    headers: forwarded === undefined ? {} : { "X-Forwarded-For": forwarded },
  });
  const server = { requestIP: () => ({ address: peer, port: 1, family: "IPv4" }) };
  return createClientAddressReader(networks)(request, server as never);
};

describe("the client's address", () => {
  it.each([
    ["", "198.51.100.1", undefined, "198.51.100.1"],
    ["", "198.51.100.1", "203.0.113.9", "198.51.100.1"],
    ["10.0.0.0/8", "198.51.100.1", "203.0.113.9", "198.51.100.1"],
    ["10.0.0.0/8", "10.1.2.3", "203.0.113.9", "203.0.113.9"],
    ["10.0.0.0/8", "::ffff:10.1.2.3", "203.0.113.9", "203.0.113.9"],
    ["10.0.0.0/8", "10.1.2.3", undefined, "10.1.2.3"],
    // Entries that the client sets itself are to the left of the entries of the proxies.
    ["10.0.0.0/8", "10.1.2.3", "1.1.1.1, 203.0.113.9, 10.9.9.9", "203.0.113.9"],
    ["10.0.0.0/8, 192.0.2.7", "192.0.2.7", "1.1.1.1, 203.0.113.9,10.9.9.9", "203.0.113.9"],
    ["10.0.0.0/8", "10.1.2.3", "203.0.113.9:4711", "203.0.113.9"],
    ["10.0.0.0/8", "10.1.2.3", "unknown", "10.1.2.3"],
    ["10.0.0.0/8", "10.1.2.3", "203.0.113.9, <script>", "10.1.2.3"],
    ["10.0.0.0/8", "10.1.2.3", "10.4.4.4", "10.4.4.4"],
    ["10.0.0.0/8", "10.1.2.3", ",,,", "10.1.2.3"],
    ["fd00::/8", "fd00::1", "[2001:db8:1:2:3::4]:80", "32.1.13.184.0.1.0.2/64"],
    ["", "2001:db8:1:2:ffff::1", undefined, "32.1.13.184.0.1.0.2/64"],
    ["", "2001:db8:1:3:ffff::1", undefined, "32.1.13.184.0.1.0.3/64"],
  ])("with proxies %p, peer %p and header %p is %p", (trusted, peer, forwarded, expected) => {
    expect(addressOf(trusted, peer, forwarded)).to.equal(expected);
  });

  it("is found quickly in a header of any length", () => {
    const header = Array.from({ length: 2_000 }, () => "10.1.1.1").join(",");
    const start = performance.now();
    expect(addressOf("10.0.0.0/8", "10.1.2.3", header)).to.equal("10.1.1.1");
    expect(performance.now() - start).to.be.below(200);
  });

  it("is not read from a malformed header", () => {
    for (const text of ["10.0.0.0/33", "localhost", "10.0.0", "*"])
      expect(parseNetworks(text)).to.equal(undefined);
  });
});
