// Tests the chain behavior that other tests require, on each supported node.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { join } from "node:path";
import { expect } from "chai";
import { type Address, type Hash, http } from "viem";
import { generatePrivateKey, privateKeyToAddress } from "viem/accounts";
import { until } from "../shared/wait.ts";
import { hasAnvil } from "./anvil.ts";
import { type Chain, startChain } from "./chain.ts";
import { localChainClient } from "./deploy.ts";
import { firstAccount } from "./hardhat-chain.ts";
import { openTestFolder, removeTestFolder, type TestFolder } from "./test-folder.ts";

/** An interval so long that no block is mined because of it. */
const NEVER_MS = 86_400_000;
const BUSY_MS = 50;

let folder: TestFolder;

beforeAll(async () => {
  folder = await openTestFolder();
});
afterAll(() => removeTestFolder(folder.folder));

describe.each(["hardhat", ...(hasAnvil() ? (["anvil"] as const) : [])] as const)("a chain on %s", (node) => {
  let chain: Chain;
  let client: ReturnType<typeof localChainClient>;

  beforeAll(async () => {
    const log = join(folder.logs, `${node}.log`);
    chain = await startChain({
      ...{ log, node, chainId: 31_399, blockIntervalMs: BUSY_MS, idleBlockIntervalMs: NEVER_MS },
    });
    client = localChainClient(chain.rpcUrl, firstAccount, chain.chainId);
  });
  afterAll(() => chain?.stop());

  const height = () => client.getBlockNumber({ cacheTime: 0 });
  const send = (nonce?: number): Promise<Hash> =>
    client.sendTransaction({
      account: firstAccount,
      to: firstAccount.address,
      value: 1n,
      nonce,
      gas: 21_000n,
    });
  const stopBlocks = () => client.setIntervalMining({ interval: 0 });

  it("mines blocks after a transaction, even if the idle interval is long", async () => {
    expect(await height()).to.equal(0n);
    await send();
    await until(async () => (await height()) > 5n, { what: "Blocks", timeoutMs: 10_000 });
  });

  it("mines none automatically when the interval is 0, and mines a transaction before it responds", async () => {
    await stopBlocks();
    const before = await height();
    const [first, second] = [await send(), await send()];
    const receipts = await Promise.all([first, second].map((hash) => client.getTransactionReceipt({ hash })));
    expect(receipts.map(({ blockNumber }) => blockNumber)).to.deep.equal([before + 1n, before + 2n]);
    await Bun.sleep(3 * BUSY_MS);
    expect(await height()).to.equal(before + 2n);
  });

  it("mines none when the interval is set to 0 while a block is being mined", async () => {
    for (let round = 0; round < 10; round++) {
      const before = await height();
      await client.setIntervalMining({ interval: 0.004 });
      await until(async () => (await height()) > before, { what: "A block", timeoutMs: 10_000 });
      await stopBlocks();
      // Ends after the block that is being mined.
      await client.mine({ blocks: 1 });
      const after = await height();
      await Bun.sleep(12);
      expect(await height()).to.equal(after);
    }
  });

  it("mines pending transactions on request, in nonce order, without automine", async () => {
    await stopBlocks();
    await client.setAutomine(false);
    const before = await height();
    const nonce = await client.getTransactionCount({ address: firstAccount.address });
    const second = await send(nonce + 1);
    await client.mine({ blocks: 1 });
    expect(await height()).to.equal(before + 1n);
    const first = await send(nonce);
    expect(await height()).to.equal(before + 1n);
    await client.mine({ blocks: 1 });
    const receipts = await Promise.all([first, second].map((hash) => client.getTransactionReceipt({ hash })));
    expect(receipts.map(({ blockNumber }) => blockNumber)).to.deep.equal([before + 2n, before + 2n]);
    await client.setAutomine(true);
  });

  it("reverts to a snapshot and mines different blocks from there", async () => {
    await stopBlocks();
    const snapshot = await client.snapshot();
    const before = await height();
    await send();
    const dropped = await client.getBlock();
    await client.revert({ id: snapshot });
    expect(await height()).to.equal(before);
    await client.mine({ blocks: 1 });
    const block = await client.getBlock();
    expect(block.number).to.equal(dropped.number);
    expect(block.hash).not.to.equal(dropped.hash);
  });

  it("advances its clock", async () => {
    const { timestamp } = await client.getBlock();
    await client.increaseTime({ seconds: 1_000 });
    await client.mine({ blocks: 1 });
    expect(Number((await client.getBlock()).timestamp - timestamp)).to.be.within(1_000, 1_100);
  });

  it("lets any caller impersonate any account and set its balance and code", async () => {
    const address: Address = privateKeyToAddress(generatePrivateKey());
    await client.setBalance({ address, value: 10n ** 18n });
    await client.setCode({ address: firstAccount.address, bytecode: "0x" });
    await client.impersonateAccount({ address });
    const hash = await client.sendTransaction({ account: address, to: address });
    expect((await client.getTransactionReceipt({ hash })).from).to.equal(address.toLowerCase());
  });

  it("considers its newest block final, and accepts batch requests and requests from pages", async () => {
    const [latest, final] = await Promise.all([
      client.getBlock({ blockTag: "latest" }),
      client.getBlock({ blockTag: "finalized" }),
    ]);
    expect(final.hash).to.equal(latest.hash);
    const batched = http(chain.rpcUrl, { batch: true })({});
    const [id, number] = await Promise.all([
      batched.request({ method: "eth_chainId" }),
      batched.request({ method: "eth_blockNumber" }),
    ]);
    expect([Number(id), BigInt(number as Hash)]).to.deep.equal([chain.chainId, latest.number]);
    const { headers } = await fetch(chain.rpcUrl, {
      method: "OPTIONS",
      headers: { origin: "http://localhost", "access-control-request-method": "POST" },
    });
    expect(headers.get("access-control-allow-origin")).to.equal("*");
  });
});
