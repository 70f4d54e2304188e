// Tests which URLs a payer may be sent back to, and how the hosts of an account are parsed.
import { describe, it } from "bun:test";
import { expect } from "chai";
import { parseReturnHost, problemOfReturnUrl } from "./return-urls.ts";

const hosts = ["shop.example.com", "shop.example.com:8443", "xn--bcher-kva.example"];
const problem = (url: string, mode: "test" | "live" = "live") => problemOfReturnUrl(url, { mode, hosts });

describe("a return URL", () => {
  it.each([
    "https://shop.example.com",
    "https://shop.example.com/orders/1?paid=yes#top",
    "https://SHOP.example.com:443/",
    "https://shop.example.com:8443/",
    "https://bücher.example/",
  ])("is accepted on a listed host, in both modes: %s", (url) => {
    expect(problem(url)).to.equal(undefined);
    expect(problem(url, "test")).to.equal(undefined);
  });

  it.each([
    "http://shop.example.com/",
    "https://example.com/",
    "https://evil.example/?shop.example.com",
    "https://shop.example.com.evil.example/",
    "https://sub.shop.example.com/",
    "https://shop.example.com:444/",
    "https://shop.example.com@evil.example/",
    "https://shop.example.com:x@shop.example.com/",
    "https://shop.example.com./",
    "https:\\\\shop.example.com",
    "https://shop.example.com/\n",
    "javascript:alert(1)//https://shop.example.com",
    "data:text/html,x",
    "//shop.example.com/",
    "/orders",
    "",
  ])("is rejected otherwise: %j", (url) => {
    expect(problem(url)).to.be.a("string");
    expect(problem(url, "test")).to.be.a("string");
  });

  it.each([
    "http://localhost:3000/done",
    "https://localhost/",
    "http://127.0.0.1:8080",
    "http://[::1]:3000/",
  ])("is accepted on the developer's own machine only in test mode: %s", (url) => {
    expect(problem(url, "test")).to.equal(undefined);
    expect(problem(url)).to.be.a("string");
  });
});

describe("an account's host", () => {
  it.each([
    ["shop.example.com", "shop.example.com"],
    ["SHOP.example.com:443", "shop.example.com"],
    ["shop.example.com:8443", "shop.example.com:8443"],
    ["bücher.example", "xn--bcher-kva.example"],
  ])("%s is %s", (text, host) => {
    expect(parseReturnHost(text)).to.equal(host);
  });

  it.each([
    "",
    "https://shop.example.com",
    "shop.example.com/",
    "a b",
    "a@b",
    "*.example.com?",
    "a.",
    "a\\b",
  ])("is not %j", (text) => {
    expect(parseReturnHost(text)).to.equal(undefined);
  });
});
