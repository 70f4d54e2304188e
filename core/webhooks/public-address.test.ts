import { describe, it } from "bun:test";
import { expect } from "chai";
import { isPublicAddress, problemOfUrl } from "./public-address.ts";

const STRICT = { allowPrivate: false, httpsOnly: true };

describe("a public address", () => {
  it("is on the public internet", () => {
    for (const address of ["1.1.1.1", "93.184.216.34", "2606:4700:4700::1111"]) {
      expect(isPublicAddress(address), address).to.equal(true);
    }
  });

  it("never leads into a private network, in any form", () => {
    const others = [
      ...["127.0.0.1", "127.1.2.3", "0.0.0.0", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254"],
      ...["100.64.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "192.0.2.1", "198.18.0.1"],
      ...["::", "::1", "fe80::1", "fc00::1", "fd12::1", "ff02::1", "2001:db8::1"],
      ...["::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:7f00:1", "64:ff9b::7f00:1", "2002:7f00:1::"],
      ...["2001::1", "fec0::1", "not an address", ""],
      // IPv4 inside IPv6: compatible, mapped, translated (NAT64), 6to4, Teredo, and the link-local form of ISATAP.
      ...["::127.0.0.1", "::7f00:1", "::a9fe:a9fe", "::8.8.8.8", "::ffff:8.8.8.8", "::ffff:0:127.0.0.1"],
      ...[
        "64:ff9b::a9fe:a9fe",
        "64:ff9b::808:808",
        "64:ff9b:1::a9fe:a9fe",
        "2002:a9fe:a9fe::1",
        "2002:808:808::1",
      ],
      ...["2001:0:4136:e378:8000:63bf:3fff:fdd2", "fe80::5efe:7f00:1"],
      // Metadata and platform services of cloud providers.
      ...[
        "169.254.170.2",
        "fd00:ec2::254",
        "fd20:ce::254",
        "100.100.100.200",
        "192.0.0.192",
        "168.63.129.16",
      ],
      // Documentation, benchmarks, multicast, discard, segment routing and unassigned space.
      ...["198.51.100.1", "203.0.113.1", "198.19.255.255", "0.1.2.3", "239.255.255.255", "192.88.99.1"],
      ...["2001:db8::1", "3fff::1", "2001:2::1", "2001:10::1", "2001:20::1", "ff0e::1", "100::1", "5f00::1"],
      ...["4000::1", "8000::1", "e000::1", "1::1", "fe80::1%eth0", "2606:4700:4700::1111%eth0"],
    ];
    for (const address of others) expect(isPublicAddress(address), address).to.equal(false);
  });
});

describe("a URL for webhooks", () => {
  it("is https to a public host", () => {
    expect(problemOfUrl("https://example.com/hook?a=1", STRICT)).to.equal(undefined);
    expect(problemOfUrl("https://1.1.1.1:8443/hook", STRICT)).to.equal(undefined);
  });

  it("is never anything else", () => {
    const others = [
      ...["http://example.com", "ftp://example.com", "javascript:alert(1)", "/hook", ""],
      ...[
        "https://user:pass@example.com",
        "https://example.com/#x",
        "https://localhost",
        "https://a.localhost",
      ],
      ...[
        "https://127.0.0.1",
        "https://[::1]/",
        "https://2130706433/",
        "https://0x7f.1/",
        "https://localhost.",
      ],
      ...["https://[::ffff:127.0.0.1]/", "https://169.254.169.254/latest/meta-data"],
      ...["https://[::127.0.0.1]/", "https://[::a9fe:a9fe]/", "https://[64:ff9b::a9fe:a9fe]/"],
      ...[
        "https://0177.0.0.1/",
        "https://017700000001/",
        "https://127.1/",
        "https://0xa9fea9fe/",
        "https://0/",
      ],
      ...["https://①②⑦.0.0.1/", "https://127.0.0.1./", "https://168.63.129.16/", "https://[fd00:ec2::254]/"],
      ...["https://metadata.google.internal/computeMetadata/v1/", "https://METADATA.google.internal./"],
      ...["https://metadata/", "https://printer.local/", "https://router.home.arpa/", "https://localhost../"],
    ];
    for (const url of others) expect(problemOfUrl(url, STRICT), url).to.be.a("string");
  });

  it("may be local if the configuration allows it", () => {
    const local = { allowPrivate: true, httpsOnly: false };
    expect(problemOfUrl("http://localhost:3000/hook", local)).to.equal(undefined);
    expect(problemOfUrl("http://127.0.0.1:3000/hook", local)).to.equal(undefined);
  });
});
