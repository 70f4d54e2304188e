// Forwards account operations to better-auth and maps its responses to the gateway's format and errors. The
// session token is only sent in the cookie.
import type { Server } from "bun";
import {
  forbidden,
  internalError,
  invalidRequest,
  rateLimitExceeded,
  type ServiceError,
  signInRequired,
  unknownRoute,
} from "#core/errors.ts";
import { AUTH_PATH, type Auth, CLIENT_ADDRESS } from "../access/dashboard-sign-in.ts";
import type { Services } from "../services.ts";

/** A user as returned by better-auth. */
type LibraryUser = { id: string; name: string; email: string };
export type LibraryAnswer = {
  /** The token of the new session. */
  token?: string;
  user?: LibraryUser;
  twoFactorRedirect?: boolean;
  totpURI?: string;
  backupCodes?: string[];
};

export type Visit = { request: Request; server: Server<unknown> | null };

/** Retry delay of better-auth's own rate limit if the response does not contain one. */
const RETRY_SECONDS = 60;
/** How long a second factor is locked after too many wrong codes. */
const LOCKED_SECONDS = 900;

const REFUSALS: Record<string, () => ServiceError> = {
  INVALID_EMAIL_OR_PASSWORD: () => signInRequired("Incorrect email address or password."),
  INVALID_PASSWORD: () => invalidRequest("Incorrect password.", "password"),
  INVALID_TOKEN: () =>
    invalidRequest("This link has already been used or has expired. Request a new one.", "token"),
  USER_NOT_FOUND: () =>
    invalidRequest("This link has already been used or has expired. Request a new one.", "token"),
  PASSWORD_TOO_SHORT: () => invalidRequest("A password must have 12 to 128 characters.", "newPassword"),
  PASSWORD_TOO_LONG: () => invalidRequest("A password must have 12 to 128 characters.", "newPassword"),
  INVALID_CODE: () => invalidRequest("The code is incorrect or has expired.", "code"),
  INVALID_BACKUP_CODE: () => invalidRequest("The code is incorrect or has already been used.", "code"),
  TOTP_NOT_ENABLED: () => invalidRequest("Two-factor authentication is not set up for this user."),
  BACKUP_CODES_NOT_ENABLED: () => invalidRequest("Two-factor authentication is not set up for this user."),
  TOTP_ALREADY_ENABLED: () => invalidRequest("Two-factor authentication is already enabled."),
  INVALID_TWO_FACTOR_COOKIE: () => signInRequired("Sign in with your password again."),
  TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE: () =>
    signInRequired("Too many incorrect codes. Sign in with your password again."),
  ACCOUNT_TEMPORARILY_LOCKED: () =>
    rateLimitExceeded(
      `Too many incorrect codes. Try again in ${LOCKED_SECONDS / 60} minutes.`,
      LOCKED_SECONDS,
    ),
};

async function readRefusal(answer: Response): Promise<ServiceError> {
  const { status, headers } = answer;
  if (status >= 500) return internalError(new Error(`The authentication library responded with ${status}.`));
  const { code } = (await answer.json().catch(() => ({}))) as { code?: string };
  const known = code === undefined ? undefined : REFUSALS[code];
  if (known) return known();
  if (status === 401)
    return signInRequired("You are not signed in, or your session has expired. Sign in again.");
  if (status === 403) return forbidden("Sign in from the dashboard's own page.");
  if (status === 429) {
    const seconds = Number(headers.get("x-retry-after")) || RETRY_SECONDS;
    return rateLimitExceeded(`Too many attempts. Try again in ${seconds} s.`, seconds);
  }
  return invalidRequest("Invalid dashboard request.");
}

/** @returns the better-auth instance. @throws ServiceError 404 if the gateway has no dashboard */
export function requireAuth({ auth }: Services, { method, url }: Request): Auth {
  if (!auth) throw unknownRoute(method, new URL(url).pathname);
  return auth;
}

/**
 * Calls a route of better-auth with the headers of the request.
 * @param path relative to better-auth's base path, such as `/sign-in/email`
 * @throws ServiceError if better-auth rejects the call
 */
export async function callLibrary(
  services: Services,
  { request, server }: Visit,
  path: string,
  body: object,
): Promise<{ answered: LibraryAnswer; cookies: string[] }> {
  const auth = requireAuth(services, request);
  const headers = new Headers(request.headers);
  headers.set(CLIENT_ADDRESS, services.accessControl.readAddress(request, server));
  headers.delete("content-length");
  const url = new URL(AUTH_PATH + path, request.url);
  const answer = await auth.handler(
    new Request(url, { method: "POST", headers, body: JSON.stringify(body) }),
  );
  if (!answer.ok) throw await readRefusal(answer);
  return { answered: (await answer.json()) as LibraryAnswer, cookies: answer.headers.getSetCookie() };
}

/** Creates a response that includes better-auth's cookies and must not be cached. */
export function answerWith(body: object, cookies: readonly string[] = []): Response {
  const headers = new Headers({ "Cache-Control": "no-store" });
  for (const cookie of cookies) headers.append("Set-Cookie", cookie);
  return Response.json(body, { headers });
}

export const showUser = ({ id, name, email }: LibraryUser) => ({ user: { id, name, email } });
