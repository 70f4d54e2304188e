// Signs in to the dashboard through the library: limited per account as well as per address, answered in our own shapes, and
// without the session's token, which the cookie alone carries.
import { Type } from "@sinclair/typebox";
import {
  forbidden,
  internalError,
  invalidRequest,
  rateLimitExceeded,
  type ServiceError,
  signInRequired,
} from "#core/errors.ts";

export const Credentials = Type.Object({
  email: Type.String({ minLength: 3, maxLength: 320, errorMessage: "an e-mail address" }),
  password: Type.String({ minLength: 1, maxLength: 1_000, errorMessage: "a password" }),
});

/** How long the library's own limit lasts where it does not say so. */
const RETRY_SECONDS = 60;

function refusalOf({ status, headers }: Response): ServiceError {
  if (status === 401) return signInRequired("The e-mail address or the password is wrong.");
  if (status === 403) return forbidden("Sign in from the dashboard's own page.");
  if (status === 429) {
    const seconds = Number(headers.get("x-retry-after")) || RETRY_SECONDS;
    return rateLimitExceeded(`Too many attempts to sign in: try again in ${seconds} s.`, seconds);
  }
  if (status < 500) return invalidRequest("The request is not one to sign in or out with.");
  return internalError(new Error(`The library answered ${status}.`));
}

/** The library's answer to a sign-in or sign-out in our own shape. @throws ServiceError for a refusal */
export async function translate(answer: Response): Promise<Response> {
  if (!answer.ok) throw refusalOf(answer);
  const { user } = (await answer.json()) as { user?: { id: string; name: string; email: string } };
  const headers = new Headers({ "Cache-Control": "no-store" });
  for (const cookie of answer.headers.getSetCookie()) headers.append("Set-Cookie", cookie);
  const shown = user ? { user: { id: user.id, name: user.name, email: user.email } } : {};
  return Response.json(shown, { headers });
}
