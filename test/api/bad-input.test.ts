// On every route that takes a body, bad input returns 400 in the spec's error format, with a message that says how to
// fix the request.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { expect } from "chai";
import { until } from "#scripts/shared/wait.ts";
import { type SharedStack, sharedStack } from "../support/shared-stack.ts";
import { type Answer, Client, type ErrorBody, type Intent } from "./support/client.ts";
import { create, GOOD, retrieve } from "./support/payments.ts";
import { documentOf, fill, type Route, routesOf } from "./support/routes.ts";
import { expectError } from "./support/shapes.ts";
import { addEndpoint, sendTest } from "./support/webhook-endpoints.ts";

const MIB = 1024 * 1024;

let stack: SharedStack;
let client: Client;
let intent: Intent;
let writers: Route[];

beforeAll(async () => {
  stack = await sharedStack();
  client = new Client(stack.baseUrl, stack.merchants[0]?.apiKey);
  intent = await create(client);
  writers = routesOf(await documentOf(stack)).filter(
    (route) => route.takesBody && (route.public || route.forKeys),
  );
  expect(writers.length).to.be.at.least(4);
});
afterAll(() => stack?.stop());

/** Every route must reject the body. Some routes reject the state before they read the body. */
async function refusedEverywhere(body: unknown, headers: Record<string, string> = {}): Promise<void> {
  for (const route of writers) {
    const answer = await client.send(route.method, fill(route, intent.id), { body, headers });
    const what = `${route.method} ${route.template}: ${answer.status} ${JSON.stringify(answer.body)}`;
    expect(answer.status, what).to.be.oneOf([400, 404]);
    if (answer.status === 404) expectError(answer, 404, "resource_missing", answer.body.error.param);
    else {
      expect(answer.body.error.type, what).to.equal("invalid_request_error");
      expect(answer.body.error.code, what).to.match(/^invalid_/);
    }
  }
}

const createWith = (body: unknown, headers: Record<string, string> = {}): Promise<Answer<ErrorBody>> =>
  client.send("POST", "/payment-intents", { body, headers });

const streamOf = (...parts: (string | Uint8Array)[]) =>
  new ReadableStream({
    start(controller) {
      for (const part of parts)
        controller.enqueue(typeof part === "string" ? new TextEncoder().encode(part) : part);
      controller.close();
    },
  });

describe("a body that is not a JSON object is rejected on every route:", () => {
  it.each([
    ["nothing", ""],
    ["text", "hello"],
    ["half of an object", '{"amount":'],
    ["two objects", "{}{}"],
    ["an array", "[]"],
    ["an array of the right object", JSON.stringify([GOOD])],
    ["null", "null"],
    ["a number", "5"],
    ["a string", '"amount"'],
    ["a form", "amount=5&currency=USDC"],
    ["XML", "<amount>5</amount>"],
    ["JSON with comments", '{"amount":"5" /* five */}'],
    ["single quotes", "{'amount':'5'}"],
    ["NaN", '{"amount":NaN}'],
  ])("%s", async (_what, body) => {
    expectError(await createWith(body), 400, "invalid_request");
    await refusedEverywhere(body);
  });

  it("bytes that are not UTF-8", async () => {
    const latin1 = new Uint8Array([...Buffer.from('{"amount":"'), 0xe9, 0xff, ...Buffer.from('"}')]);
    const utf16 = new Uint8Array(Buffer.from(JSON.stringify(GOOD), "utf16le"));
    for (const bytes of [latin1, utf16]) {
      expectError(await createWith(bytes), 400, "invalid_request");
      await refusedEverywhere(bytes);
    }
  });
});

describe("the content type", () => {
  it.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
    "application/xml",
    "application/jsonp",
    "",
    "json",
  ])("%j is rejected on every route", async (type) => {
    expectError(await createWith(GOOD, { "Content-Type": type }), 400, "invalid_request");
    await refusedEverywhere(GOOD, { "Content-Type": type });
  });

  it.each(["application/json; charset=utf-8", "Application/JSON", "application/json;charset=UTF-8"])(
    "%j is JSON",
    async (type) => {
      expect((await createWith(GOOD, { "Content-Type": type })).status).to.equal(200);
    },
  );
});

