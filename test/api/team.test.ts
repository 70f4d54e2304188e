// A merchant's team: role checks for every operation, invitations and password links, sessions, and a second factor.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { eq, sql } from "drizzle-orm";
import type { AccessRequirement } from "#api/access/authenticate.ts";
import { dashboardRoutes } from "#api/dashboard/routes.ts";
import { routes } from "#api/routes.ts";
import type { Services } from "#api/services.ts";
import type { Permission } from "#core/api-keys/permissions.ts";
import { connect, type Database } from "#core/db/client.ts";
import { merchant } from "#core/db/schema/merchants.ts";
import type { Role } from "#core/db/schema/users.ts";
import { dashboardUser, dashboardVerification } from "#core/db/schema/users.ts";
import { newMerchantId } from "#core/ids.ts";
import { createUser, setPassword } from "#core/users/users.ts";
import { until } from "#scripts/shared/wait.ts";
import { type SharedStack, sharedStack } from "../support/shared-stack.ts";
import { computeTotp } from "../support/totp.ts";
import { Client, type ErrorBody } from "./support/client.ts";
import { originOf } from "./support/routes.ts";
import { attempt, cookieOf, SessionClient, signIn } from "./support/session.ts";

type Member = { id: string; email: string; role: Role; status: string; link?: string };
type Answer<T> = { status: number; body: T; cookie: string };

const PASSWORD = "a password that is long";
const ROLES = ["admin", "operator", "read_only"] as const;
const MAY: Record<Role, readonly Permission[]> = {
  admin: ["read", "write", "release", "configure"],
  operator: ["read", "write", "release"],
  read_only: ["read"],
};

let stack: SharedStack;
let database: Database;
/** A merchant whose team is not changed by other tests. */
let merchantId: string;
const users = {} as Record<Role, SessionClient>;

