// `npm run bench:pages`: measures the payment page on mobile and desktop, and the dashboard on desktop, with Lighthouse
// in the tests' Chromium.
import { loadavg } from "node:os";
import { join } from "node:path";
import { freePort } from "../devnet/ports.ts";
import { parseCommand } from "../shared/command-line.ts";
import { root } from "../shared/paths.ts";

const HELP = `Measures pages with Lighthouse (simulated throttling, median of several runs): the payment page on mobile and desktop, and
the dashboard's payment list and one payment on desktop.

  npm run bench:pages -- [--runs N]

  --runs N   number of runs per page (5)

Nothing else should be running: the machine's benchmarkIndex and load are printed with the figures. Exits with 1 if a bar is
missed; the payment page's bars apply to mobile.`;

const { values: options } = parseCommand(HELP, { runs: { type: "string", default: "5" } });

// These modules are loaded only after the arguments have been validated.
const { startBrowser } = await import("#test/browser/support/chromium.ts");
const { Client } = await import("#test/api/support/client.ts");
const { create } = await import("#test/api/support/payments.ts");
const { signIn } = await import("#test/api/support/session.ts");
const { startStack } = await import("#test/support/stack.ts");

type Report = {
  categories: Record<"performance" | "accessibility" | "best-practices", { score: number }>;
  audits: Record<string, { numericValue: number }>;
  environment: { benchmarkIndex: number };
};
type Figures = Record<
  "performance" | "accessibility" | "bestPractices" | "lcp" | "cls" | "tbt" | "fcp" | "benchmarkIndex",
  number
>;

/** Minimum scores; maximum times (milliseconds) and layout shifts. */
type Bars = { least: Partial<Figures>; most: Partial<Figures> };

const PHONE: Bars = {
  least: { performance: 95, accessibility: 100, bestPractices: 100 },
  most: { lcp: 1_900, cls: 0.02, tbt: 150 },
};
const DASHBOARD: Bars = {
  least: { performance: 95, accessibility: 100, bestPractices: 100 },
  most: { cls: 0.02 },
};
const NONE: Bars = { least: {}, most: {} };
const DESKTOP = "--preset=desktop";
/**
 * Maximum time in milliseconds that Lighthouse waits for the network to become idle before it measures. The dashboard's
 * event stream stays open, so that the network never becomes idle.
 */
const DASHBOARD_WAIT = "--max-wait-for-load=20000";

type Measured = { name: string; url: string; options: string[]; bars: Bars };

async function measure({ url, options }: Measured, port: number): Promise<Figures> {
  const command = [
    ...["node", join(root, "node_modules/lighthouse/cli/index.js"), url],
    ...[`--port=${port}`, "--output=json", "--quiet", "--only-categories=performance"],
    ...["--only-categories=accessibility", "--only-categories=best-practices", ...options],
  ];
  const lighthouse = Bun.spawn(command, { stdout: "pipe", stderr: "inherit" });
  const text = await new Response(lighthouse.stdout).text();
  if ((await lighthouse.exited) !== 0) throw new Error("Lighthouse failed.");
  const { categories, audits, environment } = JSON.parse(text) as Report;
  const figure = (name: string): number => audits[name]?.numericValue ?? Number.NaN;
  return {
    performance: categories.performance.score * 100,
    accessibility: categories.accessibility.score * 100,
    bestPractices: categories["best-practices"].score * 100,
    lcp: figure("largest-contentful-paint"),
    cls: figure("cumulative-layout-shift"),
    tbt: figure("total-blocking-time"),
    fcp: figure("first-contentful-paint"),
    benchmarkIndex: environment.benchmarkIndex,
  };
}

function computeMedian(runs: Figures[], name: keyof Figures): number {
  const sorted = runs.map((run) => run[name]).sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

function missedBy({ bars }: Measured, name: keyof Figures, value: number): string | undefined {
  const [least, most] = [bars.least[name], bars.most[name]];
  if (least !== undefined && !(value >= least)) return `at least ${least}`;
  if (most !== undefined && !(value <= most)) return `at most ${most}`;
  return undefined;
}

const stack = await startStack({
  node: "hardhat",
  blockIntervalMs: 1_000,
  roles: ["indexer", "api"],
  env: { LOG_LEVEL: "warn", RATE_LIMIT_ADDRESS: "1000000000" },
});
const port = await freePort();
const browser = await startBrowser([`--remote-debugging-port=${port}`]);
try {
  const client = new Client(stack.baseUrl, stack.merchants[0]?.apiKey);
  const { id, data } = await create(client, { description: "Two oak chairs, order 2041" });
  await Promise.all(Array.from({ length: 20 }, () => create(client, { description: "Chair" })));
  const { cookie } = await signIn(stack);
  const origin = new URL(stack.baseUrl).origin;
  const dashboard = (name: string, path: string): Measured => ({
    name: `dashboard, ${name}, desktop`,
    url: `${origin}/dashboard${path}`,
    options: [DESKTOP, DASHBOARD_WAIT, `--extra-headers=${JSON.stringify({ Cookie: cookie })}`],
    bars: DASHBOARD,
  });
  const pages: Measured[] = [
    { name: "payment page, phone", url: data.paymentUrl, options: [], bars: PHONE },
    { name: "payment page, desktop", url: data.paymentUrl, options: [DESKTOP], bars: NONE },
    dashboard("payments", "/payments"),
    dashboard("one payment", `/payments/${id}`),
  ];
  for (const page of pages) {
    const runs: Figures[] = [];
    while (runs.length < Number(options.runs)) runs.push(await measure(page, port));
    console.log(`\n${page.name}, median of ${runs.length}, load ${loadavg()[0]?.toFixed(1)}`);
    for (const name of Object.keys(runs[0] ?? {}) as (keyof Figures)[]) {
      const value = computeMedian(runs, name);
      const missed = missedBy(page, name, value);
      if (missed !== undefined) process.exitCode = 1;
      const all = runs.map((run) => Math.round(run[name] * 1_000) / 1_000).join(" ");
      console.log(
        `  ${name.padEnd(15)} ${Math.round(value * 1_000) / 1_000}  (${all})${missed ? `  MISSED: ${missed}` : ""}`,
      );
    }
  }
} finally {
  await browser.close();
  await stack.stop();
}
// Exits even if clients still hold connections open, like the other benchmarks.
process.exit();
