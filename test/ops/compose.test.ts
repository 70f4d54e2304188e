// Checks compose.yaml without Docker, and the units in docs/deployment.md without systemd. Their processes must exist,
// and the settings of each must be a configuration with which it can start.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { expect } from "chai";
import { readConfig } from "#core/config/config.ts";
import { root } from "#scripts/shared/paths.ts";

type Service = {
  image: string;
  command?: string[];
  restart: string;
  environment: Record<string, string>;
  env_file?: string[];
  secrets?: string[];
  volumes?: string[];
  healthcheck?: { test: string[] };
  stop_grace_period?: string;
};

type Compose = { services: Record<string, Service>; secrets: Record<string, { file: string }> };

const { services, secrets } = Bun.YAML.parse(readFileSync(join(root, "compose.yaml"), "utf8")) as Compose;
const roles = Object.entries(services).filter(([, { image }]) => image === "delivery-versus-payment");
const RUN_SECRETS = "/run/secrets/";
/** Time without data after which the API closes a connection, in milliseconds. */
const LONGEST_REQUEST_MS = 30_000;

/** A valid replacement for each secret. */
const { publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const VALUES: Record<string, string> = {
  database_url: "postgres://gateway_service:secret@postgres/gateway",
  database_owner_url: "postgres://gateway:secret@postgres/gateway",
  rpc_url: "https://node.example/key",
  operator_key: `0x${"4".repeat(64)}`,
  guardian_key: `0x${"9".repeat(64)}`,
  webhook_secret_key: "ab".repeat(32),
  dashboard_secret: "cd".repeat(32),
  off_ramp_api_key: "a key",
  off_ramp_webhook_key: publicKey.export({ type: "spki", format: "pem" }).toString(),
};

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "compose-"));
  for (const [name, value] of Object.entries(VALUES)) writeFileSync(join(folder, name), `${value}\n`);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Values that the operator must fill in where the examples have an invalid zero address. */
const FILLED_IN: Record<string, string> = { ARBITER_ADDRESS: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8" };

const exampleOf = (file: string): Record<string, string> =>
  Object.fromEntries(
    readFileSync(join(root, "deploy", `${file}.example`), "utf8")
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"))
      .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)] as const)
      .map(([name, value]) => [name, FILLED_IN[name] ?? value]),
  );

/** Returns a process's environment, with its secrets in the test's folder. */
function environmentOf({ environment, env_file: files = [] }: Service): Record<string, string> {
  const settings = Object.entries(environment).map(([name, value]) => [
    name,
    value.replace(RUN_SECRETS, `${folder}/`),
  ]);
  return Object.assign({}, ...files.map(exampleOf), Object.fromEntries(settings)) as Record<string, string>;
}

describe("compose.yaml", () => {
  it("has a database, one indexer, two instances of each serving role and a proxy, with health checks", () => {
    expect(Object.keys(services)).to.have.members([
      "postgres",
      "migrate",
      "indexer",
      "api",
      "settlement",
      "proxy",
    ]);
    expect(services.api).to.have.nested.property("deploy.replicas", 2);
    expect(services.settlement).to.have.nested.property("deploy.replicas", 2);
    for (const [name, { healthcheck }] of Object.entries(services)) {
      if (name !== "migrate") expect(healthcheck?.test[0], name).to.equal("CMD");
    }
  });

  it.each(roles)("starts %s with an existing file and a usable configuration", (_, service) => {
    expect(service.command?.[0]).to.equal("bun");
    expect(existsSync(join(root, service.command?.[1] ?? ""))).to.equal(true);
    const config = readConfig(environmentOf(service));
    expect(config).to.include({ environment: "production", mode: "live" });
    expect(config.databaseUrl).to.include("@postgres/");
  });

  it.each(roles)("gives %s enough time to drain and to respond to received requests", (_, service) => {
    expect(service.stop_grace_period).to.match(/^\d+s$/);
    const graceMs = 1_000 * Number.parseInt(service.stop_grace_period ?? "", 10);
    expect(graceMs).to.be.above(readConfig(environmentOf(service)).drainMs + LONGEST_REQUEST_MS);
  });

  it("gives each service only the secrets that it reads", () => {
    for (const [name, { environment, secrets: given = [] }] of Object.entries(services)) {
      const read = Object.values(environment).filter((value) => String(value).startsWith(RUN_SECRETS));
      const known = name === "postgres" ? ["service_password"] : [];
      expect(given, name).to.have.members([...read.map((value) => basename(value)), ...known]);
      for (const secret of given) expect(secrets[secret]).to.deep.equal({ file: `secrets/${secret}` });
    }
  });

  it("mounts only existing files", () => {
    const mounted = Object.values(services).flatMap(({ volumes = [] }) => volumes);
    for (const source of mounted.map((volume) => volume.split(":", 1)[0] ?? "")) {
      if (source.startsWith("./")) expect(existsSync(join(root, source)), source).to.equal(true);
    }
  });
});

describe("the systemd unit in docs/deployment.md", () => {
  const [, unit = ""] =
    /```ini\n([\s\S]*?)```/.exec(readFileSync(join(root, "docs/deployment.md"), "utf8")) ?? [];
  const lines = (name: string) =>
    [...unit.matchAll(new RegExp(`^${name}=(.*)$`, "gm"))].map(([, value = ""]) => value);
  const credentials = lines("LoadCredential").map((line) => line.split(":")[0] ?? "");
  /** Returns the unit's settings as systemd expands them: `%d` is the credentials folder, and `%i` is the instance. */
  const settings = () =>
    Object.fromEntries(
      lines("Environment")
        .flatMap((line) => line.split(" "))
        .map((pair) => pair.replaceAll("%d", folder).replaceAll("%i", "1"))
        .map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)] as const),
    );
  /** Returns the settings of the settlement role's unit, which is documented as the API's unit with these changes. */
  const settlement = () => {
    const { PORT: _port, DASHBOARD_SECRET_FILE: _secret, ...shared } = settings();
    return { ...shared, SETTLEMENT_PORT: "42071" };
  };
  const examples = () => ({ ...exampleOf("gateway.env"), ...exampleOf("off-ramp.env") });

  it("starts an existing process, and gives it only the secrets that it reads", () => {
    const [command = ""] = lines("ExecStart");
    const [bun = "", script = ""] = command.split(" ");
    expect(existsSync(join(root, bun.replace("/opt/gateway/", "")))).to.equal(true);
    expect(existsSync(join(root, script))).to.equal(true);
    const read = Object.values(settings()).filter((value) => value.startsWith(`${folder}/`));
    expect(credentials).to.have.members(read.map((value) => basename(value)));
  });

  it("has enough time to drain and to respond to received requests", () => {
    const graceMs = 1_000 * Number(lines("TimeoutStopSec")[0]);
    expect(graceMs).to.be.above(readConfig({ ...examples(), ...settings() }).drainMs + LONGEST_REQUEST_MS);
  });

  it("gives the API and settlement a usable configuration, with a separate port per instance", () => {
    const api = readConfig({ ...examples(), ...settings() });
    expect(api).to.include({ environment: "production", mode: "live" });
    expect(api.http.port).to.equal(3001);
    const worker = readConfig({ ...examples(), ...settlement() });
    expect(worker.http).to.include({ settlementPort: 42_071, webhookPort: 42_080 });
    expect(worker.provider).not.to.equal(undefined);
  });
});
