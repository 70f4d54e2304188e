// Tests which resources pages may load, and to which hosts they may connect.
import { expect, test } from "bun:test";
import { contentPolicy } from "./policy.ts";

const directive = (policy: string, name: string) =>
  policy.split("; ").find((one) => one.startsWith(`${name} `));

test("a page connects only to its own origin", () => {
  const policy = contentPolicy();
  expect(directive(policy, "connect-src")).toBe("connect-src 'self'");
  expect(directive(policy, "img-src")).toBe("img-src 'self' data:");
});

test("a merchant's image adds its origin only to the image sources", () => {
  const policy = contentPolicy({ imageUrl: "https://shop.example/a/logo.svg?x=1" });
  expect(directive(policy, "img-src")).toBe("img-src 'self' data: https://shop.example");
  expect(policy.match(/shop/g)).toHaveLength(1);
});

test("a value that is not a web URL adds nothing", () => {
  for (const imageUrl of ["", "javascript:alert(1)", "data:image/svg+xml,x", "https://a; script-src *"]) {
    expect(contentPolicy({ imageUrl })).toBe(contentPolicy());
  }
});

test("WalletConnect adds its relay and the network's public node", () => {
  const policy = contentPolicy({ walletConnect: { rpcUrl: "https://node.example/key" } });
  expect(directive(policy, "connect-src")).toBe(
    "connect-src 'self' wss://relay.walletconnect.org https://verify.walletconnect.org https://rpc.walletconnect.org https://node.example",
  );
});
