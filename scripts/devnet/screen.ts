// Terminal output: one line per start-up step, one screen when the gateway is ready, and notices afterwards.
import type { LocalFile } from "./local-file.ts";

const NAME_WIDTH = 44;
const live = process.stdout.isTTY === true;
const bold = (text: string) => (live ? `\x1b[1m${text}\x1b[0m` : text);
const clearLine = "\r\x1b[K";

const underWay = new Set<string>();

/** Runs a step and prints its line with its duration; a terminal shows the step in progress. */
export async function step<T>(name: string, work: () => Promise<T>): Promise<T> {
  const start = performance.now();
  underWay.add(name);
  showUnderWay();
  try {
    const result = await work();
    underWay.delete(name);
    printLine(`  ✓ ${name.padEnd(NAME_WIDTH)}${seconds(performance.now() - start).padStart(8)}`);
    return result;
  } catch (error) {
    underWay.delete(name);
    printLine(`  ✗ ${name}`);
    throw error;
  }
}

/** Prints one line about an event while the gateway runs. */
export function notice(line: string): void {
  printLine(`  ${new Date().toTimeString().slice(0, 8)}  ${line}`);
}

export function printLine(line: string): void {
  if (live) process.stdout.write(clearLine);
  console.log(line);
  showUnderWay();
}

export function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

/** Builds the screen that explains how to use the gateway. */
export function readyScreen(local: LocalFile, docsUrl: string, tookMs: number): string {
  const apiKey = local.merchants[0]?.apiKey ?? "";
  return `
  ${bold("The gateway is ready")} (${seconds(tookMs)}).

    API            ${bold(local.baseUrl)}
    API key        ${bold(apiKey)}
    Dashboard      ${bold(local.dashboard.url)}  (${local.dashboard.email}, ${local.dashboard.password})
    Payment page   ${local.paymentPageUrl}
    API docs       ${docsUrl}
    Chain          ${local.rpcUrl} (id ${local.chainId}, a block a second)

  Create a payment intent:

    curl -s ${local.baseUrl}/payment-intents \\
      -H 'X-API-Key: ${apiKey}' \\
      -H 'Content-Type: application/json' \\
      -d '{"amount":"100.00","currency":"USDC","type":"DELIVERY_VS_PAYMENT","settlementMethod":"OFF_RAMP_MOCK","settlementDestination":"bank_account_123"}'

  Watch a full payment, from another terminal:   npm run demo
  Keys and addresses for tools: .data/local.json   Logs: .data/logs   Stop: Ctrl-C
`;
}

function showUnderWay(): void {
  if (live && underWay.size > 0) process.stdout.write(`  … ${[...underWay].join(", ")}`);
}
