// Sign-in with a password, sign-out, and links to set a password. A second factor is verified in account-routes.ts.
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { invalidRequest } from "#core/errors.ts";
import { toUnixSeconds } from "#core/model/unix-time.ts";
import { findPasswordLink } from "#core/users/password-link.ts";
import { AUTH_PATH } from "../access/dashboard-sign-in.ts";
import type { RouteMacros } from "../http/route-macros.ts";
import type { Services } from "../services.ts";
import { answerWith, callLibrary, type LibraryAnswer, requireAuth, showUser } from "./library.ts";

const Credentials = Type.Object({
  email: Type.String({ minLength: 3, maxLength: 320, errorMessage: "an email address" }),
  password: Type.String({ minLength: 1, maxLength: 1_000, errorMessage: "a password" }),
});

const strict = { additionalProperties: false };
export const Code = Type.Object(
  { code: Type.String({ minLength: 1, maxLength: 40, errorMessage: "a code" }) },
  strict,
);
const Token = Type.String({ minLength: 1, maxLength: 100, errorMessage: "the token from the link" });
const Link = Type.Object({ token: Token }, strict);
const NewPassword = Type.Object(
  { token: Token, newPassword: Type.String({ maxLength: 1_000, errorMessage: "a password" }) },
  strict,
);

const showSignIn = ({ user, twoFactorRedirect }: LibraryAnswer) =>
  twoFactorRedirect ? { twoFactor: true } : user ? showUser(user) : {};

export const signInRoutes = (services: Services, shared: RouteMacros) =>
  new Elysia({ normalize: false })
    .use(shared)
    .post(
      `${AUTH_PATH}/sign-in/email`,
      async ({ request, server, set, body }) => {
        await services.accessControl.bySignIn({ request, server, set }, body.email);
        const { answered, cookies } = await callLibrary(
          services,
          { request, server },
          "/sign-in/email",
          body,
        );
        return answerWith(showSignIn(answered), cookies);
      },
      { open: true, body: Credentials },
    )
    .post(
      `${AUTH_PATH}/sign-out`,
      async ({ request, server }) => {
        const { cookies } = await callLibrary(services, { request, server }, "/sign-out", {});
        return answerWith({}, cookies);
      },
      { open: true },
    )
    // The page shows whose password the link sets. Tokens cannot be guessed: both routes are rate-limited by
    // address, and a token has 256 bits.
    .post(
      `${AUTH_PATH}/password-link`,
      async ({ request, body }) => {
        requireAuth(services, request);
        const found = await findPasswordLink(services.database, body.token);
        if (!found)
          throw invalidRequest("This link has already been used or has expired. Request a new one.", "token");
        const { email, name, expiresAt } = found;
        return answerWith({ email, name, expires: toUnixSeconds(expiresAt) });
      },
      { open: true, body: Link },
    )
    .post(
      `${AUTH_PATH}/reset-password`,
      async ({ request, server, body }) => {
        const { cookies } = await callLibrary(services, { request, server }, "/reset-password", body);
        return answerWith({}, cookies);
      },
      { open: true, body: NewPassword },
    );