describe("the size of a body", () => {
  const padded = (size: number) => {
    const text = JSON.stringify(GOOD);
    return text + " ".repeat(size - text.length);
  };

  it("may be 1 MiB, but not one byte more", async () => {
    expect((await createWith(padded(MIB))).status).to.equal(200);
    expectError(await createWith(padded(MIB + 1)), 400, "invalid_request");
    await refusedEverywhere(padded(MIB + 1));
  });

  it("is also checked if no header announces it", async () => {
    expect((await createWith(streamOf(JSON.stringify(GOOD)))).status).to.equal(200);
    const megabyte = " ".repeat(MIB);
    expectError(await createWith(streamOf(JSON.stringify(GOOD), megabyte)), 400, "invalid_request");
    expectError(await createWith(streamOf(...Array<string>(20).fill(megabyte))), 400, "invalid_request");
  });

  it("does not affect the service's availability", async () => {
    await Promise.all(Array.from({ length: 8 }, () => createWith(padded(8 * MIB)).catch(() => undefined)));
    await create(client);
  });
});

describe("text that cannot be stored is rejected:", () => {
  it.each([
    ["U+0000", "a\\u0000b"],
    ["half of a surrogate pair", "\\ud83d"],
    ["the other half", "\\udcb8x"],
  ])("%s", async (_what, escaped) => {
    const inValue = JSON.stringify({ ...GOOD, description: "#" }).replace("#", escaped);
    const inMetadata = JSON.stringify({ ...GOOD, metadata: { note: ["#"] } }).replace("#", escaped);
    const inKey = JSON.stringify({ ...GOOD, metadata: { "#": 1 } }).replace("#", escaped);
    for (const body of [inValue, inMetadata, inKey]) {
      expectError(await createWith(body), 400, "invalid_request");
      await refusedEverywhere(body);
    }
  });

  it("and all other text is stored unchanged", async () => {
    const description = "日本語 🦊 \u0001 \u202e ' \" \\ %00 <script> \u{10ffff}";
    const metadata = { "clé 🗝": description, nested: { deep: [[[description]]] } };
    const { data } = await create(client, { description, metadata });
    expect(data.description).to.equal(description);
    expect(data.metadata).to.deep.include(metadata);
  });
});

describe("a deeply nested or large body", () => {
  it("is rejected at thousands of levels, without affecting other requests", async () => {
    const nestedIn = (depth: number) => ({ n: JSON.parse(`${"[".repeat(depth)}${"]".repeat(depth)}`) });
    const metadata = nestedIn(20);
    expect((await create(client, { metadata })).data.metadata).to.deep.include(metadata);
    for (const depth of [40, 1_000, 5_000, 100_000]) {
      const nested = `${"[".repeat(depth)}${"]".repeat(depth)}`;
      const answer = await createWith(
        JSON.stringify({ ...GOOD, metadata: { n: 0 } }).replace('"n":0', `"n":${nested}`),
      );
      expectError(answer, 400, "invalid_request");
    }
    await create(client);
  });

  it("is rejected if its metadata exceeds the limits", async () => {
    const many = Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`key${i}`, i]));
    for (const metadata of [
      many,
      { note: "x".repeat(1_001) },
      { ["k".repeat(101)]: 1 },
      { "": 1 },
      [],
      "text",
      5,
    ]) {
      const answer = await createWith({ ...GOOD, metadata });
      expect(answer.body.error.param, JSON.stringify(answer.body)).to.match(/^metadata/);
      expectError(answer, 400, "invalid_request", answer.body.error.param);
    }
  });

  it("does not pollute prototypes", async () => {
    const body = JSON.stringify({ ...GOOD, metadata: {} }).replace(
      '"metadata":{}',
      '"metadata":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}',
    );
    expect((await createWith(body)).status).to.be.oneOf([200, 400]);
    expect((await create(client)).data.metadata).not.to.have.property("polluted");
    expectError(await createWith(`{"__proto__":${JSON.stringify(GOOD)}}`), 400, "invalid_request", "amount");
  });
});

