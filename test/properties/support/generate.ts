// Generates valid, nearly valid and absurd requests to the routes of an OpenAPI document.
import fc, { type Arbitrary } from "fast-check";
import { EDGE_CASE_NAMES, EDGE_CASE_NUMBERS, EDGE_CASE_SEGMENTS, EDGE_CASE_TEXTS } from "./edge-cases.ts";
import type { RawRequest } from "./raw-client.ts";

export type Schema = {
  type?: string | string[];
  pattern?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
};
export type Route = { method: string; path: string; body?: Schema };
export type World = {
  routes: Route[];
  /** Existing ids of the caller and of another merchant. */
  ids: string[];
  keys: { own: string; other: string };
  /** Headers of a dashboard session. */
  session: [string, string][];
};
export type Generated = RawRequest & { route: Route };

const edgeCaseText = fc.oneof(
  fc.constantFrom(...EDGE_CASE_TEXTS),
  fc.string({ unit: "grapheme", maxLength: 60 }),
  fc.string({ unit: "binary", maxLength: 30 }),
);
const edgeCase: Arbitrary<unknown> = fc.oneof(
  edgeCaseText,
  fc.constantFrom<unknown>(...EDGE_CASE_NUMBERS, null, true, false, [], {}, [[]], [null]),
  fc.double(),
  fc.jsonValue({ maxDepth: 4 }),
  fc.dictionary(fc.constantFrom(...EDGE_CASE_NAMES), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 }),
);

/** Returns values that the schema allows or nearly allows. */
function valueFor(schema: Schema): Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.anyOf?.length) return fc.oneof(...schema.anyOf.map(valueFor));
  if (Array.isArray(schema.type))
    return fc.oneof(...schema.type.map((type) => valueFor({ ...schema, type })));
  switch (schema.type) {
    case "null":
      return fc.constant(null);
    case "string":
      if (schema.pattern !== undefined) return fc.stringMatching(new RegExp(schema.pattern));
      return fc.oneof(
        fc.constantFrom("1.00", "0.000001", "250", "bank_account_123", "A sale", "604800"),
        fc.string({ unit: "grapheme", minLength: Math.min(schema.minLength ?? 0, 50), maxLength: 60 }),
      );
    case "integer":
      return fc.integer({ min: schema.minimum ?? -5, max: Math.min(schema.maximum ?? 1e6, 2 ** 31) });
    case "number":
      return fc.double({ min: schema.minimum ?? -5, max: schema.maximum ?? 1e6, noNaN: true });
    case "boolean":
      return fc.boolean();
    case "array":
      return fc.array(valueFor(schema.items ?? {}), { maxLength: 4 });
    case "object":
      return objectOf(schema);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function objectOf({ properties = {}, required = [] }: Schema): Arbitrary<Record<string, unknown>> {
  const model = Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, valueFor(one)]));
  if (Object.keys(model).length === 0) {
    return fc.dictionary(fc.string({ maxLength: 20 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 5 });
  }
  return fc.record(model, { requiredKeys: required.filter((name) => name in model) });
}

const deep = (depth: number, open: string, close: string) => open.repeat(depth) + close.repeat(depth);

function bodyTextOf(schema: Schema | undefined): Arbitrary<string | undefined> {
  const valid = schema ? objectOf(schema) : fc.constant({});
  const names = Object.keys(schema?.properties ?? {});
  const nearly = fc
    .tuple(valid, fc.constantFrom(...names, ...EDGE_CASE_NAMES), edgeCase)
    .map(([body, name, value]) => ({ ...body, [name]: value }));
  return fc.oneof(
    { weight: 6, arbitrary: valid.map((body) => JSON.stringify(body)) },
    { weight: 6, arbitrary: nearly.map((body) => JSON.stringify(body)) },
    { weight: 2, arbitrary: edgeCase.map((value) => JSON.stringify(value)) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        undefined,
        "",
        "{",
        "[1,",
        "nul",
        "{}{}",
        "\ufeff{}",
        '{"a":1,"a":2}',
        '{"__proto__":{"x":1}}',
        deep(50, "[", "]"),
        deep(5_000, "[", "]"),
        deep(20_000, '{"a":', "}"),
        `{"metadata":${deep(3_000, '{"a":', "1}")}`,
        '{"amount":1e999}',
        '{"amount":-0}',
        `{"amount":${"9".repeat(400)}}`,
        `"${"x".repeat(200_000)}"`,
        '{"description":"\\ud800"}',
        '{"metadata":{"\\u0000":"\\u0000"}}',
        "\u0000\u0001\u0002",
      ),
    },
  );
}

function pathOf(path: string, { ids }: World): Arbitrary<string> {
  const segment = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...ids) },
    { weight: 2, arbitrary: fc.constantFrom(...EDGE_CASE_SEGMENTS) },
    { weight: 1, arbitrary: fc.stringMatching(/^intent_[0-9a-f]{64}$/) },
    {
      weight: 1,
      arbitrary: edgeCaseText.map((text) => encodeURIComponent(text.toWellFormed()).slice(0, 4_000)),
    },
  );
  const parts = path.split("/").map((part) => (part.startsWith("{") ? segment : fc.constant(part)));
  return fc
    .tuple(
      fc.constantFrom("", "", "/api"),
      fc.tuple(...parts),
      fc.constantFrom("", "", "", "", "/", "//", "/x"),
    )
    .map(([prefix, given, tail]) => `${prefix}${given.join("/")}${tail}`);
}

