// A signed-in dashboard user who sends requests like the dashboard page.
import { expect } from "chai";
import type { RunningStack } from "../../support/shared-stack.ts";
import { Client } from "./client.ts";
import { originOf } from "./routes.ts";

export type Login = { email: string; password: string };

/** Attempts to sign in with the same request as a browser. */
export const attempt = (
  stack: RunningStack,
  { email, password }: Login,
  headers: Record<string, string> = {},
): Promise<Response> =>
  fetch(`${originOf(stack)}/dashboard/auth/sign-in/email`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Origin: originOf(stack), ...headers },
    body: JSON.stringify({ email, password }),
  });

/** Returns the cookies that a browser sends back. */
export const cookieOf = (response: Response): string =>
  response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(";", 1)[0])
    .join("; ");

export class SessionClient extends Client {
  constructor(
    baseUrl: string,
    readonly cookie: string,
    readonly mode = "test",
  ) {
    super(baseUrl);
  }

  override credentials(): Record<string, string> {
    return { Cookie: this.cookie, "X-Dashboard-Mode": this.mode, Origin: new URL(this.baseUrl).origin };
  }
}

export async function signIn(stack: RunningStack, login: Login = stack.dashboard): Promise<SessionClient> {
  const response = await attempt(stack, login);
  expect(response.status, await response.clone().text()).to.equal(200);
  return new SessionClient(stack.baseUrl, cookieOf(response));
}
