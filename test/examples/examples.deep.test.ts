// Runs the examples as users do, with the SDK from its tarball, against one gateway.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Subprocess } from "bun";
import { expect } from "chai";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { packSdk } from "#scripts/cli/sdk/build.ts";
import { freePort } from "#scripts/devnet/ports.ts";
import { root } from "#scripts/shared/paths.ts";
import { until } from "#scripts/shared/wait.ts";
import { Gateway } from "#sdk/index.ts";
import { GOOD } from "../api/support/payments.ts";
import { startBrowser } from "../browser/support/chromium.ts";
import { walletOf } from "../browser/support/payer.ts";
import { type SharedStack, sharedStack } from "../support/shared-stack.ts";

let stack: SharedStack;
let gateway: Gateway;
let folder: string;
const running: Subprocess[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "examples-"));
  [stack] = await Promise.all([sharedStack(), installExamples()]);
  gateway = new Gateway({ baseUrl: stack.baseUrl, apiKey: stack.merchants[0]?.apiKey });
});
afterAll(async () => {
  for (const child of running) child.kill();
  await Promise.all(running.map(({ exited }) => exited));
  await stack?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Installs the SDK from its tarball and all other packages from the repository, like npm but without a registry. */
async function installExamples(): Promise<void> {
  cpSync(join(root, "examples"), folder, { recursive: true });
  await packSdk(folder);
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, "@delivery-versus-payment"), { recursive: true });
  symlinkSync(join(folder, "package"), join(modules, "@delivery-versus-payment/sdk"));
  for (const name of ["viem", "ethers"]) symlinkSync(join(root, "node_modules", name), join(modules, name));
}

type Started = { child: Subprocess; output: () => string };

function start(example: string, env: Record<string, string>, args: string[] = []): Started {
  let output = "";
  const child = Bun.spawn([process.execPath, join(folder, example, "main.ts"), ...args], {
    cwd: join(folder, example),
    env: { ...process.env, GATEWAY_URL: stack.baseUrl, ...env },
    stdout: "pipe",
    stderr: "pipe",
  });
  const decoder = new TextDecoder();
  const read = async (stream: ReadableStream<Uint8Array>) => {
    for await (const chunk of stream) output += decoder.decode(chunk);
  };
  read(child.stdout);
  read(child.stderr);
  running.push(child);
  return { child, output: () => output };
}

async function run(example: string, env: Record<string, string>, args: string[]): Promise<string> {
  const { child, output } = start(example, env, args);
  expect(await child.exited, output()).to.equal(0);
  return output();
}

/** Waits for the text that a server prints when it is ready. */
const untilPrinted = ({ output }: Started, text: RegExp): Promise<RegExpExecArray> =>
  until(async () => text.exec(output()), { what: `${text} being printed`, timeoutMs: 30_000 });

const createPayment = (changes: object = {}) => gateway.paymentIntents.create({ ...GOOD, ...changes });

