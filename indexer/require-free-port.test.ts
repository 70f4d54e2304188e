import { describe, it } from "bun:test";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect } from "chai";
import { requireFreePort } from "./require-free-port.ts";

describe("a port on which another program listens", () => {
  it("is an error, so that readiness and metrics are not served on an unexpected port", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    const error = await requireFreePort(port, "127.0.0.1").catch((reason: unknown) => reason);
    expect(error).to.have.property("code", "EADDRINUSE");
    other.close();
    await once(other, "close");
    await requireFreePort(port, "127.0.0.1");
  });
});
