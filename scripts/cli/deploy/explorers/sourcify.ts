// Sourcify's API, version 2 (https://docs.sourcify.dev/docs/api/), which requires no account.
import { UserError } from "../../../shared/errors.ts";
import { type Explorer, request, type Submission, TemporaryProblem } from "./explorer.ts";

type Match = { match: string | null };
type Problem = { customCode?: string; message?: string };
type Job = { isJobCompleted: boolean; contract?: Match; error?: Problem };

/** Errors if the contract is not indexed yet, or Sourcify or its node is unavailable. */
const TEMPORARY = ["contract_not_deployed", "cannot_fetch_bytecode", "rate_limit_exceeded", "internal_error"];

export function connectSourcify(url: string, submission: Submission): Explorer {
  const { chainId, address, input, contract, compiler } = submission;
  const at = (path: string) => new URL(`${url.replace(/\/+$/, "")}/v2/${path}`);

  const refusal = ({ customCode = "", message = "no reason" }: Problem): Error =>
    TEMPORARY.includes(customCode)
      ? new TemporaryProblem(message)
      : new UserError(`The contract is deployed, but ${url} rejected its source: ${message}`);

  return {
    url,
    async isVerified() {
      const { body } = await request<Partial<Match>>(at(`contract/${chainId}/${address}`));
      return typeof body.match === "string";
    },
    async submit() {
      const { status, body } = await request<Problem & { verificationId?: string }>(
        at(`verify/${chainId}/${address}`),
        {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify({
            stdJsonInput: input,
            contractIdentifier: contract,
            compilerVersion: compiler,
          }),
        },
      );
      if (body.customCode === "already_verified") return undefined;
      if (status !== 202 || body.verificationId === undefined) throw refusal(body);
      return body.verificationId;
    },
    async isFinished(verificationId) {
      const { body } = await request<Job>(at(`verify/${verificationId}`));
      if (!body.isJobCompleted) return false;
      if (typeof body.contract?.match === "string" || body.error?.customCode === "already_verified")
        return true;
      throw refusal(body.error ?? {});
    },
  };
}
