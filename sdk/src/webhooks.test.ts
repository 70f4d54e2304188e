// Tests webhook verification with the example and the reference library of the Standard Webhooks specification.
import { describe, it } from "bun:test";
import { expect } from "chai";
import { Webhook } from "standardwebhooks";
import { type VerifyOptions, WebhookVerificationError, webhooks } from "./index.ts";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const OTHER = `whsec_${btoa("another secret of 32 bytes......")}`;
const BODY = JSON.stringify({ id: "evt_1", object: "event", type: "payment_intent.settled" });

/** Signs the body with the specification's reference library. */
function signed(body = BODY, { secrets = [SECRET], at = new Date() } = {}) {
  const signatures = secrets.map((secret) => new Webhook(secret).sign("evt_1", at, body));
  return {
    "webhook-id": "evt_1",
    "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
    "webhook-signature": signatures.join(" "),
  };
}

const EXAMPLE = {
  body: '{"test": 2432232314}',
  headers: {
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  },
};
const ANY_TIME: VerifyOptions = { tolerance: Number.POSITIVE_INFINITY };

async function refusalOf(verifying: Promise<unknown>): Promise<string> {
  const error = await verifying.then(
    () => new Error("It passed."),
    (error: unknown) => error,
  );
  expect(error).to.be.instanceOf(WebhookVerificationError);
  return String(error);
}

describe("a webhook is accepted", () => {
  it("if it is the specification's example", async () => {
    const { body, headers } = EXAMPLE;
    expect(await webhooks.verify(body, headers, SECRET, ANY_TIME)).to.deep.equal({
      test: 2432232314,
    } as never);
    expect(await webhooks.verify(body, headers, SECRET.slice("whsec_".length), ANY_TIME)).to.be.an("object");
  });

  it("as text or bytes, with headers from fetch or from Node.js", async () => {
    const bytes = new TextEncoder().encode(BODY);
    for (const body of [BODY, bytes, Buffer.from(BODY), bytes.buffer]) {
      for (const headers of [signed(), new Headers(signed())]) {
        expect((await webhooks.verify(body, headers, SECRET)).id).to.equal("evt_1");
      }
    }
  });

  it("with non-ASCII characters", async () => {
    const body = JSON.stringify({ id: "evt_1", name: "Gänse 🪿" });
    expect(await webhooks.verify(body, signed(body), SECRET)).to.deep.equal(JSON.parse(body));
  });

  it("with any of several signatures and secrets during a rotation", async () => {
    const both = signed(BODY, { secrets: [OTHER, SECRET] });
    for (const secret of [SECRET, OTHER, [SECRET, OTHER], [OTHER, SECRET]]) {
      expect((await webhooks.verify(BODY, both, secret)).id).to.equal("evt_1");
    }
    expect((await webhooks.verify(BODY, signed(), [OTHER, SECRET])).id).to.equal("evt_1");
    const withOthers = {
      ...signed(),
      "webhook-signature": `v1a,xyz v1,%%% ${signed()["webhook-signature"]}`,
    };
    expect((await webhooks.verify(BODY, withOthers, SECRET)).id).to.equal("evt_1");
  });

  it("within the timestamp tolerance", async () => {
    for (const seconds of [-290, 290]) {
      const at = new Date(Date.now() + seconds * 1_000);
      expect((await webhooks.verify(BODY, signed(BODY, { at }), SECRET)).id).to.equal("evt_1");
    }
  });
});

describe("a webhook is rejected", () => {
  it("with a different secret, body, id or time", async () => {
    expect(await refusalOf(webhooks.verify(BODY, signed(), OTHER))).to.include("No signature matches");
    await refusalOf(webhooks.verify(`${BODY} `, signed(), SECRET));
    await refusalOf(webhooks.verify(BODY, { ...signed(), "webhook-id": "evt_2" }, SECRET));
    const { headers, body } = EXAMPLE;
    await refusalOf(
      webhooks.verify(body, { ...headers, "webhook-timestamp": "1614265331" }, SECRET, ANY_TIME),
    );
  });

  it("with a timestamp too far in the past or the future", async () => {
    for (const seconds of [-310, 310]) {
      const at = new Date(Date.now() + seconds * 1_000);
      expect(await refusalOf(webhooks.verify(BODY, signed(BODY, { at }), SECRET))).to.include("clock");
    }
    await refusalOf(webhooks.verify(EXAMPLE.body, EXAMPLE.headers, SECRET));
  });

  it("with a missing or malformed header", async () => {
    for (const name of ["webhook-id", "webhook-timestamp", "webhook-signature"]) {
      expect(await refusalOf(webhooks.verify(BODY, { ...signed(), [name]: undefined }, SECRET))).to.include(
        name,
      );
    }
    await refusalOf(webhooks.verify(BODY, { ...signed(), "webhook-timestamp": "soon" }, SECRET));
    await refusalOf(webhooks.verify(BODY, { ...signed(), "webhook-signature": "v1," }, SECRET));
    await refusalOf(webhooks.verify(BODY, { ...signed(), "webhook-signature": "v2,abc" }, SECRET));
  });

  it("if the caller passes a parsed body or a malformed secret", async () => {
    expect(await refusalOf(webhooks.verify({} as never, signed(), SECRET))).to.include("before it is parsed");
    for (const secret of ["", "whsec_", "whsec_%%%"])
      await refusalOf(webhooks.verify(BODY, signed(), secret));
    await refusalOf(webhooks.verify(BODY, signed(), []));
  });
});
