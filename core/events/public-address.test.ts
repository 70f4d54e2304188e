import { describe, it } from "bun:test";
import { expect } from "chai";
import { isPublicAddress, problemOfUrl } from "./public-address.ts";

const STRICT = { allowPrivate: false, httpsOnly: true };

describe("a public address", () => {
  it("is one of the internet's", () => {
    for (const address of ["1.1.1.1", "93.184.216.34", "2606:4700:4700::1111"]) {
      expect(isPublicAddress(address), address).to.equal(true);
    }
  });

  it("is none that leads into somebody's network, in whatever form", () => {
    const others = [
      ...["127.0.0.1", "127.1.2.3", "0.0.0.0", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254"],
      ...["100.64.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "192.0.2.1", "198.18.0.1"],
      ...["::", "::1", "fe80::1", "fc00::1", "fd12::1", "ff02::1", "2001:db8::1"],
      ...["::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:7f00:1", "64:ff9b::7f00:1", "2002:7f00:1::"],
      ...["2001::1", "fec0::1", "not an address", ""],
    ];
    for (const address of others) expect(isPublicAddress(address), address).to.equal(false);
  });
});

describe("a URL for webhooks", () => {
  it("is https to a public host", () => {
    expect(problemOfUrl("https://example.com/hook?a=1", STRICT)).to.equal(undefined);
    expect(problemOfUrl("https://1.1.1.1:8443/hook", STRICT)).to.equal(undefined);
  });

  it("is nothing else", () => {
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
    ];
    for (const url of others) expect(problemOfUrl(url, STRICT), url).to.be.a("string");
  });

  it("may be on this machine where the configuration says so", () => {
    const local = { allowPrivate: true, httpsOnly: false };
    expect(problemOfUrl("http://localhost:3000/hook", local)).to.equal(undefined);
    expect(problemOfUrl("http://127.0.0.1:3000/hook", local)).to.equal(undefined);
  });
});
