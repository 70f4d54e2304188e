// Runs deploy/Caddyfile in front of a gateway and checks that the operator's pages stay hidden under any
// spelling of the path.
// The requests need Caddy (Debian's package `caddy`); without it they are skipped.
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

/** Returns spellings of a page's path. The proxy may match a different path than the one that the API serves. */
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

/** Sends the request target verbatim, because fetch() would normalize the path. @returns the status and the body */
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

/** Whether the response is one of the API's operator pages. */
const isInside = ({ body }: { body: string }) =>
  /# TYPE |"status": ?"ok"|"(?:ready|database|indexer)":/.test(body);

describe("deploy/Caddyfile", () => {
  it("uses only handle blocks, because Caddy reorders other directives", () => {
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

  /** Returns the config that Caddy builds from the file, with local ports instead of the containers' host names. */
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

  it("proxies an API that serves these pages under more than one spelling", async () => {
    for (const name of HIDDEN) {
      expect(isInside(await request(api, `/${name}`)), name).to.equal(true);
      expect(isInside(await request(api, `/x/../${name}/`)), name).to.equal(true);
    }
  });

  it.each(HIDDEN)("hides /%s in every spelling", async (name) => {
    const shown: string[] = [];
    for (const target of spell(name)) {
      const answer = await request(port, target);
      if (answer.status !== 404 || isInside(answer)) shown.push(target);
    }
    expect(shown).to.deep.equal([]);
  });

  it("forwards every other request", async () => {
    for (const page of ["/docs", "/docs/json", "/dashboard", "/dashboard/payments"])
      expect((await request(port, page)).status, page).to.equal(200);
    for (const path of ["/v1/payment-intents", "/api/v1/payment-intents", "/v1/payment-intents/metrics"])
      expect((await request(port, path)).status, path).to.equal(401);
    const webhook = await fetch(`http://localhost:${port}/webhooks/off-ramp`, { method: "POST", body: "{}" });
    expect(webhook.status).to.equal(401);
  });
});