const QUERY_NAMES = [
  "limit",
  "starting_after",
  "status",
  "currency",
  "created[gte]",
  "created[lte]",
  "metadata[orderId]",
  "type",
  "payerAddress",
  "metadata[",
  "created",
  "metadata[a][b]",
  "api_key",
  "ending_before",
  "intent",
  "__proto__",
];
function queryOf({ ids }: World): Arbitrary<string> {
  const value = fc.oneof(
    fc.constantFrom(
      "1",
      "10",
      "100",
      "0",
      "-1",
      "1e2",
      "SUCCEEDED",
      "USDC",
      "1700000000",
      "99999999999",
      ...ids,
    ),
    edgeCaseText.map((text) => encodeURIComponent(text.toWellFormed()).slice(0, 2_000)),
    fc.constantFrom("%", "%00", "%zz", "%E0%A4%A", "&&", "=", "?", ""),
  );
  const name = fc.constantFrom(...QUERY_NAMES, "%", "%5B", "");
  const pair = fc.tuple(name, value).map((both) => both.join("="));
  return fc.array(pair, { maxLength: 4 }).map((pairs) => (pairs.length === 0 ? "" : `?${pairs.join("&")}`));
}

const HEADER_TEXT = /^[\x20-\x7e\x80-\xff]{0,80}$/;
function headersOf({ keys, session }: World, { path }: Route): Arbitrary<[string, string][]> {
  const basic = (key: string) => `Basic ${Buffer.from(`${key}:`).toString("base64")}`;
  const identity = fc.oneof(
    {
      weight: path.includes("/api-keys") ? 1 : 11,
      arbitrary: fc.constant<[string, string][]>([["X-API-Key", keys.own]]),
    },
    { weight: path.includes("/api-keys") ? 11 : 1, arbitrary: fc.constant(session) },
    {
      weight: 4,
      arbitrary: fc.constantFrom<[string, string][]>(
        [["Authorization", `Bearer ${keys.own}`]],
        [["Authorization", basic(keys.own)]],
        [["X-API-Key", keys.other]],
        [
          ["X-API-Key", keys.own],
          ["X-API-Key", keys.own],
        ],
        [
          ["X-API-Key", keys.own],
          ["Authorization", "Bearer nonsense"],
        ],
        [["Authorization", "Basic !!!"]],
        [["Authorization", "Bearer"]],
        [["X-API-Key", "sk_test_0123456789abcdef0123"]],
        [["X-API-Key", "sk_live_".padEnd(6_000, "x")]],
        [],
      ),
    },
  );
  const type = fc.oneof(
    { weight: 12, arbitrary: fc.constant<[string, string][]>([["Content-Type", "application/json"]]) },
    {
      weight: 2,
      arbitrary: fc.constantFrom<[string, string][]>(
        [],
        [["Content-Type", "application/json; charset=utf-16"]],
        [["Content-Type", "multipart/form-data"]],
        [["Content-Type", "multipart/form-data; boundary=x"]],
        [["Content-Type", "application/x-www-form-urlencoded"]],
        [
          ["Content-Type", "text/plain"],
          ["Content-Type", "application/json"],
        ],
        [["Content-Type", ";;;"]],
      ),
    },
  );
  const edgeCaseHeader = fc.tuple(
    fc.constantFrom(
      "Idempotency-Key",
      "X-Request-Id",
      "X-Forwarded-For",
      "Accept",
      "Cookie",
      "Accept-Encoding",
      "If-None-Match",
      "Range",
      "Origin",
      "X-HTTP-Method-Override",
      "Content-Encoding",
      "Expect-CT",
      "Forwarded",
      "X-Nothing",
    ),
    fc.oneof(
      fc.stringMatching(HEADER_TEXT),
      fc.constantFrom(
        "",
        "a".repeat(3_000),
        "gzip",
        "__proto__=1; a=%zz",
        "bytes=0-1",
        "*",
        "null",
        crypto.randomUUID(),
      ),
    ),
  );
  return fc
    .tuple(identity, type, fc.array(edgeCaseHeader, { maxLength: 3 }))
    .map(([first, second, rest]) => [
      ...first,
      ...second,
      ...rest.map(([n, v]): [string, string] => [n, v.trim()]),
    ]);
}

function requestTo(route: Route, world: World): Arbitrary<Generated> {
  const method = fc.oneof(
    { weight: 12, arbitrary: fc.constant(route.method) },
    { weight: 1, arbitrary: fc.constantFrom("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD") },
  );
  return fc
    .tuple(method, pathOf(route.path, world), queryOf(world), headersOf(world, route), bodyTextOf(route.body))
    .map(([verb, path, query, headers, body]) => {
      const bodyless = ["GET", "HEAD"].includes(verb) || body === undefined;
      return { route, method: verb, target: `${path}${query}`, headers, ...(bodyless ? {} : { body }) };
    });
}

/** Generates requests to every route, first once each and then at random. */
export const batchOf = (world: World, size: number): Arbitrary<Generated[]> => {
  const each = world.routes.map((route) => requestTo(route, world));
  const length = Math.max(0, size - each.length);
  return fc
    .tuple(fc.tuple(...each), fc.array(fc.oneof(...each), { minLength: length, maxLength: length }))
    .map(([once, more]) => [...once, ...more])
    .chain((all) => fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length }));
};
