// Tests source verification with misbehaving stand-ins for Etherscan and Sourcify.
import { afterEach, describe, it } from "bun:test";
import { expect } from "chai";
import { DEEP } from "#test/support/deep.ts";
import { readCompiled } from "../../../devnet/compiled.ts";
import { connectEtherscan } from "./etherscan.ts";
import { type Explorer, type Submission, verifySource } from "./explorer.ts";
import { connectSourcify } from "./sourcify.ts";
import { buildStandardInput } from "./standard-input.ts";

const ADDRESS = "0x823Af19Cd02C54bd20597Aa3BEBC5A588c6BB000";
const API_KEY = "an-api-key";
/** Scales every delay to a thousandth. */
const PACE = 0.001;

const submission: Submission = {
  chainId: 10,
  address: ADDRESS,
  constructorArguments: "0xabcd",
  input: { language: "Solidity", sources: { "project/A.sol": { content: "contract A {}" } }, settings: {} },
  contract: "project/A.sol:A",
  compiler: "0.8.37+commit.f401782d",
};

type Handler = (request: Request, url: URL) => Response | Promise<Response>;

let server: ReturnType<typeof Bun.serve> | undefined;
afterEach(() => server?.stop(true));

/** @returns the stand-in's URL, and the requests that it received, in order */
function startStandIn(handle: Handler) {
  const asked: string[] = [];
  server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      const url = new URL(request.url);
      asked.push(url.searchParams.get("action") ?? `${request.method} ${url.pathname}`);
      return handle(request, url);
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, asked };
}

/** Answers each request with the next listed response, and repeats the last one. */
function inTurn(answers: Record<string, (() => Response)[]>): (name: string) => Response {
  return (name) => {
    const [next, ...rest] = answers[name] ?? [];
    if (!next) throw new Error(`Nobody expects ${name}.`);
    if (rest.length > 0) answers[name] = rest;
    return next();
  };
}

const json =
  (body: object, status = 200) =>
  () =>
    Response.json(body, { status });
const text = (body: string, status: number) => () => new Response(body, { status });
const result = (status: "0" | "1", body: unknown) => json({ status, result: body });

async function refusalOf(explorer: Explorer): Promise<string> {
  const error = await verifySource(explorer, PACE).then(
    () => undefined,
    (problem: Error) => problem,
  );
  expect(error?.name).to.equal("UserError");
  expect(error?.message).to.not.include(API_KEY);
  return error?.message ?? "";
}

describe("Etherscan", () => {
  const UNVERIFIED = result("1", [{ SourceCode: "" }]);

  it("receives the source although every request fails once", async () => {
    const answer = inTurn({
      getsourcecode: [text("<html>", 502), text("<html>", 200), UNVERIFIED],
      verifysourcecode: [
        result("0", "Unable to locate ContractCode at 0x8"),
        result("0", "Max rate limit reached"),
        result("1", "ticket"),
      ],
      checkverifystatus: [text("", 500), result("0", "Pending in queue"), result("1", "Pass - Verified")],
    });
    let form = new URLSearchParams();
    const { url, asked } = startStandIn(async (request, { searchParams }) => {
      expect(Object.fromEntries(searchParams)).to.include({
        ...{ chainid: "10", module: "contract", apikey: API_KEY },
      });
      if (request.method === "POST") form = new URLSearchParams(await request.text());
      return answer(searchParams.get("action") ?? "");
    });
    await verifySource(connectEtherscan(url, submission, API_KEY), PACE);
    expect(asked.filter((action) => action === "verifysourcecode")).to.have.length(4);
    expect(asked.at(-1)).to.equal("checkverifystatus");
    expect(JSON.parse(form.get("sourceCode") ?? "")).to.deep.equal(submission.input);
    expect(Object.fromEntries(form)).to.include({
      contractaddress: ADDRESS,
      codeformat: "solidity-standard-json-input",
      contractname: "project/A.sol:A",
      compilerversion: "v0.8.37+commit.f401782d",
      constructorArguments: "abcd",
    });
  });

  it("does not receive a source that it already has", async () => {
    const has = inTurn({ getsourcecode: [result("1", [{ SourceCode: "contract A {}" }])] });
    const { url, asked } = startStandIn((_, { searchParams }) => has(searchParams.get("action") ?? ""));
    await verifySource(connectEtherscan(url, submission, API_KEY), PACE);
    expect(asked).to.deep.equal(["getsourcecode"]);
  });

  it("may receive the source from someone else in the meantime", async () => {
    const answer = inTurn({
      getsourcecode: [UNVERIFIED],
      verifysourcecode: [result("0", "Contract source code already verified")],
    });
    const { url } = startStandIn((_, { searchParams }) => answer(searchParams.get("action") ?? ""));
    await verifySource(connectEtherscan(url, submission, API_KEY), PACE);
  });

  it("ends the attempt when it rejects the source, and its reason is shown", async () => {
    const answer = inTurn({
      getsourcecode: [UNVERIFIED],
      verifysourcecode: [result("1", "ticket")],
      checkverifystatus: [result("0", "Fail - Unable to verify")],
    });
    const { url } = startStandIn((_, { searchParams }) => answer(searchParams.get("action") ?? ""));
    const refusal = await refusalOf(connectEtherscan(url, submission, API_KEY));
    expect(refusal).to.include("Fail - Unable to verify").and.include("The contract is deployed");
  });

  it("is skipped for now if it never responds", async () => {
    const { url, asked } = startStandIn(text("", 503));
    const refusal = await refusalOf(connectEtherscan(url, submission, API_KEY));
    expect(refusal).to.include("status 503").and.include("Run this again later");
    expect(asked).to.have.length(8);
  });
});

