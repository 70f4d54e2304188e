// Etherscan's API, version 2 (https://docs.etherscan.io/contract-verification/verify-with-api), which Blockscout also
// implements.
import { UserError } from "../../../shared/errors.ts";
import { type Explorer, request, type Submission, TemporaryProblem } from "./explorer.ts";

type Answer = { status: string; result: string | { SourceCode?: string }[] };

const TEMPORARY = /unable to locate contractcode|rate limit|try again|timeout|busy/i;

export function connectEtherscan(url: string, submission: Submission, apiKey: string | undefined): Explorer {
  const { address, chainId } = submission;

  const ask = async (action: string, parameters: Record<string, string>, form?: Record<string, string>) => {
    const target = new URL(url);
    const query = { chainid: String(chainId), module: "contract", action, ...parameters };
    for (const [name, value] of Object.entries(query)) target.searchParams.set(name, value);
    if (apiKey !== undefined) target.searchParams.set("apikey", apiKey);
    const init = form && { method: "POST", body: new URLSearchParams(form) };
    const { body } = await request<Answer>(target, init);
    const text = typeof body.result === "string" ? body.result : "";
    if (TEMPORARY.test(text)) throw new TemporaryProblem(text);
    return { ok: body.status === "1", result: body.result, text };
  };

  return {
    url,
    async isVerified() {
      const { ok, result } = await ask("getsourcecode", { address });
      return ok && Array.isArray(result) && Boolean(result[0]?.SourceCode);
    },
    async submit() {
      const constructorArguments = submission.constructorArguments.slice(2);
      const { ok, text } = await ask(
        "verifysourcecode",
        {},
        {
          contractaddress: address,
          sourceCode: JSON.stringify(submission.input),
          codeformat: "solidity-standard-json-input",
          contractname: submission.contract,
          compilerversion: `v${submission.compiler}`,
          constructorArguments,
          // The older parameter name, which Blockscout uses.
          constructorArguements: constructorArguments,
        },
      );
      if (/already verified/i.test(text)) return undefined;
      if (!ok) throw refusal(url, text);
      return text;
    },
    async isFinished(guid) {
      const { text } = await ask("checkverifystatus", { guid });
      if (/^pass|already verified/i.test(text)) return true;
      if (/^pending|in progress/i.test(text)) return false;
      throw refusal(url, text);
    },
  };
}

const refusal = (url: string, text: string) =>
  new UserError(`The contract is deployed, but ${url} rejected its source: ${text}`);
