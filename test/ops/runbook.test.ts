// The exported metrics match the metrics that the runbook explains and the alerts use.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { zeroAddress } from "viem";
import { Metrics } from "#api/metrics/metrics.ts";
import { connectChain } from "#core/chain/client.ts";
import { connect } from "#core/db/client.ts";
import { Drain } from "#core/runtime/shutdown.ts";
import { root } from "#scripts/shared/paths.ts";
import { createMetrics } from "#settlement/metrics.ts";
import { serveWebhooks } from "#settlement/off-ramp/serve-webhooks.ts";

type Rule = { alert: string; expr: string; annotations: { summary: string; runbook: string } };

const read = (name: string) => readFileSync(join(root, "docs", name), "utf8");

const runbook = read("runbook.md");
const rules = (Bun.YAML.parse(read("alerts.yaml")) as { groups: { rules: Rule[] }[] }).groups.flatMap(
  (group) => group.rules,
);
/** Anchors of the runbook's headings on GitHub. */
const anchors = [...runbook.matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
  title
    .toLowerCase()
    .replace(/[^\w\- ]/g, "")
    .replaceAll(" ", "-"),
);
/** Metric names from the first column of the runbook's tables. */
const explained = [...runbook.matchAll(/^\| `([a-z_]+)(?:\{[a-z_, ]+\})?` +\|/gm)].map(
  ([, name = ""]) => name,
);

let exported: string[];
const database = connect("postgres://nobody@127.0.0.1:1/none", { application: "nobody connects" });

beforeAll(async () => {
  const client = connectChain({ chain: { id: 1, rpcUrl: "http://127.0.0.1:1" } });
  const tokens = { USDC: zeroAddress, USDT: zeroAddress, DAI: zeroAddress };
  const metrics = createMetrics({
    ...{ database, client, operator: zeroAddress, guardian: undefined },
    watched: { contract: zeroAddress, offRamp: zeroAddress, tokens },
  });
  const http = { host: "127.0.0.1", port: 0, onProblem: () => undefined };
  await serveWebhooks({ ...http, metrics, drain: new Drain(), receive: async () => undefined }).stop(true);
  const api = await new Metrics([]).text();
  exported = [
    ...metrics.getMetricsAsArray().map(({ name }) => name),
    ...[...api.matchAll(/^# TYPE (\S+)/gm)].map(([, name = ""]) => name),
  ];
});
afterAll(() => database.$client.end());

describe("the runbook", () => {
  it("explains exactly the exported metrics", () => {
    expect(explained.toSorted()).to.deep.equal(exported.toSorted());
  });

  it("names each metric's alert, and what to do about it", () => {
    for (const { alert, annotations } of rules) {
      expect(runbook, alert).to.include(`\`${alert}\``);
      const [file, anchor] = annotations.runbook.split("#");
      expect(file).to.equal("docs/runbook.md");
      expect(anchors, alert).to.include(anchor);
    }
  });

  it("has alerts on metrics that exist", () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).to.equal(rules.length);
    for (const { alert, expr } of rules) {
      const names = [...expr.matchAll(/\b[a-z]+(?:_[a-z]+)+\b/g)].map(([name]) => name);
      const metrics = names.filter((name) => !["histogram_quantile", "min_over_time"].includes(name));
      for (const name of metrics) {
        expect(exported, alert).to.include(name.replace(/_(count|bucket|sum)$/, ""));
      }
      expect(metrics.length > 0 || expr.startsWith("up{"), alert).to.equal(true);
    }
  });
});
