// Tests the parsing of the test tools' reports.
import { expect, test } from "bun:test";
import {
  countsOfCoverage,
  countsOfHardhat,
  countsOfJunit,
  failuresOfBun,
  sum,
  withExitCode,
} from "./counts.ts";

test("a JUnit report's totals are read only from its root", () => {
  const xml = `<?xml version="1.0"?><testsuites name="bun test" tests="7" assertions="9" failures="2" skipped="1" time="1.2">
    <testsuite name="a" tests="3" failures="1" skipped="0"></testsuite></testsuites>`;
  expect(countsOfJunit(xml)).toEqual({ passed: 4, failed: 2 });
});

test("a file that is not a JUnit report is an error, not zero tests", () => {
  expect(() => countsOfJunit("")).toThrow("no totals");
});

test("Hardhat's totals are read despite its colors", () => {
  expect(countsOfHardhat("\n\x1b[32m  12 passing\x1b[39m\n\x1b[31m  2 failing\x1b[39m\n")).toEqual({
    passed: 12,
    failed: 2,
  });
  expect(countsOfHardhat("  3 passing (1s)\n")).toEqual({ passed: 3, failed: 0 });
});

test("Hardhat output without totals is an error", () => {
  expect(() => countsOfHardhat("Compilation failed")).toThrow("no totals");
});

test("a file passes the coverage report if it is listed and all its lines and statements were run", () => {
  const report = `
║ File Path                         │ Line % │ Statement % │ Uncovered Lines ║
║ contracts/parts/Guard.sol         │ 100.00 │ 100.00      │ -               ║
║ contracts/parts/Orders.sol        │ 100.00 │ 99.12       │ -               ║
║ contracts/parts/Refunds.sol       │ 97.00  │ 100.00      │ 12, 14          ║
║ Total                             │ 99.00  │ 99.71       │                 ║`;
  expect(countsOfCoverage(report, ["contracts/parts/Guard.sol"])).toEqual({ passed: 1, failed: 2 });
  expect(countsOfCoverage(report, ["contracts/parts/Payout.sol"])).toEqual({ passed: 1, failed: 3 });
  expect(countsOfCoverage("", ["contracts/parts/Guard.sol"])).toEqual({ passed: 0, failed: 1 });
});

test("a bad exit code counts as a failure unless a failed test explains it", () => {
  expect(withExitCode({ passed: 5, failed: 0 }, 1)).toEqual({ passed: 5, failed: 1 });
  expect(withExitCode({ passed: 5, failed: 2 }, 1)).toEqual({ passed: 5, failed: 2 });
  expect(withExitCode({ passed: 5, failed: 0 }, 0)).toEqual({ passed: 5, failed: 0 });
});

test("Bun's errors are kept with the names of the failed tests", () => {
  const output = `
test/a.test.ts:
(pass) one > ok
(fail) one > bad [0.35ms]

test/b.test.ts:
(pass) x

test/a.test.ts:
error: expect(received).toBe(expected)
      at <anonymous> (test/a.test.ts:2:10)
(pass) one > late

1 tests failed:
(fail) one > bad [0.35ms]

 3 pass`;
  expect(failuresOfBun(output, 1)).toEqual([
    "error: expect(received).toBe(expected)\n      at <anonymous> (test/a.test.ts:2:10)",
    "(fail) one > bad [0.35ms]",
  ]);
  expect(failuresOfBun("(pass) one\n\n 1 pass", 0)).toEqual([]);
  expect(failuresOfBun("(pass) one\npanic: out of memory\n", 134)).toEqual([
    "(pass) one\npanic: out of memory",
  ]);
});

test("a run without any test counts as a failure", () => {
  expect(withExitCode({ passed: 0, failed: 0 }, 0)).toEqual({ passed: 0, failed: 1 });
});

test("totals add up", () => {
  expect(
    sum([
      { passed: 1, failed: 0 },
      { passed: 2, failed: 3, failures: ["error: boom"] },
    ]),
  ).toEqual({ passed: 3, failed: 3, failures: ["error: boom"] });
  expect(sum([])).toEqual({ passed: 0, failed: 0, failures: [] });
});
