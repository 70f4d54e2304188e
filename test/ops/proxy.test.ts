// deploy/Caddyfile in front of a running gateway: what is for the operator does not leave it, in any spelling of the path.
// Needs Caddy (Debian's package `caddy`) for its requests; without it these are skipped.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { type Child, childReady, startChild } from "#scripts/devnet/child.ts";
import { freePort } from "#scripts/devnet/ports.ts";
import { root } from "#scripts/shared/paths.ts";
import { answers } from "#scripts/shared/wait.ts";
import { type SharedStack, sharedStack } from "#test/support/shared-stack.ts";

const CADDYFILE = join(root, "deploy/Caddyfile");
const CADDY = Bun.which("caddy");

const HIDDEN = ["metrics", "health", "ready"];

/** Ways to write the path of such a page: what a proxy compares may differ from what the API behind it serves. */
function spell(name: string): string[] {
  const encoded = `%${name.charCodeAt(0).toString(16)}${name.slice(1)}`;
  return [
    ...[`/${name}`, `/${name}/`, `/${name}/x`, `/${name}//`, `//${name}`, `///${name}/`, `/${name}?a=b`],
    ...[`/${name.toUpperCase()}`, `/${encoded}`, `/%2f${name}`, `/${name}%2f`, `/${name}%2fx`],
    ...[`/./${name}`, `/../${name}`, `/${name}/.`, `/${name}/./`, `/x/../${name}`, `/x/%2e%2e/${name}`],
    ...[`/v1/..%2f${name}`, `/v1/%2E%2E%2f${encoded}/`, `/assets/../${name}/`],
    ...[`/webhooks/off-ramp/../../${name}`, `http://localhost/${name}/`],
    ...[`/x\\..\\${name}`, `/\\${name}`, `/x/..\\${name}/`, `/%5c${name}`],
  ];
}

/** A request exactly as it is written: fetch() would tidy its path. @returns status and body */
function request(port: number, target: string): Promise<{ status: number; body: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: string }>();
  let answer = "";
  const socket = connect(port, "127.0.0.1", () =>
    socket.write(`GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`),
  );
  socket.setEncoding("utf8").on("data", (data: string) => {
    answer += data;
  });
  socket.on("error", reject).on("close", () => {
    const [head = "", ...body] = answer.split("\r\n\r\n");
    resolve({ status: Number(head.split(" ")[1]), body: body.join("\r\n\r\n") });
  });
  return promise;
}

/** Whether it is one of the API's own pages for the operator. */
const isInside = ({ body }: { body: string }) =>
  /# TYPE |"status": ?"ok"|"(?:ready|database|indexer)":/.test(body);

describe("deploy/Caddyfile", () => {
  it("decides everything in handle blocks: Caddy sorts other directives among them", () => {
    const directives = [...readFileSync(CADDYFILE, "utf8").matchAll(/^\t([^\s#}]\S*)/gm)].map(
      ([, name]) => name,
    );
    expect(directives.filter((name) => !name?.startsWith("@"))).to.deep.equal(["handle", "handle", "handle"]);
  });
});

describe.skipIf(CADDY === null)("deploy/Caddyfile, run by Caddy", () => {
  let stack: SharedStack;
  let folder: string;
  let caddy: Child | undefined;
  let port: number;
  let api: number;

  /** What Caddy makes of the file, with our processes in the place of the containers that it finds by name. */
  function adapted(): object {
    const { stdout, exitCode, stderr } = Bun.spawnSync(
      [CADDY ?? "", "adapt", "--config", CADDYFILE, "--adapter", "caddyfile"],
      { env: { ...process.env, SITE_ADDRESS: `http://localhost:${port}` } },
    );
    expect(exitCode, stderr.toString()).to.equal(0);
    const ports: Record<string, number> = { api, settlement: Number(stack.environment.WEBHOOK_PORT) };
    const config = JSON.parse(stdout.toString(), (key, value) => {
      if (key === "listen") return [`127.0.0.1:${port}`];
      if (value?.handler !== "reverse_proxy") return value;
      const { dynamic_upstreams: found, ...proxy } = value;
      return { ...proxy, upstreams: [{ dial: `127.0.0.1:${ports[found.name]}` }] };
    });
    return { ...config, admin: { disabled: true, config: { persist: false } } };
  }

  beforeAll(async () => {
    stack = await sharedStack();
    folder = mkdtempSync(join(tmpdir(), "caddy-"));
    api = Number(stack.environment.PORT);
    port = await freePort();
    const config = join(folder, "caddy.json");
    writeFileSync(config, JSON.stringify(adapted()));
    caddy = await startChild({
      name: "Caddy",
      command: [CADDY ?? "", "run", "--config", config],
      env: { HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder },
      log: join(folder, "caddy.log"),
    });
    await childReady(caddy, 30_000, () => answers(`http://localhost:${port}/docs`));
  });

  afterAll(async () => {
    await caddy?.stop();
    await stack?.stop();
    rmSync(folder, { recursive: true });
  });

  it("is before an API that serves these pages, in more than one spelling", async () => {
    for (const name of HIDDEN) {
      expect(isInside(await request(api, `/${name}`)), name).to.equal(true);
      expect(isInside(await request(api, `/x/../${name}/`)), name).to.equal(true);
    }
  });

  it.each(HIDDEN)("hides /%s, however it is written", async (name) => {
    const shown: string[] = [];
    for (const target of spell(name)) {
      const answer = await request(port, target);
      if (answer.status !== 404 || isInside(answer)) shown.push(target);
    }
    expect(shown).to.deep.equal([]);
  });

  it("lets everything else through", async () => {
    for (const page of ["/docs", "/docs/json", "/dashboard", "/dashboard/payments"])
      expect((await request(port, page)).status, page).to.equal(200);
    for (const path of ["/v1/payment-intents", "/api/v1/payment-intents", "/v1/payment-intents/metrics"])
      expect((await request(port, path)).status, path).to.equal(401);
    const webhook = await fetch(`http://localhost:${port}/webhooks/off-ramp`, { method: "POST", body: "{}" });
    expect(webhook.status).to.equal(401);
  });
});