describe("Sourcify", () => {
  const CONTRACT = `GET /v2/contract/10/${ADDRESS}`;
  const VERIFY = `POST /v2/verify/10/${ADDRESS}`;
  const JOB = "GET /v2/verify/a-job";
  const nameOf = (request: Request, { pathname }: URL) => `${request.method} ${pathname}`;

  it("receives the source although every request fails once", async () => {
    const answer = inTurn({
      [CONTRACT]: [text("", 500), json({ match: null }, 404)],
      [VERIFY]: [
        json({ customCode: "contract_not_deployed", message: "no code" }, 400),
        json({ verificationId: "a-job" }, 202),
      ],
      [JOB]: [
        json({ isJobCompleted: false }),
        text("not JSON", 200),
        json({ isJobCompleted: true, contract: { match: "exact_match" } }),
      ],
    });
    let sent: unknown;
    const { url, asked } = startStandIn(async (request, target) => {
      if (request.method === "POST") sent = await request.json();
      return answer(nameOf(request, target));
    });
    await verifySource(connectSourcify(`${url}/`, submission), PACE);
    expect(asked.at(-1)).to.equal(JOB);
    expect(sent).to.deep.equal({
      stdJsonInput: submission.input,
      contractIdentifier: "project/A.sol:A",
      compilerVersion: "0.8.37+commit.f401782d",
    });
  });

  it("ends the attempt when it rejects the source, and its reason is shown", async () => {
    const answer = inTurn({
      [CONTRACT]: [json({ match: null }, 404)],
      [VERIFY]: [json({ verificationId: "a-job" }, 202)],
      [JOB]: [json({ isJobCompleted: true, error: { customCode: "no_match", message: "other bytecode" } })],
    });
    const { url } = startStandIn((request, target) => answer(nameOf(request, target)));
    expect(await refusalOf(connectSourcify(url, submission))).to.include("other bytecode");
  });
});

describe("the standard input", () => {
  const compiled = readCompiled();

  it("contains the escrow's sources and their imports, and no local paths", () => {
    if (!compiled)
      throw new Error("The contracts have changed since scripts/devnet/compiled.json was written.");
    const { sources } = buildStandardInput(compiled.escrow);
    expect(sources).to.include.keys("project/contracts/DeliveryVsPayment.sol");
    expect(Object.keys(sources).filter((name) => name.includes("/test/"))).to.deep.equal([]);
    for (const name of Object.keys(sources)) expect(name).to.match(/^(project|npm)\//);
  });

  it.skipIf(!DEEP)(
    "compiles to the deployed code",
    async () => {
      if (!compiled)
        throw new Error("The contracts have changed since scripts/devnet/compiled.json was written.");
      const { default: solc } = await import("solc");
      const input = buildStandardInput(compiled.escrow);
      const output = JSON.parse(solc.compile(JSON.stringify(input)));
      const [source = "", name = ""] = compiled.escrow.contract.split(":");
      const { bytecode, deployedBytecode } = output.contracts[source][name].evm;
      expect(`0x${bytecode.object}`).to.equal(compiled.contracts.DeliveryVsPayment?.bytecode);
      expect(`0x${deployedBytecode.object}`).to.equal(compiled.escrow.runtime);
    },
    600_000,
  );
});
