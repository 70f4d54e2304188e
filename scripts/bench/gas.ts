// `npm run bench:gas`: the gas costs of the escrow's operations (bench/gas).
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compileContracts } from "../devnet/compile-contracts.ts";
import { parseCommand } from "../shared/command-line.ts";
import { createPrivateFolder, paths, root } from "../shared/paths.ts";
import { bars } from "./gas/bars.ts";

const HELP = `Measures the gas of the escrow's operations as complete transactions in a warm steady state, and compares it with the bars,
the snapshot (contracts/gas.snapshot.json) and commerce-payments.

  npm run bench:gas -- [--update] [--json]

  --update   writes the snapshot
  --json     prints only one line of JSON, without the table

Exits with 1 if a bar is exceeded, or if a figure grew by more than 1 % without a snapshot update.`;

const { values: options } = parseCommand(HELP, {
  update: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
});

// This module is loaded only after the arguments have been validated.
const { measure } = await import("./gas/measure.ts");

const snapshotFile = join(root, "contracts/gas.snapshot.json");
const ARTIFACT = "artifacts/contracts/DeliveryVsPayment.sol/DeliveryVsPayment.json";
const MEASURED = ["contracts/DeliveryVsPayment.sol", "contracts/test/support/PlainToken.sol"];
const MAX_RUNTIME_BYTES = 24_000;

await compileContracts(join(createPrivateFolder(paths.logs), "compiler.log"), MEASURED);
const figures = await measure();
const { deployedBytecode } = JSON.parse(readFileSync(join(root, ARTIFACT), "utf8"));
const runtimeBytes = deployedBytecode.length / 2 - 1;
const { update } = options;
const snapshot: Record<string, number> = JSON.parse(readFileSync(snapshotFile, "utf8")).gas;
const failures: string[] = [];

const rows = Object.entries(bars).map(([name, { bar, theirs }]) => {
  const figure = figures[name];
  if (figure === undefined) throw new Error(`${name} was not measured`);
  if (bar !== undefined && figure > bar) failures.push(`${name}: ${figure} exceeds its bar of ${bar}`);
  const before = snapshot[name];
  if (!update && before !== undefined && figure > before * 1.01) {
    failures.push(`${name}: ${figure} is more than 1 % over the snapshot's ${before}`);
  }
  return { name, gas: figure, bar, snapshot: before, commercePayments: theirs?.[1], theirs: theirs?.[0] };
});
if (runtimeBytes > MAX_RUNTIME_BYTES) {
  failures.push(`runtime code: ${runtimeBytes} bytes exceed ${MAX_RUNTIME_BYTES}`);
}

if (!options.json) {
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
