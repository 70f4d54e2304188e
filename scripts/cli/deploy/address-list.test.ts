import { describe, it } from "bun:test";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { getAddress } from "viem";
import { temporaryFolder } from "#test/support/temporary-folder.ts";
import { UserError } from "../../shared/errors.ts";
import { root } from "../../shared/paths.ts";
import { type AddressEntry, isRecorded, readAddressList, recordAddress } from "./address-list.ts";

const folder = temporaryFolder("addresses");
const newFile = () => join(mkdtempSync(`${folder}/`), "addresses.json");
const entry = (chainId: number, last: string): AddressEntry => ({
  network: "A network",
  chainId,
  address: getAddress(`0x${last.padStart(40, "0")}`),
  startBlock: 7,
});

describe("the address list", () => {
  it("has each contract once per chain, and keeps other contracts of the same network", () => {
    const file = newFile();
    const [ethereum, second, base] = [entry(1, "e5c70"), entry(1, "e5c71"), entry(8453, "e5c70")];
    for (const contract of [base, ethereum, second, ethereum]) recordAddress(file, contract);
    expect(readAddressList(file)).to.deep.equal([ethereum, second, base]);
    expect(isRecorded(file, ethereum)).to.equal(true);
    expect(isRecorded(file, entry(8453, "e5c71"))).to.equal(false);
  });

  it.each([
    ["no list", {}],
    ["an unknown field", [{ ...entry(1, "e5c70"), owner: "somebody" }]],
    [
      "an address without its checksum",
      [{ ...entry(1, "e5c70"), address: entry(1, "abcdef").address.toLowerCase() }],
    ],
    ["text that is not JSON", "not JSON"],
    ["a missing block", [{ network: "A network", chainId: 1, address: entry(1, "e5c70").address }]],
  ])("is rejected with %s, and is not changed", (_, content) => {
    const file = newFile();
    const text = typeof content === "string" ? content : JSON.stringify(content);
    writeFileSync(file, text);
    expect(() => readAddressList(file)).to.throw(UserError, "is not an address list");
    expect(() => recordAddress(file, entry(1, "e5c70"))).to.throw(UserError);
    expect(readFileSync(file, "utf8")).to.equal(text);
  });

  it("is published together with only the ABI and the ERC-7730 files", () => {
    expect(() => readAddressList(join(root, "contracts/abi/addresses.json"))).not.to.throw();
    const { stdout, exitCode } = Bun.spawnSync(["npm", "pack", "--dry-run", "--json", "--ignore-scripts"], {
      cwd: root,
      stderr: "ignore",
    });
    expect(exitCode).to.equal(0);
    const [{ files }] = JSON.parse(stdout.toString());
    const published = [
      "addresses",
      "DeliveryVsPayment",
      "calldata-DeliveryVsPayment",
      "eip712-DeliveryVsPayment",
    ];
    expect(files.map(({ path }: { path: string }) => path)).to.have.members([
      ...published.map((name) => `contracts/abi/${name}.json`),
      ...["LICENSE", "README.md", "package.json"],
    ]);
    for (const name of published) {
      const file = Bun.resolveSync(`delivery-versus-payment/abi/${name}.json`, root);
      expect(file).to.equal(join(root, `contracts/abi/${name}.json`));
    }
  });
});
