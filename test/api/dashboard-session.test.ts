// A dashboard session gives the same access as an API key and passes the same checks, but only works from the
// dashboard's own page.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { eq } from "drizzle-orm";
import { connect, type Database } from "#core/db/client.ts";
import { dashboardSession, dashboardUser } from "#core/db/schema/users.ts";
import { createUser, deleteUser, setPassword } from "#core/users/users.ts";
import { until } from "#scripts/shared/wait.ts";
import { type SharedStack, sharedStack } from "../support/shared-stack.ts";
import { Client, type ErrorBody, type Intent } from "./support/client.ts";
import { create, fund, GOOD, newPayer } from "./support/payments.ts";
import { originOf } from "./support/routes.ts";
import { attempt, SessionClient, signIn } from "./support/session.ts";
import { expectError } from "./support/shapes.ts";

let stack: SharedStack;
let database: Database;
let me: SessionClient;
let withKey: Client;
let stranger: Client;

beforeAll(async () => {
  stack = await sharedStack();
  database = connect(stack.databaseUrl, { max: 1, application: "test" });
  me = await signIn(stack);
  withKey = new Client(stack.baseUrl, stack.merchants[0]?.apiKey);
  stranger = new Client(stack.baseUrl, stack.merchants[1]?.apiKey);
});
afterAll(async () => {
  await database?.$client.end();
  await stack?.stop();
});

/** Overrides some of the headers that the page sends. The value undefined removes a header. */
function sending(headers: Record<string, string | undefined>): Client {
  const sent = { ...me.credentials(), ...headers };
  const given = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined));
  return Object.assign(new Client(stack.baseUrl), { credentials: () => given as Record<string, string> });
}

const userId = async (): Promise<string> => {
  const { email } = stack.dashboard;
  const [user] = await database.select().from(dashboardUser).where(eq(dashboardUser.email, email));
  return user?.id ?? "";
};

type Opened = { response: Response; names: Set<string>; leave(): void };

/** Collects the names of the changes that a stream reports while it is open. */
function namesOf(response: Response): Set<string> {
  const names = new Set<string>();
  const read = async () => {
    let text = "";
    for await (const chunk of response.body ?? []) {
      text += new TextDecoder().decode(chunk);
      for (const [, list = "[]"] of text.matchAll(/^data: (.*)$/gm)) {
        for (const name of JSON.parse(list) as string[]) names.add(name);
      }
    }
  };
  // The read fails when the test closes the stream.
  read().catch(() => undefined);
  return names;
}