describe("the example", () => {
  it.each(["payer-viem", "payer-ethers"])("%s pays", async (example) => {
    const { id } = await createPayment();
    const output = await run(example, { PAYER_KEY: generatePrivateKey() }, [id]);
    expect(output)
      .to.include("Paying 100.00 USDC as 0x")
      .and.to.match(/In escrow, by transaction 0x[0-9a-f]{64}/);
    expect((await gateway.paymentIntents.retrieve(id)).status).to.equal("SUCCEEDED");
  });

  it("merchant-server creates a payment for an order, once, and ships it when it is funded", async () => {
    const apiKey = stack.merchants[0]?.apiKey ?? "";
    const shop = start("merchant-server", { GATEWAY_KEY: apiKey, PORT: "0" });
    const [, url] = await untilPrinted(shop, /The shop is open at (\S+)/);
    const id = /value="([\w-]+)"/.exec(await (await fetch(`${url}/`)).text())?.[1] ?? "";
    const order = () =>
      fetch(`${url}/orders`, { method: "POST", body: new URLSearchParams({ id }), redirect: "manual" });
    const [first, second] = [await order(), await order()];
    expect(first.status).to.equal(303);
    const paymentUrl = new URL(first.headers.get("location") ?? "");
    expect(second.headers.get("location")).to.equal(paymentUrl.href);
    const intentId = paymentUrl.searchParams.get("intent") ?? "";
    expect(await (await fetch(`${url}/orders/${id}`)).text()).to.include("Status: ordered");
    await run("payer-viem", { PAYER_KEY: generatePrivateKey() }, [intentId]);
    await untilPrinted(shop, new RegExp(`Order ${id} is shipped`));
    expect(await (await fetch(`${url}/orders/${id}`)).text()).to.include("Status: shipped");
    expect((await gateway.escrow.retrieve(intentId)).data.orderStatus).to.equal("SHIPPED");
    const forged = await fetch(`${url}/webhooks`, { method: "POST", body: "{}" });
    expect(forged.status).to.equal(400);
  });

  it("webhook-receiver accepts only what the gateway signs, also with a rotated secret", async () => {
    const port = await freePort();
    const endpoint = await gateway.webhookEndpoints.create({ url: `http://localhost:${port}/` });
    const { secret } = await gateway.webhookEndpoints.rotateSecret(endpoint.id, { overlap: 0 });
    const receiver = start("webhook-receiver", {
      WEBHOOK_SECRET: `${endpoint.secret},${secret}`,
      PORT: String(port),
    });
    await untilPrinted(receiver, /Listening on/);
    await gateway.webhookEndpoints.sendTestEvent(endpoint.id);
    const [, eventId = ""] = await untilPrinted(receiver, /webhook\.test (evt_\w+)/);
    const forged = await fetch(`http://localhost:${port}/`, {
      method: "POST",
      headers: {
        "webhook-id": eventId,
        "webhook-timestamp": String(Math.floor(Date.now() / 1_000)),
        "webhook-signature": `v1,${btoa("forged")}`,
      },
      body: "{}",
    });
    expect(forged.status).to.equal(400);
    await gateway.webhookEndpoints.delete(endpoint.id);
  });

  it("oracle proves delivery on the contract, which releases the money", async () => {
    const { id } = await createPayment({ deliveryOracle: stack.oracle.address, autoRelease: true });
    await run("payer-ethers", { PAYER_KEY: generatePrivateKey() }, [id]);
    const environment = { ORACLE_KEY: stack.oracle.privateKey, RPC_URL: stack.rpcUrl };
    expect(await run("oracle", environment, [id, "signed by J. Doe"])).to.include("Proof success");
    const { releasedAt } = await until(
      async () => {
        const { data } = await gateway.escrow.retrieve(id);
        return data.releasedAt === null ? null : data;
      },
      { what: "the money being released", timeoutMs: 30_000 },
    );
    expect(releasedAt).to.be.a("string");
  });

  it("own-checkout pays from another origin, in a browser", async () => {
    const { outputs, success } = await Bun.build({
      entrypoints: [join(folder, "own-checkout/index.html")],
      target: "browser",
    });
    expect(success).to.equal(true);
    const files = new Map(outputs.map((file) => [`/${file.path.replace(/^.*\//, "")}`, file]));
    const server = Bun.serve({
      port: 0,
      fetch: ({ url }) => {
        const { pathname } = new URL(url);
        const file = files.get(pathname === "/" ? "/index.html" : pathname);
        return file ? new Response(file) : new Response(null, { status: 404 });
      },
    });
    const browser = await startBrowser();
    try {
      const { id } = await createPayment({ amount: "7.00" });
      const account = privateKeyToAccount(generatePrivateKey());
      const wallet = walletOf(stack, { account, announced: false });
      const context = await browser.newContext();
      await wallet.join(context);
      const page = await context.newPage();
      await page.goto(`${server.url}?gateway=${encodeURIComponent(stack.baseUrl)}&intent=${id}`);
      await page.getByRole("heading", { name: "7.00 USDC" }).waitFor();
      await page.getByRole("button", { name: "Pay" }).click();
      await page.getByText("Paid: your money is in escrow.").waitFor({ timeout: 30_000 });
      expect((await gateway.paymentIntents.retrieve(id)).data.signerAddress).to.equal(account.address);
    } finally {
      await browser.close();
      await server.stop(true);
    }
  });
});
