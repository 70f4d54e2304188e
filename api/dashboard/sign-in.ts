// Signs in to the dashboard through the library: limited per account as well as per address, answered in our own shapes, and
// without the session's token, which the cookie alone carries.
import { Type } from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import {
  forbidden,
  internalError,
  invalidRequest,
  rateLimitExceeded,
  type ServiceError,
  signInRequired,
} from "#core/errors.ts";
import { parseJsonObject, readText } from "../http/body.ts";

const Credentials = TypeCompiler.Compile(
  Type.Object({
    email: Type.String({ minLength: 3, maxLength: 320 }),
    password: Type.String({ minLength: 1, maxLength: 1_000 }),
  }),
);

/** How long the library's own limit lasts where it does not say so. */
const RETRY_SECONDS = 60;

/** @throws ServiceError 400 unless the body names an e-mail address and a password */
export async function readCredentials(request: Request): Promise<{ email: string; password: string }> {
  const body = parseJsonObject(await readText(request));
  if (Credentials.Check(body)) return { email: body.email, password: body.password };
  const [param = "email"] = Credentials.Errors(body).First()?.path.split("/").slice(1) ?? [];
  throw invalidRequest(`Invalid ${param}: expected a text.`, param);
}

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
