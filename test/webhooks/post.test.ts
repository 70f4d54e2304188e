// The destinations that a webhook may have, over real HTTP and TLS.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { hostname } from "node:os";
import { expect } from "chai";
import { type Outgoing, post } from "#settlement/webhooks/post.ts";
import { CERTIFICATE, KEY } from "./support/certificate.ts";
import { Receiver } from "./support/receiver.ts";

let receiver: Receiver;

beforeAll(() => {
  receiver = new Receiver(false);
});
afterAll(() => receiver.stop());

const send = (url: string, more: Partial<Outgoing> = {}) =>
  post({ url, headers: {}, body: "{}", timeoutMs: 1_000, allowPrivate: false, httpsOnly: false, ...more });

const loopback = async () => [{ address: "127.0.0.1", family: 4 }];

describe("a webhook to a private address", () => {
  it("is rejected as an address", async () => {
    const { statusCode, error } = await send(receiver.url);
    expect(statusCode).to.equal(null);
    expect(error).to.contain("private address");
  });

  it("is rejected as a name that resolves to one, even by the system's resolver", async () => {
    const named = `http://internal.example:${receiver.port}/hook`;
    expect((await send(named, { resolve: loopback })).error).to.contain("private address");
    const own = await send(`http://${hostname()}:${receiver.port}/hook`);
    expect(own.statusCode).to.equal(null);
  });

  it("is rejected if any of the name's addresses is private", async () => {
    const mixed = async () => [{ address: "1.1.1.1", family: 4 }, ...(await loopback())];
    const outcome = await send(`http://mixed.example:${receiver.port}/hook`, { resolve: mixed });
    expect(outcome.error).to.contain("private address");
  });

  it.each([
    "::7f00:1",
    "::ffff:127.0.0.1",
    "64:ff9b::7f00:1",
    "2002:7f00:1::1",
    "fd00:ec2::254",
    "100.100.100.200",
  ])("is rejected as a name that resolves to %s", async (address) => {
    const resolve = async () => [{ address, family: address.includes(":") ? 6 : 4 }];
    const outcome = await send(`http://hook.example:${receiver.port}/hook`, { resolve });
    expect(outcome.error).to.contain("private address");
  });

  it("never receives a connection", () => {
    expect(receiver.received).to.deep.equal([]);
  });
});

describe("a webhook to a name", () => {
  it("resolves the name once, and connects to the address that was checked", async () => {
    let asked = 0;
    const resolve = async () => {
      asked++;
      return loopback();
    };
    const url = `http://hook.example:${receiver.port}/path?query=1`;
    const { statusCode } = await send(url, { resolve, allowPrivate: true });
    expect(statusCode).to.equal(200);
    expect(asked).to.equal(1);
    expect(receiver.received.at(-1)?.headers.host).to.equal(`hook.example:${receiver.port}`);
  });

  it("reports that a name does not resolve", async () => {
    const resolve = () => Promise.reject(new Error("ENOTFOUND"));
    expect((await send("http://nowhere.example/", { resolve })).error).to.contain("could not be resolved");
  });
});

describe("a webhook over TLS", () => {
  let server: ReturnType<typeof Bun.serve>;

  beforeAll(() => {
    const tls = { key: KEY, cert: CERTIFICATE };
    server = Bun.serve({ port: 0, hostname: "127.0.0.1", tls, fetch: () => new Response("ok") });
  });
  afterAll(() => server.stop(true));

  const over = (name: string, more: Partial<Outgoing> = {}) =>
    send(`https://${name}:${server.port}/`, {
      resolve: loopback,
      allowPrivate: true,
      httpsOnly: true,
      ...more,
    });

  it("is sent if the certificate matches the name", async () => {
    expect(await over("hook.example", { ca: CERTIFICATE })).to.deep.include({
      statusCode: 200,
      response: "ok",
    });
  });

  it("is not sent if the certificate is for another name or untrusted", async () => {
    expect((await over("other.example", { ca: CERTIFICATE })).error).to.contain("connection failed");
    expect((await over("hook.example")).error).to.contain("connection failed");
  });

  it("is not sent without TLS if TLS is required", async () => {
    const outcome = await send(receiver.url, { allowPrivate: true, httpsOnly: true });
    expect(outcome.error).to.contain("expected an https URL");
  });
});

describe("a misbehaving endpoint", () => {
  it("times out when it is silent, and is otherwise read no further than needed", async () => {
    receiver.answer(() => new Promise(() => undefined));
    const silent = await send(receiver.url, { allowPrivate: true, timeoutMs: 300 });
    expect(silent).to.deep.include({ statusCode: null, error: "No response within 0.3 seconds." });
    expect(silent.durationMs).to.be.within(250, 1_500);
    receiver.answer(() => new Response("x".repeat(5_000_000)));
    const endless = await send(receiver.url, { allowPrivate: true });
    expect(endless.statusCode).to.equal(200);
    expect(endless.response).to.have.length(1_024);
    receiver.answer(
      () => new Response(new ReadableStream({ start: (controller) => controller.enqueue("drip") })),
    );
    const dripping = await send(receiver.url, { allowPrivate: true, timeoutMs: 500 });
    expect(dripping.durationMs).to.be.lessThan(1_500);
  });
});