describe("signing in", () => {
  it("sets a cookie that scripts cannot read and other sites cannot send", async () => {
    const response = await attempt(stack, stack.dashboard);
    const [cookie = ""] = response.headers.getSetCookie();
    expect(cookie).to.match(/^gateway\.session_token=/);
    expect(cookie)
      .to.match(/HttpOnly/i)
      .and.match(/SameSite=Strict/i)
      .and.match(/Path=\//i);
    const text = await response.text();
    expect(text).not.to.include(stack.dashboard.password);
    const token = decodeURIComponent(/=([^;]*)/.exec(cookie)?.[1] ?? "").split(".")[0] ?? "";
    expect(token).to.have.length.above(10);
    expect(text, "the token is the cookie's alone (A12)").not.to.include(token);
    expect(JSON.parse(text).user).to.have.keys("id", "name", "email");
  });

  it("responds identically to a wrong password and an unknown address", async () => {
    const { email, password } = stack.dashboard;
    const answers = await Promise.all([
      attempt(stack, { email, password: `${password}x` }),
      attempt(stack, { email: "nobody@example.com", password }),
    ]);
    const [wrong, unknown] = await Promise.all(
      answers.map(async (answer) => {
        const { error } = (await answer.json()) as ErrorBody;
        const { requestId: _, ...rest } = error;
        return rest;
      }),
    );
    expect(wrong).to.include({ code: "authentication_required", type: "authentication_error" });
    for (const { status, headers } of answers) {
      expect(status).to.equal(401);
      expect(headers.getSetCookie()).to.deep.equal([]);
    }
    expect(wrong).to.deep.equal(unknown);
  });

  it("is rejected from another site", async () => {
    const other = { Origin: "https://evil.example", Cookie: me.cookie };
    expect((await attempt(stack, stack.dashboard, other)).status).to.equal(403);
    const form = {
      "Sec-Fetch-Site": "cross-site",
      "Sec-Fetch-Mode": "navigate",
      Origin: "https://evil.example",
    };
    expect((await attempt(stack, stack.dashboard, form)).status).to.equal(403);
  });

  it("is rejected in our own format without a password (A12)", async () => {
    const response = await attempt(stack, { email: stack.dashboard.email, password: "" });
    const body = (await response.json()) as ErrorBody;
    expectError(
      { status: response.status, headers: response.headers, body },
      400,
      "invalid_request",
      "password",
    );
  });

  it("is the only operation that the library exposes over HTTP, besides sign-out and password changes: there is no sign-up", async () => {
    for (const path of [
      "sign-up/email",
      "update-user",
      "list-sessions",
      "delete-user",
      "request-password-reset",
    ]) {
      const response = await fetch(`${originOf(stack)}/dashboard/auth/${path}`, {
        method: "POST",
        headers: { "Content-Type": "application/json", Origin: originOf(stack), Cookie: me.cookie },
        body: JSON.stringify({ email: "x@example.com", password: "0123456789abcdef", name: "X" }),
      });
      expect(response.status, path).to.equal(404);
    }
  });

  it("shows who is signed in, and shows nothing to anyone else", async () => {
    const ask = (cookie: string) =>
      fetch(`${originOf(stack)}/dashboard/session`, { headers: { Cookie: cookie } });
    const mine = (await (await ask(me.cookie)).json()) as {
      user: { email: string };
      networks: { live: unknown };
    };
    expect(mine.user.email).to.equal(stack.dashboard.email);
    expect(mine.networks.live).to.equal(null);
    expect((await ask("")).status).to.equal(401);
    expect((await ask("gateway.session_token=forged.signature")).status).to.equal(401);
  });
});

describe("a session", () => {
  it("gives the same access as the merchant's keys, and the audit log names the user", async () => {
    const intent = await create(me);
    expect(intent.data.merchantId).to.equal(stack.merchants[0]?.merchantId);
    const { body } = await me.post<Intent>(`/payment-intents/${intent.id}/cancel`, {});
    expect(body.status).to.equal("CANCELED");
    const logs = await me.get<{ data: { action: string; actor: object }[] }>(
      `/audit-logs?paymentIntentId=${intent.id}&actor=user`,
    );
    expect(logs.body.data.map(({ action }) => action)).to.deep.equal([
      "payment_intent.cancel",
      "payment_intent.create",
    ]);
    expect(logs.body.data[0]?.actor).to.deep.equal({ type: "user", id: await userId() });
  });

  it("gives no access to another merchant", async () => {
    const { id } = await create(stranger);
    expectError(await me.get(`/payment-intents/${id}`), 403, "forbidden");
    expectError(await me.post(`/payment-intents/${id}/cancel`, {}), 403, "forbidden");
  });

  it("is ignored without the page's header", async () => {
    const bare = sending({ "X-Dashboard-Mode": undefined });
    expectError(await bare.get("/payment-intents"), 401, "authentication_required");
    expectError(await bare.post("/payment-intents", GOOD), 401, "authentication_required");
  });

  it("is valid on 127.0.0.1 and on localhost, each separately", async () => {
    const numbered = { ...stack, baseUrl: stack.baseUrl.replace("localhost", "127.0.0.1") };
    expect(numbered.baseUrl).not.to.equal(stack.baseUrl);
    const there = await signIn(numbered);
    expect((await there.get("/payment-intents")).status).to.equal(200);
    expect((await create(there)).data.merchantId).to.equal(stack.merchants[0]?.merchantId);
    expectError(await sending({ Origin: "http://127.0.0.1:1" }).get("/payment-intents"), 403, "forbidden");
    const crossed = sending({ Origin: originOf(numbered), "Sec-Fetch-Site": "cross-site" });
    expectError(await crossed.get("/payment-intents"), 403, "forbidden");
  });

  it("is ignored from another site", async () => {
    for (const headers of [
      { Origin: "https://evil.example" },
      { Origin: "null" },
      { "Sec-Fetch-Site": "cross-site" },
      { "Sec-Fetch-Site": "same-site" },
    ]) {
      expectError(await sending(headers).get("/payment-intents"), 403, "forbidden");
      expectError(await sending(headers).post("/payment-intents", GOOD), 403, "forbidden");
    }
    const silent = sending({ Origin: undefined });
    expectError(await silent.post("/payment-intents", GOOD), 403, "forbidden");
  });

  it("is overridden by a key", async () => {
    const { id } = await create(stranger);
    const both = sending({ "X-API-Key": stack.merchants[1]?.apiKey });
    expect((await both.get(`/payment-intents/${id}`)).status).to.equal(200);
    expectError(await sending({ "X-API-Key": "sk_test_x" }).get("/payment-intents"), 403, "forbidden");
  });

  it("cannot select a network that does not exist", async () => {
    const live = new SessionClient(stack.baseUrl, me.cookie, "live");
    expectError(await live.get("/payment-intents"), 403, "forbidden");
    expectError(await sending({ "X-Dashboard-Mode": "all" }).get("/payment-intents"), 403, "forbidden");
  });

  it("is invalid if it was modified, has expired, or was signed out", async () => {
    const changed = sending({ Cookie: me.cookie.replace(/.$/, "") });
    expectError(await changed.get("/payment-intents"), 401, "authentication_required");

    const old = await signIn(stack);
    const token = decodeURIComponent(old.cookie.split("=")[1] ?? "").split(".")[0] ?? "";
    await database
      .update(dashboardSession)
      .set({ expiresAt: new Date(Date.now() - 1000) })
      .where(eq(dashboardSession.token, token));
    expectError(await old.get("/payment-intents"), 401, "authentication_required");

    const leaving = await signIn(stack);
    const response = await fetch(`${originOf(stack)}/dashboard/auth/sign-out`, {
      method: "POST",
      headers: { ...leaving.credentials(), "Content-Type": "application/json" },
      body: "{}",
    });
    expect(response.status).to.equal(200);
    expectError(await leaving.get("/payment-intents"), 401, "authentication_required");
  });

  it("ends when the password changes, and when its user is removed", async () => {
    const email = `guest-${Date.now()}@example.com`;
    const merchantId = stack.merchants[0]?.merchantId ?? "";
    await createUser(database, { email, name: "Guest", password: "a first password", merchantId });
    const first = await signIn(stack, { email: email.toUpperCase(), password: "a first password" });
    await setPassword(database, email, "a second password");
    expectError(await first.get("/payment-intents"), 401, "authentication_required");
    const second = await signIn(stack, { email, password: "a second password" });
    await deleteUser(database, email);
    expectError(await second.get("/payment-intents"), 401, "authentication_required");
    expect((await attempt(stack, { email, password: "a second password" })).status).to.equal(401);
  });
});

describe("API keys", () => {
  type Key = { id: string; secret: string; state: string; access: string; hint: string; name: string | null };
  const made = async (body: object = {}): Promise<Key> => {
    const answer = await me.post<Key>("/api-keys", body);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    return answer.body;
  };
  const statusWith = async ({ secret }: Key): Promise<number> =>
    (await new Client(stack.baseUrl, secret).get("/payment-intents")).status;

  /** Retries, because API processes are notified of the revocation with a short delay. */
  const untilRefused = (key: Key) =>
    until(async () => (await statusWith(key)) === 403, { what: "The key being refused", timeoutMs: 2_000 });

  it("are created, listed without their secrets, rotated and revoked, and the log shows who did it", async () => {
    const key = await made({ name: "Web shop", access: "no_release" });
    expect(await statusWith(key)).to.equal(200);
    const listed = await me.get<{ data: Key[] }>("/api-keys?limit=1");
    expect(listed.body.data[0]).to.include({
      id: key.id,
      name: "Web shop",
      access: "no_release",
      state: "active",
    });
    expect(listed.body.data[0]).not.to.have.property("secret");

    const { body: next } = await me.post<Key>(`/api-keys/${key.id}/rotate`, { overlap: 60 });
    expect([await statusWith(key), await statusWith(next)]).to.deep.equal([200, 200]);
    const { body: last } = await me.post<Key>(`/api-keys/${next.id}/rotate`, { overlap: 0 });
    await untilRefused(next);
    expect(await statusWith(last)).to.equal(200);
    expect(last.access).to.equal("no_release");
    expectError(await me.post(`/api-keys/${next.id}/rotate`, {}), 400, "invalid_status");

    expect((await me.post<Key>(`/api-keys/${last.id}/revoke`, {})).body.state).to.equal("revoked");
    expect((await me.post<Key>(`/api-keys/${last.id}/revoke`, {})).status).to.equal(200);
    await untilRefused(last);

    const { body } = await me.get<{ data: { action: string; actor: object; resourceId: string }[] }>(
      "/audit-logs?actor=user&limit=5",
    );
    const actor = { type: "user", id: await userId() };
    expect(body.data.filter(({ resourceId }) => resourceId === last.id)).to.have.length(2);
    for (const entry of body.data.filter(({ action }) => action.startsWith("api_key."))) {
      expect(entry.actor).to.deep.equal(actor);
    }
    expect(JSON.stringify(body)).not.to.include("sk_test_");
  });

  it("cannot be managed with a key, regardless of its permissions", async () => {
    expectError(await withKey.post("/api-keys", {}), 403, "forbidden");
    expectError(await withKey.get("/api-keys"), 403, "forbidden");
    const { id } = await made();
    expectError(await withKey.post(`/api-keys/${id}/rotate`, {}), 403, "forbidden");
    expectError(await withKey.post(`/api-keys/${id}/revoke`, {}), 403, "forbidden");
  });

  it("of another merchant are inaccessible", async () => {
    const { id } = await made();
    const merchantId = stack.merchants[1]?.merchantId ?? "";
    const login = { email: `other-${Date.now()}@example.com`, password: "another password" };
    await createUser(database, { ...login, name: "Other", merchantId });
    const other = await signIn(stack, login);
    for (const action of ["rotate", "revoke"]) {
      expectError(await other.post(`/api-keys/${id}/${action}`, {}), 403, "forbidden");
    }
    expectError(await other.get(`/api-keys?starting_after=${id}`), 403, "forbidden");
    expectError(await me.post("/api-keys/key_unknown/revoke", {}), 404, "resource_missing", "keyId");
  });
});

describe("the home page", () => {
  type Home = {
    balance: { currency: string }[];
    attention: Record<"disputes" | "failures" | "reclaims" | "endpoints", { id: string }[]>;
  };

  it("shows only the merchant's own data: where the money is, and what needs attention", async () => {
    const raisedBy = stack.merchants[0]?.account;
    const { id } = await fund(withKey, { description: "Disputed" }, newPayer());
    await withKey.post(`/payment-intents/${id}/escrow/dispute`, { reason: "It broke.", raisedBy });
    const homeOf = async (client: Client) => {
      const response = await fetch(`${originOf(stack)}/dashboard/home`, { headers: client.credentials() });
      return { status: response.status, body: (await response.json()) as Home };
    };
    const mine = await until(
      async () => {
        const { body } = await homeOf(me);
        return body.attention.disputes.some((one) => one.id === id) ? body : null;
      },
      { what: "The dispute", timeoutMs: 20_000 },
    );
    expect(mine.balance.map(({ currency }) => currency)).to.include("USDC");
    const theirs = await homeOf(stranger);
    expect(theirs.status).to.equal(200);
    expect(JSON.stringify(theirs.body)).not.to.include(id);
    expect((await homeOf(new Client(stack.baseUrl))).status).to.equal(401);
  });
});

describe("the stream of changes", () => {
  const url = () => `${originOf(stack)}/dashboard/changes`;
  const open = async (headers: Record<string, string>): Promise<Opened> => {
    const abort = new AbortController();
    const response = await fetch(url(), { headers, signal: abort.signal });
    return { response, names: namesOf(response), leave: () => abort.abort() };
  };

  it("reports changes of the user's merchant, and no changes of other merchants", async () => {
    const { response, names, leave } = await open(me.credentials());
    expect(response.headers.get("content-type")).to.include("text/event-stream");
    const theirs = await create(stranger);
    const mine = await create(withKey);
    await until(async () => names.has(mine.id), { what: "The change", timeoutMs: 10_000 });
    expect([...names]).to.include("payment_intent");
    expect([...names]).not.to.include(theirs.id);
    leave();
  });

  it("is available only to a session of the dashboard's own page", async () => {
    const withoutSession = await open({});
    expect(withoutSession.response.status).to.equal(401);
    const { response } = await open({ "X-API-Key": stack.merchants[0]?.apiKey ?? "" });
    expect(response.status).to.equal(403);
    const { response: foreign } = await open({ ...me.credentials(), Origin: "https://evil.example" });
    expect(foreign.status).to.equal(403);
    const { response: modeless } = await open({ Cookie: me.cookie });
    expect(modeless.status).to.equal(401);
  });

  it("is limited per user, and a closed stream frees a slot", async () => {
    const opened: Opened[] = [];
    const refused = await until(
      async () => {
        const next = await open(me.credentials());
        if (next.response.status !== 200) return next.response;
        opened.push(next);
        return null;
      },
      { what: "The limit", timeoutMs: 20_000 },
    );
    expect(refused.status).to.equal(429);
    expect(refused.headers.get("retry-after")).to.match(/^\d+$/);
    expect(opened.length).to.be.at.most(20);
    for (const { leave } of opened) leave();
    await until(async () => (await open(me.credentials())).response.status === 200, {
      what: "Room for another",
      timeoutMs: 10_000,
    });
  });
});