describe("a create parameter that is missing, of the wrong type or unknown is rejected by name:", () => {
  it.each(["amount", "currency", "type", "settlementMethod", "settlementDestination"])(
    "%s missing",
    async (param) => {
      const { [param as keyof typeof GOOD]: _, ...rest } = GOOD;
      expectError(await createWith(rest), 400, "invalid_request", param);
    },
  );

  const WRONG: [string, unknown[]][] = [
    ["amount", [5, 100.5, null, true, [], {}, ["5"]]],
    ["currency", ["EUR", "usdc", "", " USDC", 5, null, "USDC\n"]],
    ["settlementMethod", ["CASH", "", "off_ramp_mock", 7, null]],
    ["settlementDestination", ["", "   ", "x".repeat(256), 5, null, {}]],
    ["description", [5, null, {}, "x".repeat(1_001)]],
    ["deliveryPeriod", ["60", 0, -1, 1.5, 1e12, null, true, 3650 * 86_400 + 1]],
    ["expectedDeliveryHash", ["0x12", "", 5, null, `0x${"zz".repeat(32)}`, "aa".repeat(32)]],
    ["autoRelease", ["true", 1, 0, null, "yes"]],
    ["deliveryOracle", ["0x12", "", 5, null, "vitalik.eth", `0x${"0".repeat(41)}`]],
    ["unknown", [1, null, {}]],
    ["Amount", ["5"]],
    ["id", ["intent_1"]],
    ["status", ["SETTLED"]],
  ];
  it.each(WRONG)("%s of %j", async (param, values) => {
    for (const value of values) {
      expectError(await createWith({ ...GOOD, [param]: value }), 400, "invalid_request", param);
    }
  });

  it("an unknown type, with the spec's code for it", async () => {
    for (const type of ["ESCROW", "", "delivery_vs_payment", 5, null]) {
      expectError(await createWith({ ...GOOD, type }), 400, "invalid_request_error", "type");
    }
  });
});

describe("a duplicate key in an object", () => {
  it("is rejected at any depth (A13)", async () => {
    const twice = JSON.stringify(GOOD).replace("{", '{"amount":"1.00",');
    expectError(await createWith(twice), 400, "invalid_request", "amount");
    const deep = JSON.stringify({ ...GOOD, metadata: { a: 1 } }).replace('"a":1', '"a":1,"\\u0061":2');
    expectError(await createWith(deep), 400, "invalid_request", "a");
  });
});

describe("an upload that the client ends early", () => {
  it("is a client error (400), not an internal error (A4)", async () => {
    const requestId = `aborted-${Date.now()}`;
    const { hostname, port } = new URL(stack.baseUrl);
    const head = [
      "POST /v1/payment-intents HTTP/1.1",
      `Host: ${hostname}`,
      `X-API-Key: ${client.apiKey}`,
      `X-Request-Id: ${requestId}`,
      "Content-Type: application/json",
      "Content-Length: 1000",
    ];
    const abort = async (): Promise<void> => {
      const socket = connect(Number(port), hostname);
      const begun = `${head.join("\r\n")}\r\n\r\n{"amount":`;
      await new Promise<void>((resolve) => socket.write(begun, () => resolve()));
      socket.destroy();
    };
    const lines = () =>
      readFileSync(join(stack.logs, "api.log"), "utf8")
        .split("\n")
        .filter((line) => line.includes(requestId))
        .map((line) => JSON.parse(line) as { msg: string; status: number; route: string });
    const isLogged = async () => {
      await abort();
      return lines().length > 0;
    };
    await until(isLogged, { what: "A line of an aborted upload", timeoutMs: 5_000 });
    for (const { msg, status, route } of lines()) {
      expect({ msg, status, route }).to.deep.equal({
        msg: "request",
        status: 400,
        route: "/v1/payment-intents",
      });
    }
  });
});

