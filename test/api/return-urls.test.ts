// The URLs to which the payment page returns a payer (returnUrl, cancelUrl), and the account's list of allowed hosts.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { runScript } from "../support/run-script.ts";
import { type SharedStack, sharedStack } from "../support/shared-stack.ts";
import { Client, type ErrorBody, type Intent } from "./support/client.ts";
import { create, GOOD, retrieve } from "./support/payments.ts";
import { signIn } from "./support/session.ts";
import { expectError } from "./support/shapes.ts";

type Account = { id: string; object: string; data: Record<string, unknown> };
type Urls = { returnUrl?: unknown; cancelUrl?: unknown };

const RETURN = "https://shop.example.com/orders/1?paid=yes#top";
const CANCEL = "https://shop.example.com:8443/cart";

let stack: SharedStack;
let client: Client;
let stranger: Client;

/** Runs the keys command as the gateway's operator. */
const keys = (...args: string[]) =>
  runScript("keys.ts", args, { DATABASE_URL: stack.databaseUrl, GATEWAY_MODE: "test" });
const own = () => stack.merchants[0]?.merchantId ?? "";
const accountOf = async (by: Client): Promise<Account> => (await by.get<Account>("/account")).body;

beforeAll(async () => {
  stack = await sharedStack();
  client = new Client(stack.baseUrl, stack.merchants[0]?.apiKey);
  stranger = new Client(stack.baseUrl, stack.merchants[1]?.apiKey);
  const hosts = ["--return-hosts", "Shop.example.com, shop.example.com:8443"];
  const { exitCode, errors } = await keys("merchants", "update", "--merchant", own(), ...hosts);
  expect(exitCode, errors).to.equal(0);
});
afterAll(() => stack?.stop());

const ask = (urls: Urls, by = client) =>
  by.post<ErrorBody & Intent>("/payment-intents", { ...GOOD, ...urls });

describe("the account", () => {
  it("shows its merchant what payers see, in the spec's envelope", async () => {
    const account = await accountOf(client);
    expect(account).to.deep.include({ id: own(), object: "account" });
    expect(account.data).to.deep.include({
      id: own(),
      object: "account",
      logoUrl: null,
      supportEmail: null,
      returnHosts: ["shop.example.com", "shop.example.com:8443"],
      livemode: false,
    });
    expect(account.data.name).to.be.a("string").and.not.empty;
    expect(account.data.contractMerchantId).to.equal((await create(client)).data.metadata.contractMerchantId);
    expect(await accountOf(await signIn(stack))).to.deep.equal(account);
  });

  it("belongs to the caller", async () => {
    const { id, data } = await accountOf(stranger);
    expect(id).to.equal(stack.merchants[1]?.merchantId);
    expect(data.returnHosts).to.deep.equal([]);
  });

  it("is changed by the command line, with old and new values in the audit log", async () => {
    const logo = "https://shop.example.com/logo.svg";
    const update = ["merchants", "update", "--merchant", own()];
    const { exitCode } = await keys(...update, "--logo", logo, "--support", "help@shop.example.com");
    expect(exitCode).to.equal(0);
    const { data } = await accountOf(client);
    expect(data).to.deep.include({ logoUrl: logo, supportEmail: "help@shop.example.com" });
    expect(data.returnHosts).to.have.length(2);
    await keys(...update, "--logo", "", "--support", "");
    expect((await accountOf(client)).data).to.deep.include({ logoUrl: null, supportEmail: null });
    const logged = await client.get<{ data: object[] }>("/audit-logs?action=merchant.update");
    expect(logged.body.data[1]).to.deep.include({
      changes: {
        logoUrl: { from: null, to: logo },
        supportEmail: { from: null, to: "help@shop.example.com" },
      },
      actor: { type: "system", id: null },
    });
    const other = await stranger.get<{ data: object[] }>("/audit-logs?action=merchant.update");
    expect(other.body.data).to.deep.equal([]);
  });

  it.each([
    [[], "Specify at least one change"],
    [["--logo", "http://shop.example.com/logo.svg"], "--logo"],
    [["--support", "shop.example.com"], "--support"],
    [["--return-hosts", "https://shop.example.com"], "--return-hosts"],
  ])("is not changed by %j", async (options, said) => {
    const { exitCode, errors } = await keys("merchants", "update", "--merchant", own(), ...options);
    expect(exitCode).to.equal(2);
    expect(errors).to.include(said);
  });
});

describe("the return link of the payment page", () => {
  it("is the merchant's URL, in responses to the merchant and to the payer", async () => {
    const { id, data } = await create(client, { returnUrl: RETURN, cancelUrl: CANCEL });
    expect(data).to.include({ returnUrl: RETURN, cancelUrl: CANCEL });
    expect((await retrieve(client, id)).data).to.include({ returnUrl: RETURN, cancelUrl: CANCEL });
    const payer = new Client(stack.baseUrl);
    for (const path of [id, `${id}/checkout`]) {
      const { body } = await payer.get<{ data: object }>(`/payment-intents/public/${path}`);
      expect(body.data).to.include({ returnUrl: RETURN, cancelUrl: CANCEL });
    }
    expect((await create(client)).data).to.include({ returnUrl: null, cancelUrl: null });
    const once = await client.post<Intent>(
      "/payment-intents",
      { ...GOOD, returnUrl: RETURN },
      { "Idempotency-Key": `return-${id}` },
    );
    expect(once.body.data).to.include({ returnUrl: RETURN, cancelUrl: null });
  });

  it("may be local in test mode without being listed", async () => {
    for (const returnUrl of ["http://localhost:3000/done", "http://127.0.0.1:8080/"]) {
      expect((await create(stranger, { returnUrl })).data.returnUrl).to.equal(returnUrl);
    }
  });

  it.each([
    "http://shop.example.com/",
    "https://shop.example.org/",
    "https://shop.example.com@evil.example/",
    "https://shop.example.com:8444/",
    "https://shop.example.com.evil.example/",
    "javascript:alert(1)",
    "/orders/1",
    "",
    " https://shop.example.com/",
    "https:\\\\shop.example.com/",
    `https://shop.example.com/${"x".repeat(2048)}`,
    7,
  ])("is rejected with its param if it is %j", async (url) => {
    for (const param of ["returnUrl", "cancelUrl"]) {
      expectError(await ask({ [param]: url }), 400, "invalid_request", param);
    }
  });

  it("is rejected for an account that lists other hosts, reporting all errors at once", async () => {
    const answer = await ask({ returnUrl: RETURN, cancelUrl: CANCEL }, stranger);
    expectError(answer, 400, "invalid_request", "returnUrl");
    expect(answer.body.error.errors?.map(({ param }) => param)).to.deep.equal(["returnUrl", "cancelUrl"]);
    expect(answer.body.error.message).to.include("shop.example.com").and.include("/v1/account");
  });
});
