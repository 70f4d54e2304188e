// Measures what the escrow's operations cost as whole transactions in a warm steady state (bench/gas), and compares them
// with the bars, with the snapshot (contracts/gas.snapshot.json), and with what commerce-payments costs.
// Usage: bench-gas.ts [--update] [--json]. Prints a table, then the same as one line of JSON; with --json that alone.
// Exits 1 when a bar is passed, or when a figure grew by more than 1 % and the snapshot was not changed.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bars } from "./bench/gas/bars.ts";
import { measure } from "./bench/gas/measure.ts";
import { root } from "./local/paths.ts";

const snapshotFile = join(root, "contracts/gas.snapshot.json");
const ARTIFACT = "artifacts/contracts/DeliveryVsPayment.sol/DeliveryVsPayment.json";
const MAX_RUNTIME_BYTES = 20 * 1024;

const figures = await measure();
const { deployedBytecode } = JSON.parse(readFileSync(join(root, ARTIFACT), "utf8"));
const runtimeBytes = deployedBytecode.length / 2 - 1;
const update = process.argv.includes("--update");
const snapshot: Record<string, number> = JSON.parse(readFileSync(snapshotFile, "utf8")).gas;
const failures: string[] = [];

const rows = Object.entries(bars).map(([name, { bar, theirs }]) => {
  const figure = figures[name];
  if (figure === undefined) throw new Error(`${name} was not measured`);
  if (bar !== undefined && figure > bar) failures.push(`${name}: ${figure} is over its bar of ${bar}`);
  const before = snapshot[name];
  if (!update && before !== undefined && figure > before * 1.01) {
    failures.push(`${name}: ${figure} is more than 1 % over the snapshot's ${before}`);
  }
  return { name, gas: figure, bar, snapshot: before, commercePayments: theirs?.[1], theirs: theirs?.[0] };
});
if (runtimeBytes > MAX_RUNTIME_BYTES) {
  failures.push(`runtime code: ${runtimeBytes} bytes are over ${MAX_RUNTIME_BYTES}`);
}

if (!process.argv.includes("--json")) {
  console.table(
    Object.fromEntries(
      rows.map(({ name, gas, bar, snapshot, commercePayments, theirs }) => [
        name,
        {
          gas,
          bar: bar ?? "",
          snapshot: snapshot ?? "",
          "commerce-payments": theirs ? `${commercePayments} (${theirs})` : "",
        },
      ]),
    ),
  );
  console.log(`runtime code: ${runtimeBytes} of ${MAX_RUNTIME_BYTES} bytes`);
}
console.log(JSON.stringify({ runtimeBytes, maxRuntimeBytes: MAX_RUNTIME_BYTES, rows }));
if (update) {
  writeFileSync(snapshotFile, `${JSON.stringify({ runtimeBytes, gas: figures }, null, 2)}\n`);
}
for (const failure of failures) console.error(failure);
if (failures.length > 0) process.exit(1);