describe("an amount", () => {
  it.each(["0", "0.00", "-1", "-0.01", "-0", "000"])("of %s is rejected as not positive", async (amount) => {
    expectError(await createWith({ ...GOOD, amount }), 400, "invalid_request_error", "amount");
  });

  it.each([
    "00001",
    "01.50",
    "1e3",
    "1.1234567",
    " 5",
    "5 ",
    "5\n",
    "",
    ".",
    ".5",
    "5.",
    "+5",
    "1,000",
    "1_000",
    "0x10",
    "Infinity",
    "NaN",
    "--1",
    "1.2.3",
    "five",
    "５",
    "9".repeat(38),
    "9".repeat(400),
    `1.${"0".repeat(100)}`,
    "1329227995784915872903807060280344577",
  ])("of %j is rejected", async (amount) => {
    expectError(await createWith({ ...GOOD, amount }), 400, "invalid_request", "amount");
  });

  it("may have 18 decimal places in DAI, but not 19", async () => {
    expect((await createWith({ ...GOOD, currency: "DAI", amount: `0.${"1".repeat(18)}` })).status).to.equal(
      200,
    );
    const answer = await createWith({ ...GOOD, currency: "DAI", amount: `0.${"1".repeat(19)}` });
    expectError(answer, 400, "invalid_request", "amount");
  });
});

describe("an operation without parameters", () => {
  it.each(["cancel", "escrow/release", "settlement/retry"])(
    "rejects a body that is sent to %s, so that a partial operation cannot become a full one",
    async (path) => {
      const { id } = await create(client);
      const answer = await client.post(`/payment-intents/${id}/${path}`, { amount: "1.00" });
      expectError(answer, 400, "invalid_request", "amount");
      expect((await retrieve(client, id)).status).to.equal("INITIATED");
    },
  );

  it("rejects a body for webhook tests and redeliveries as well", async () => {
    const endpoint = await addEndpoint(client, "http://127.0.0.1:9/webhooks");
    const { id } = await sendTest(client, endpoint);
    for (const path of ["test", `deliveries/${id}/redeliver`]) {
      const answer = await client.post(`/webhook-endpoints/${endpoint.id}/${path}`, { to: "me" });
      expectError(answer, 400, "invalid_request", "to");
    }
  });
});

describe("a message", () => {
  it("lists every invalid field of a body, starting with the first (A14)", async () => {
    const answer = await createWith({
      ...GOOD,
      settlementMethod: "CASH",
      deliveryPeriod: 0,
      more: 1,
      amount: undefined,
    });
    expectError(answer, 400, "invalid_request", answer.body.error.param);
    const { errors = [], message, param } = answer.body.error;
    expect(errors.map((fault) => fault.param)).to.have.members([
      "amount",
      "settlementMethod",
      "deliveryPeriod",
      "more",
    ]);
    expect(errors[0]).to.deep.equal({ code: "invalid_request", message, param });
    const one = await createWith({ ...GOOD, settlementMethod: "CASH" });
    expect(one.body.error).not.to.have.property("errors");
  });

  it("contains the request's id, which is the caller's own if there is one (A14)", async () => {
    const mine = await createWith({}, { "X-Request-Id": "order-1" });
    expect(mine.body.error.requestId).to.equal("order-1");
    const { body, headers } = await client.get("/payment-intents/unknown");
    expect(body.error.requestId).to.match(/^req_/).and.equal(headers.get("x-request-id"));
  });

  it("describes the allowed metadata values (A13)", async () => {
    const answer = await createWith({ ...GOOD, metadata: { note: "x".repeat(1_001) } });
    expectError(answer, 400, "invalid_request", "metadata.note");
    expect(answer.body.error.message).to.include("at most 1000 characters").and.not.to.include("union");
  });

  it("lists the existing event types instead of a pattern", async () => {
    const { body } = await client.post("/webhook-endpoints", {
      url: "http://127.0.0.1:9/",
      enabledEvents: ["x"],
    });
    expect(body.error.param).to.equal("enabledEvents.0");
    expect(body.error.message).to.include("payment_intent.succeeded").and.not.to.include("\\.");
  });

  it("distinguishes an empty body from one that is not JSON", async () => {
    const { body } = await client.send("POST", "/payment-intents", { body: " " });
    expect(body.error.message).to.include("empty");
  });
});
