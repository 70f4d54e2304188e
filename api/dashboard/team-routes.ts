// Routes for the merchant's team, which all of its users can see and its admins can manage. Users are stored in
// the database of the gateway's own network, regardless of the caller's mode, and operations on users are
// recorded in the audit log of that network.
import { type Static, Type } from "@sinclair/typebox";
import { eq } from "drizzle-orm";
import { Elysia } from "elysia";
import type { Caller } from "#core/api-keys/api-keys.ts";
import type { Transaction } from "#core/db/client.ts";
import { dashboardUser } from "#core/db/schema/users.ts";
import { forbidden, invalidRequest, invalidStatus, resourceMissing, unknownRoute } from "#core/errors.ts";
import { toUnixSeconds } from "#core/model/unix-time.ts";
import { type PasswordLink, passwordLink } from "#core/users/password-link.ts";
import { type By, UnknownUserError, type UserRow, UsersError } from "#core/users/users.ts";
import { buildActor } from "../audit/record-operation.ts";
import type { RouteMacros } from "../http/route-macros.ts";
import type { Services } from "../services.ts";
import {
  changeRole,
  createMemberLink,
  inviteMember,
  listMembers,
  lockTeam,
  type Member,
  NotAdminError,
  removeMember,
} from "./team.ts";

const ROLES = ["admin", "operator", "read_only"] as const;
const strict = { additionalProperties: false };
const role = Type.Union(
  ROLES.map((one) => Type.Literal(one)),
  { errorMessage: `one of ${ROLES.join(", ")}` },
);

const Invite = Type.Object(
  {
    email: Type.String({ maxLength: 320, pattern: "^\\s*\\S+@\\S+\\s*$", errorMessage: "an email address" }),
    name: Type.String({ minLength: 1, maxLength: 100, errorMessage: "a name of 1 to 100 characters" }),
    role,
  },
  strict,
);
const Change = Type.Object({ role }, strict);
const MemberId = Type.Object({ userId: Type.String({ maxLength: 100 }) });

const MANAGE = { permission: "configure", userOnly: true } as const;

const showMember = ({ id, email, name, role, isInvited, twoFactorEnabled, createdAt }: Member) => ({
  ...{ id, email, name, role, twoFactorEnabled },
  status: isInvited ? "invited" : "active",
  created: toUnixSeconds(createdAt),
});

/** Maps the errors of core/users to the API's errors. */
async function refusing<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof NotAdminError) throw forbidden(error.message);
    if (error instanceof UnknownUserError) throw resourceMissing(error.message, "userId");
    throw error instanceof UsersError ? invalidStatus(error.message) : error;
  }
}

/** Loads the caller's own user. */
async function loadUser({ database }: Services, { keyId }: Caller): Promise<UserRow> {
  const [user] = await database.select().from(dashboardUser).where(eq(dashboardUser.id, keyId));
  if (!user) throw new Error("The signed-in user does not exist.");
  return user;
}

/** Changes the team in a transaction, as the caller. */
async function manage<T>(
  services: Services,
  caller: Caller,
  work: (tx: Transaction, self: UserRow, by: By) => Promise<T>,
): Promise<T> {
  const by = { actor: buildActor(caller), mode: services.config.mode };
  return refusing(
    services.database.transaction(async (tx) => work(tx, await lockTeam(tx, caller.keyId), by)),
  );
}

function showLink({ config }: Services, { token, expiresAt }: PasswordLink) {
  if (!config.dashboard) throw unknownRoute("POST", "/dashboard/team");
  return {
    link: passwordLink(`${config.dashboard.origin}/dashboard`, token),
    expires: toUnixSeconds(expiresAt),
  };
}

const invite = (services: Services, caller: Caller, body: Static<typeof Invite>) =>
  manage(services, caller, async (tx, self, by) => {
    const { member, link } = await inviteMember(tx, self, body, by);
    return { ...showMember(member), ...showLink(services, link) };
  });

export const teamRoutes = (services: Services, shared: RouteMacros) =>
  new Elysia({ prefix: "/dashboard/team", normalize: false })
    .use(shared)
    .get(
      "/",
      async ({ call }) => {
        const { merchantId } = await loadUser(services, call.caller);
        return { data: (await listMembers(services.database, merchantId)).map(showMember) };
      },
      { access: { permission: "read", userOnly: true } },
    )
    .post("/", ({ call, body }) => invite(services, call.caller, body), { access: MANAGE, body: Invite })
    .post(
      "/:userId",
      ({ call, params, body }) =>
        manage(services, call.caller, async (tx, self, by) =>
          showMember(await changeRole(tx, self, params.userId, body.role, by)),
        ),
      { access: MANAGE, params: MemberId, body: Change },
    )
    .post(
      "/:userId/link",
      ({ call, params }) =>
        manage(services, call.caller, async (tx, self, by) => {
          if (params.userId === self.id)
            throw invalidRequest(
              "You cannot create a link for yourself. Change your password on your account page.",
              "userId",
            );
          return showLink(services, await createMemberLink(tx, self, params.userId, by));
        }),
      { access: MANAGE, params: MemberId },
    )
    .delete(
      "/:userId",
      ({ call, params }) =>
        manage(services, call.caller, async (tx, self, by) => {
          await removeMember(tx, self, params.userId, by);
          return { id: params.userId, deleted: true };
        }),
      { access: MANAGE, params: MemberId },
    );