/** Sends a request as the dashboard page does. */
async function ask<T = ErrorBody>(
  by: SessionClient | undefined,
  method: string,
  path: string,
  body?: object,
): Promise<Answer<T>> {
  const response = await fetch(originOf(stack) + path, {
    method,
    headers: {
      Origin: originOf(stack),
      ...by?.credentials(),
      ...(body ? { "Content-Type": "application/json" } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const cookie = cookieOf(response);
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream");
  if (isStream) await response.body?.cancel();
  return { status: response.status, body: (isStream ? {} : await response.json()) as T, cookie };
}

const auth = <T = ErrorBody>(by: SessionClient | undefined, path: string, body: object) =>
  ask<T>(by, "POST", `/dashboard/auth${path}`, body);

const invite = async (role: Role): Promise<Required<Member>> => {
  const email = `${randomUUID()}@example.com`;
  const { status, body } = await ask<Required<Member>>(users.admin, "POST", "/dashboard/team", {
    email,
    name: "New",
    role,
  });
  expect(status, JSON.stringify(body)).to.equal(200);
  return body;
};
const tokenOf = (link: string): string => link.split("#")[1] ?? "";
const actions = async () => {
  const { body } = await users.admin.get<{
    data: { action: string; resourceId: string; actor: { id: string } }[];
  }>("/audit-logs?action=user.&limit=100");
  return body.data;
};

beforeAll(async () => {
  stack = await sharedStack();
  database = connect(stack.databaseUrl, { max: 1, application: "test" });
  merchantId = stack.merchants[2]?.merchantId ?? stack.merchants[1]?.merchantId ?? "";
  for (const role of ROLES) {
    const login = { email: `${role}-${randomUUID()}@example.com`, password: PASSWORD };
    await createUser(database, { ...login, name: role, merchantId, role });
    users[role] = await signIn(stack, login);
  }
});
afterAll(async () => {
  await database?.delete(dashboardUser).where(eq(dashboardUser.merchantId, merchantId));
  await database?.$client.end();
  await stack?.stop();
});

/** Every operation that a session can call. */
const guarded = [...routes("/v1", {} as Services).routes, ...dashboardRoutes({} as Services).routes].flatMap(
  ({ method, path, hooks: { detail } }) => {
    const access = (detail as { "x-access"?: AccessRequirement | "public" } | undefined)?.["x-access"];
    return access === undefined || access === "public" ? [] : [{ method, path, needs: access.permission }];
  },
);

describe("the request log", () => {
  it("contains the requests of the merchant's keys, without queries and bodies, and no other merchant's requests", async () => {
    const [mine, others] = [merchantId, stack.merchants[0]?.merchantId].map(
      (id) => new Client(stack.baseUrl, stack.merchants.find((one) => one.merchantId === id)?.apiKey),
    );
    const id = `req-${randomUUID()}`;
    const sent = { headers: { "X-Request-Id": id, ...mine?.credentials() } };
    await fetch(`${stack.baseUrl}/payment-intents?limit=1&metadata[iban]=DE001`, sent);
    await others?.get("/payment-intents");
    type Listed = { data: { requestId: string; path: string; status: number; key: string }[] };
    const listed = async () => (await ask<Listed>(users.read_only, "GET", "/dashboard/request-log")).body;
    await until(async () => (await listed()).data.some(({ requestId }) => requestId === id), {
      what: "The request in the log",
      timeoutMs: 10_000,
    });
    const { data } = await listed();
    const found = data.find(({ requestId }) => requestId === id);
    expect(found).to.include({ path: "/v1/payment-intents", status: 200 });
    expect(found?.key).to.match(/^sk_\w+_…/);
    expect(JSON.stringify(data)).not.to.include("DE001");
    const secret = "sk_test_0123456789abcdef0123456789abcdef";
    for (const id of [`order_${secret}`, `X${secret}`, secret.toUpperCase()])
      await fetch(`${stack.baseUrl}/payment-intents/key_${secret}`, {
        headers: { "X-Request-Id": id, ...mine?.credentials() },
      });
    await fetch(`${stack.baseUrl}/payment-intents/${secret}`, {
      headers: { "X-Request-Id": secret, ...mine?.credentials() },
    });
    await until(async () => (await listed()).data.some(({ path }) => path.endsWith("/…")), {
      what: "The request with a key in its path",
      timeoutMs: 10_000,
    });
    expect(JSON.stringify(await listed()).toLowerCase()).not.to.include(secret.slice(-24));
    const other = await signIn(stack);
    const theirs = (await ask<Listed>(other, "GET", "/dashboard/request-log")).body;
    expect(theirs.data.some(({ requestId }) => requestId === id)).to.equal(false);
  });
});

describe("a role", () => {
  it.each(ROLES)("%s allows exactly the operations of its permissions", async (role) => {
    expect(guarded.length).to.be.above(40);
    for (const { method, path, needs } of guarded) {
      const filled = path.replace(/:\w+/g, "unknown");
      const { status, body } = await ask(
        users[role],
        method,
        filled,
        method === "GET" ? undefined : { unknown: 1 },
      );
      const refused =
        status === 403 &&
        /^(The operator role cannot manage|Your role is read-only)/.test(body.error.message);
      expect(refused, `${role}: ${method} ${path} answered ${status}`).to.equal(!MAY[role].includes(needs));
    }
  });

  it("is changed by an admin, and applies from the next request on", async () => {
    const { body } = await ask<{ data: Member[] }>(users.admin, "GET", "/dashboard/team");
    const operator = body.data.find(({ role }) => role === "operator");
    const at = `/dashboard/team/${operator?.id}`;
    expect((await ask(users.admin, "POST", at, { role: "read_only" })).status).to.equal(200);
    expect((await users.operator.post("/payment-intents", {})).status).to.equal(403);
    expect((await ask(users.admin, "POST", at, { role: "operator" })).status).to.equal(200);
    expect((await users.operator.post("/payment-intents", {})).status).to.equal(400);
    expect((await ask(users.operator, "POST", at, { role: "admin" })).status).to.equal(403);
  });

  it("of the last admin cannot be changed, and the last admin cannot be removed", async () => {
    const { body } = await ask<{ data: Member[] }>(users.admin, "GET", "/dashboard/team");
    const at = `/dashboard/team/${body.data.find(({ role }) => role === "admin")?.id}`;
    const pending = await invite("admin");
    for (const [method, change] of [["POST", { role: "operator" }], ["DELETE"]] as const) {
      const refused = await ask(users.admin, method, at, change);
      expect(refused.status).to.equal(400);
      expect(refused.body.error.message).to.include("last admin");
    }
    expect((await ask(users.admin, "DELETE", `/dashboard/team/${pending.id}`)).status).to.equal(200);
  });

  it("with access to live payments is managed only by an admin who also has this access", async () => {
    const { id } = await invite("operator");
    const setLive = (liveMerchantId: string | null) =>
      database.update(dashboardUser).set({ liveMerchantId }).where(eq(dashboardUser.id, id));
    await setLive(newMerchantId());
    for (const [method, path, body] of [
      ["POST", "", { role: "admin" }],
      ["POST", "/link", undefined],
      ["DELETE", "", undefined],
    ] as const) {
      const refused = await ask(users.admin, method, `/dashboard/team/${id}${path}`, body);
      expect([refused.status, refused.body.error.message.includes("live payments")]).to.deep.equal([
        400,
        true,
      ]);
    }
    await setLive(null);
    expect((await ask(users.admin, "DELETE", `/dashboard/team/${id}`)).status).to.equal(200);
  });

  /** Makes both requests wait for the team's lock before the first one is executed. */
  async function queued<A, B>(first: () => Promise<A>, second: () => Promise<B>): Promise<[A, B]> {
    const other = connect(stack.databaseUrl, { max: 1, application: "test" });
    const waiting = (count: number) =>
      until(
        async () => {
          const { rows } = await database.execute<{ waits: number }>(
            sql`select count(*)::int as waits from pg_stat_activity where wait_event_type = 'Lock' and query like '%"merchant"%for no key update%' and datname = current_database()`,
          );
          return rows[0]?.waits === count;
        },
        { what: `${count} requests that wait for the team`, timeoutMs: 10_000 },
      );
    try {
      const begun = await other.transaction(async (tx) => {
        await tx.select().from(merchant).where(eq(merchant.id, merchantId)).for("no key update");
        const one = first();
        await waiting(1);
        const two = second();
        await waiting(2);
        return { one, two };
      });
      return [await begun.one, await begun.two];
    } finally {
      await other.$client.end();
    }
  }

  it("that has ended does not give access to a request that was admitted earlier", async () => {
    const attempts = (at: string, victim: string): [string, string, object | undefined][] => [
      ["POST", at, { role: "admin" }],
      ["POST", `/dashboard/team/${victim}/link`, undefined],
      ["POST", "/dashboard/team", { email: `${randomUUID()}@example.com`, name: "x", role: "admin" }],
    ];
    for (const end of ["POST", "DELETE"]) {
      for (const index of [0, 1, 2]) {
        const login = { email: `${randomUUID()}@example.com`, password: PASSWORD };
        const made = await createUser(database, { ...login, name: "Ending", merchantId, role: "admin" });
        const session = await signIn(stack, login);
        const victim = await invite("admin");
        const at = `/dashboard/team/${made?.id}`;
        const [method, path, body] = attempts(at, victim.id)[index] as [string, string, object | undefined];
        const [ended, late] = await queued(
          () => ask(users.admin, end, at, end === "POST" ? { role: "read_only" } : undefined),
          () => ask(session, method, path, body),
        );
        expect([ended.status, late.status], `${end}, ${method} ${path}`).to.deep.equal([200, 403]);
        const [row] = await database
          .select()
          .from(dashboardUser)
          .where(eq(dashboardUser.id, made?.id ?? ""));
        expect(row?.role).to.equal(end === "POST" ? "read_only" : undefined);
      }
    }
  });

  it("belongs to one account: another account's users are invisible", async () => {
    const other = await signIn(stack);
    const { id } = await invite("read_only");
    for (const [method, path, body] of [
      ["POST", "", { role: "admin" }],
      ["DELETE", "", undefined],
      ["POST", "/link", undefined],
    ] as const) {
      expect((await ask(other, method, `/dashboard/team/${id}${path}`, body)).status).to.equal(404);
    }
    const { body } = await ask<{ data: Member[] }>(other, "GET", "/dashboard/team");
    expect(body.data.map((member) => member.id)).not.to.include(id);
  });
});

describe("an invitation", () => {
  it("is a link that sets a password once, and whose token is not stored", async () => {
    const { id, email, link, status } = await invite("read_only");
    expect(status).to.equal("invited");
    const token = tokenOf(link);
    expect(link).to.include("/dashboard/set-password#").and.include(token);
    const rows = await database
      .select()
      .from(dashboardVerification)
      .where(eq(dashboardVerification.value, id));
    expect(JSON.stringify(rows)).not.to.include(token);

    const shown = await auth<{ email: string }>(undefined, "/password-link", { token });
    expect(shown.body.email).to.equal(email);
    const short = await auth(undefined, "/reset-password", { token, newPassword: "short" });
    expect(short.body.error.message).to.include("12 to 128");
    expect((await auth(undefined, "/reset-password", { token, newPassword: PASSWORD })).status).to.equal(200);
    for (const path of ["/password-link", "/reset-password"]) {
      const body = path === "/password-link" ? { token } : { token, newPassword: PASSWORD };
      const again = await auth(undefined, path, body);
      expect([again.status, again.body.error.message]).to.deep.equal([
        400,
        "This link has already been used or has expired. Request a new one.",
      ]);
    }
    const guest = await signIn(stack, { email, password: PASSWORD });
    expect((await guest.get("/payment-intents")).status).to.equal(200);
    const log = await actions();
    expect(log.filter(({ resourceId }) => resourceId === id).map(({ action }) => action)).to.deep.equal([
      "user.set_password",
      "user.invite",
    ]);
  });

  it("ends when it expires, and when it is replaced", async () => {
    const { id, link } = await invite("operator");
    const { body } = await ask<{ link: string }>(users.admin, "POST", `/dashboard/team/${id}/link`);
    const set = (from: string) =>
      auth(undefined, "/reset-password", { token: tokenOf(from), newPassword: PASSWORD });
    expect((await set(link)).status).to.equal(400);
    await database
      .update(dashboardVerification)
      .set({ expiresAt: new Date(Date.now() - 1_000) })
      .where(eq(dashboardVerification.value, id));
    expect((await set(body.link)).status).to.equal(400);
  });

  it("ends when an admin of the account, who may have kept it, is removed", async () => {
    const [leaving, kept] = [await invite("admin"), await invite("admin")];
    expect((await ask(users.admin, "DELETE", `/dashboard/team/${leaving.id}`)).status).to.equal(200);
    for (const { link } of [leaving, kept]) {
      const token = tokenOf(link);
      const set = await auth(undefined, "/reset-password", { token, newPassword: PASSWORD });
      expect(set.status, JSON.stringify(set.body)).to.equal(400);
    }
  });

  it("ends when the operator sets a password, with which the user can sign in", async () => {
    const { email, link } = await invite("operator");
    await setPassword(database, email, "the password that was printed");
    const entered = await attempt(stack, { email, password: "the password that was printed" });
    const byLink = await auth(undefined, "/reset-password", { token: tokenOf(link), newPassword: PASSWORD });
    expect([entered.status, byLink.status]).to.deep.equal([200, 400]);
  });

  it("of an address that is already in use is rejected", async () => {
    const { email } = await invite("operator");
    const { status, body } = await ask(users.admin, "POST", "/dashboard/team", {
      email,
      name: "Two",
      role: "admin",
    });
    expect([status, body.error.code]).to.deep.equal([400, "invalid_status"]);
  });
});

describe("setting a new password by link", () => {
  it("ends the user's sessions", async () => {
    const { id, email, link } = await invite("read_only");
    await auth(undefined, "/reset-password", { token: tokenOf(link), newPassword: PASSWORD });
    const guest = await signIn(stack, { email, password: PASSWORD });
    const { body } = await ask<{ link: string }>(users.admin, "POST", `/dashboard/team/${id}/link`);
    expect((await guest.get("/payment-intents")).status, "until it is used").to.equal(200);
    await auth(undefined, "/reset-password", { token: tokenOf(body.link), newPassword: `${PASSWORD}er` });
    expect((await guest.get("/payment-intents")).status).to.equal(401);
    expect((await attempt(stack, { email, password: PASSWORD })).status).to.equal(401);
  });
});

describe("sessions", () => {
  it("are listed without their tokens, and ended individually by their user", async () => {
    const { email, link } = await invite("read_only");
    await auth(undefined, "/reset-password", { token: tokenOf(link), newPassword: PASSWORD });
    const here = await signIn(stack, { email, password: PASSWORD });
    const there = await signIn(stack, { email, password: PASSWORD });
    type Listed = { data: { id: string; current: boolean }[] };
    const { body } = await ask<Listed>(here, "GET", "/dashboard/account/sessions");
    expect(body.data.map(({ current }) => current).sort()).to.deep.equal([false, true]);
    const token = decodeURIComponent(there.cookie.split("=")[1] ?? "").split(".")[0] ?? "";
    expect(JSON.stringify(body)).not.to.include(token);
    const other = body.data.find(({ current }) => !current);
    const at = `/dashboard/account/sessions/${other?.id}`;
    expect((await ask(users.admin, "DELETE", at)).status, "another's").to.equal(404);
    expect((await ask(here, "DELETE", at)).status).to.equal(200);
    expect((await there.get("/payment-intents")).status).to.equal(401);
    expect((await here.get("/payment-intents")).status).to.equal(200);
  });
});

describe("a second factor", () => {
  it("is required once an authenticator app is set up, can be replaced once by a backup code, and is disabled with the password", async () => {
    const { id, email, link } = await invite("operator");
    await auth(undefined, "/reset-password", { token: tokenOf(link), newPassword: PASSWORD });
    const login = { email, password: PASSWORD };
    const first = await signIn(stack, login);
    expect((await auth(first, "/two-factor/enable", { password: "wrong" })).body.error.message).to.include(
      "Incorrect password",
    );
    type SetUp = { totpUri: string; backupCodes: string[] };
    const { body: setUp } = await auth<SetUp>(first, "/two-factor/enable", { password: PASSWORD });
    const uri = setUp.totpUri;
    expect(setUp.backupCodes).to.have.length(10);
    expect((await attempt(stack, login)).status, "not before a code was right").to.equal(200);
    const verified = await auth(first, "/two-factor/verify-totp", { code: computeTotp(uri) });
    expect(verified.status, JSON.stringify(verified.body)).to.equal(200);
    expect(JSON.stringify(verified.body)).not.to.include("token");
    const signedIn = new SessionClient(stack.baseUrl, verified.cookie);
    expect((await signedIn.get("/payment-intents")).status).to.equal(200);

    const half = async () => {
      const response = await attempt(stack, login);
      expect(await response.json()).to.deep.equal({ twoFactor: true });
      return new SessionClient(stack.baseUrl, cookieOf(response));
    };
    const waiting = await half();
    expect((await waiting.get("/payment-intents")).status, "half of a sign-in opens nothing").to.equal(401);
    const wrong = await auth(waiting, "/two-factor/verify-totp", { code: "000000" });
    expect([wrong.status, wrong.body.error.message]).to.deep.equal([
      400,
      "The code is incorrect or has expired.",
    ]);
    const signInCode = computeTotp(uri);
    const before = await ask<{ data: object[] }>(signedIn, "GET", "/dashboard/account/sessions");
    const right = await auth(waiting, "/two-factor/verify-totp", { code: signInCode });
    expect(right.status, JSON.stringify(right.body)).to.equal(200);
    const replayed = await auth(await half(), "/two-factor/verify-totp", { code: signInCode });
    expect([replayed.status, replayed.body.error.message]).to.deep.equal([
      401,
      "This code has already been used. Sign in again with the next code.",
    ]);
    expect(replayed.cookie).to.equal("");
    const listed = await ask<{ data: object[] }>(signedIn, "GET", "/dashboard/account/sessions");
    expect(listed.body.data, "no session is left of it").to.have.length(before.body.data.length + 1);

    const [code = ""] = setUp.backupCodes;
    const byCode = await auth(await half(), "/two-factor/verify-backup-code", { code });
    expect(byCode.status, JSON.stringify(byCode.body)).to.equal(200);
    expect((await auth(await half(), "/two-factor/verify-backup-code", { code })).status).to.equal(400);

    const me = new SessionClient(stack.baseUrl, byCode.cookie);
    const codes = await auth<SetUp>(me, "/two-factor/generate-backup-codes", { password: PASSWORD });
    expect(codes.body.backupCodes).to.have.length(10).and.not.include(code);
    expect((await auth(me, "/two-factor/disable", { password: PASSWORD })).status).to.equal(200);
    expect(await (await attempt(stack, login)).json()).to.have.property("user");
    const log = (await actions()).filter(({ resourceId }) => resourceId === id);
    expect(log.map(({ action }) => action)).to.include.members([
      "user.enable_two_factor",
      "user.replace_backup_codes",
      "user.disable_two_factor",
    ]);
    expect(log.filter(({ action }) => action === "user.enable_two_factor")).to.have.length(1);
    for (const { actor, action } of log.slice(0, 3)) expect(actor.id, action).to.equal(id);
  });

  it("cannot be set up with a backup code, and a pending sign-in ends when the password changes", async () => {
    const { id, email, link } = await invite("operator");
    await auth(undefined, "/reset-password", { token: tokenOf(link), newPassword: PASSWORD });
    const login = { email, password: PASSWORD };
    const me = await signIn(stack, login);
    type SetUp = { totpUri: string; backupCodes: string[] };
    const { body: setUp } = await auth<SetUp>(me, "/two-factor/enable", { password: PASSWORD });
    await auth(me, "/two-factor/verify-backup-code", { code: setUp.backupCodes[0] });
    const enabled = async () =>
      (await actions()).filter(
        (entry) => entry.resourceId === id && entry.action === "user.enable_two_factor",
      ).length;
    expect(await enabled()).to.equal(0);
    const verified = await auth(me, "/two-factor/verify-totp", { code: computeTotp(setUp.totpUri) });
    expect([verified.status, await enabled()]).to.deep.equal([200, 1]);

    const here = new SessionClient(stack.baseUrl, verified.cookie);
    const half = new SessionClient(stack.baseUrl, cookieOf(await attempt(stack, login)));
    const newPassword = `${PASSWORD}er`;
    const changed = await auth(here, "/change-password", { currentPassword: PASSWORD, newPassword });
    expect(changed.status, JSON.stringify(changed.body)).to.equal(200);
    const late = await auth(half, "/two-factor/verify-totp", { code: computeTotp(setUp.totpUri) });
    expect(late.status).to.equal(401);

    const next = new SessionClient(
      stack.baseUrl,
      cookieOf(await attempt(stack, { email, password: newPassword })),
    );
    const { body } = await ask<{ link: string }>(users.admin, "POST", `/dashboard/team/${id}/link`);
    const begun = new SessionClient(
      stack.baseUrl,
      cookieOf(await attempt(stack, { email, password: newPassword })),
    );
    expect(
      (await auth(undefined, "/reset-password", { token: tokenOf(body.link), newPassword: PASSWORD })).status,
    ).to.equal(200);
    for (const waiting of [next, begun]) {
      const { status } = await auth(waiting, "/two-factor/verify-totp", { code: computeTotp(setUp.totpUri) });
      expect(status).to.equal(401);
    }
  });
});
