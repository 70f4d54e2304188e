// Measures what the escrow's operations cost as whole transactions (21,000 and calldata included) in a warm steady state,
// and compares them with the bars, with the snapshot (contracts/gas.snapshot.json), and with what commerce-payments costs.
// Usage: bench-gas.ts [--update] [--json]. Exits 1 when a bar is passed or a figure grew by more than 1 %.
// Everything that moves gas is fixed: keys, salts, the clock, amounts. So a figure changes only with the code.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { network } from "hardhat";
import {
  getContract,
  type Hex,
  keccak256,
  parseAbi,
  parseSignature,
  stringToHex,
  zeroAddress,
  zeroHash,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import type { Terms } from "#core/chain/terms.ts";
import { deliveryVsPaymentAbi } from "../core/chain/abi/delivery-vs-payment.ts";

const root = join(import.meta.dirname, "..");
const snapshotFile = join(root, "contracts/gas.snapshot.json");
const ARTIFACT = "artifacts/contracts/DeliveryVsPayment.sol/DeliveryVsPayment.json";
const PERMIT2 = "0x000000000022D473030F116dDEE9F6B43aC78BA3";
const MAX_RUNTIME_BYTES = 20 * 1024;
const START = 1_900_000_000n;
const PROOF_URI = "ipfs://bafybeigdyrzt5sfp7ud"; // 27 bytes

/** Bars: issue 3, item 4. References: commerce-payments, plain ERC-20, measured the same way. */
const bars: Record<string, { bar?: number; theirs?: [string, number] }> = {
  createOrder: { bar: 85_000 },
  createOrderFor: { bar: 100_000 },
  createOrderForWithPermit: {},
  createOrderWithAuthorization: { bar: 110_000, theirs: ["authorize, ERC-3009", 122_030] },
  markShipped: {},
  submitDeliveryProof: {},
  submitDeliveryProofAndRelease: { bar: 44_000 },
  release: {},
  releaseMilestone: {},
  settleBatchOf20PerOrder: { bar: 16_000, theirs: ["capture", 57_539] },
  settleOne: { theirs: ["capture", 57_539] },
  withdraw: { theirs: ["capture", 57_539] },
  refund: { theirs: ["void", 54_841] },
  reclaim: { bar: 47_000, theirs: ["reclaim", 54_909] },
  reclaimAmongOthers: { theirs: ["reclaim", 54_909] },
  raiseDispute: {},
  resolveDisputeSplit: {},
  wholeLifePayerCalls: { bar: 142_000, theirs: ["authorize + capture", 179_569] },
  wholeLifeRelayed: { bar: 157_000, theirs: ["authorize + capture", 179_569] },
};

const tokenAbi = parseAbi([
  "function approve(address spender, uint256 value) returns (bool)",
  "function balanceOf(address account) view returns (uint256)",
  "function mint(address to, uint256 amount)",
  "function nonces(address owner) view returns (uint256)",
  "function transfer(address to, uint256 value) returns (bool)",
]);

const { viem } = await network.connect();
const chain = await viem.getPublicClient();
const clock = await viem.getTestClient();
const [deployerWallet, operatorWallet, payerWallet, arbiterWallet, payeeWallet] = await wallets();
const offRamp = privateKeyToAccount(keccak256(stringToHex("off-ramp"))).address;
const client = { public: chain, wallet: deployerWallet };
const { address: escrowAddress } = await viem.deployContract("DeliveryVsPayment", [
  deployerWallet.account.address,
  PERMIT2,
]);
const { address: tokenAddress } = await viem.deployContract("PlainToken");
const escrow = getContract({ address: escrowAddress, abi: deliveryVsPaymentAbi, client });
const token = getContract({ address: tokenAddress, abi: tokenAbi, client });
const chainId = await chain.getChainId();

const asOperator = { account: operatorWallet.account };
const asPayer = { account: payerWallet.account };
const asArbiter = { account: arbiterWallet.account };
const ALLOWANCE = 10n ** 14n;
let salts = 0;
let now = START;

function terms(changes: Partial<Terms> = {}): Terms {
  return {
    salt: keccak256(stringToHex(`order ${salts++}`)),
    operator: operatorWallet.account.address,
    arbiter: arbiterWallet.account.address,
    deliveryOracle: zeroAddress,
    payee: payeeWallet.account.address,
    offRamp,
    token: token.address,
    amount: 123_456_789n,
    fundingDeadline: Number(START) + 7 * 86_400,
    deliveryPeriod: 2_592_000,
    disputeWindow: 86_400,
    timeLockUntil: 0,
    releaseType: 0,
    autoReleaseOnProof: true,
    expectedDeliveryHash: zeroHash,
    ...changes,
  };
}

/** A transaction's gas; each stands in a block of its own, a second after the last. */
async function gas(send: () => Promise<Hex>): Promise<number> {
  now += 1n;
  await clock.setNextBlockTimestamp({ timestamp: now });
  const receipt = await chain.getTransactionReceipt({ hash: await send() });
  if (receipt.status !== "success") throw new Error(`Transaction ${receipt.transactionHash} reverted`);
  return Number(receipt.gasUsed);
}

async function funded(changes: Partial<Terms> = {}): Promise<Terms> {
  const order = terms(changes);
  await gas(() => escrow.write.createOrder([order], asPayer));
  return order;
}

async function wallets() {
  const [a, b, c, d, e] = await viem.getWalletClients();
  if (!a || !b || !c || !d || !e) throw new Error("The network has no accounts");
  return [a, b, c, d, e] as const;
}

const fields = (...list: [string, string][]) => list.map(([name, type]) => ({ name, type }));

async function signPayment(order: Terms): Promise<Hex> {
  return payerWallet.signTypedData({
    domain: { name: "DeliveryVsPayment", version: "1", chainId, verifyingContract: escrow.address },
    types: {
      DeliveryVsPayment: fields(
        ["intentId", "string"],
        ["payer", "address"],
        ["payee", "address"],
        ["amount", "uint256"],
        ["token", "address"],
        ["deadline", "uint256"],
      ),
    },
    primaryType: "DeliveryVsPayment",
    message: {
      intentId: `intent_${(await escrow.read.orderIdOf([order])).slice(2)}`,
      payer: zeroAddress,
      payee: order.payee,
      amount: order.amount,
      token: order.token,
      deadline: BigInt(order.fundingDeadline),
    },
  });
}

const tokenDomain = { name: "Plain", version: "1", chainId, verifyingContract: token.address };

async function signAuthorization(order: Terms): Promise<Hex> {
  return payerWallet.signTypedData({
    domain: tokenDomain,
    types: {
      ReceiveWithAuthorization: fields(
        ["from", "address"],
        ["to", "address"],
        ["value", "uint256"],
        ["validAfter", "uint256"],
        ["validBefore", "uint256"],
        ["nonce", "bytes32"],
      ),
    },
    primaryType: "ReceiveWithAuthorization",
    message: {
      from: payerWallet.account.address,
      to: escrow.address,
      value: order.amount,
      validAfter: 0n,
      validBefore: BigInt(order.fundingDeadline),
      nonce: await escrow.read.orderIdOf([order]),
    },
  });
}

async function signPermit(order: Terms) {
  const value = order.amount;
  const deadline = BigInt(order.fundingDeadline);
  const owner = payerWallet.account.address;
  const signature = await payerWallet.signTypedData({
    domain: tokenDomain,
    types: {
      Permit: fields(
        ["owner", "address"],
        ["spender", "address"],
        ["value", "uint256"],
        ["nonce", "uint256"],
        ["deadline", "uint256"],
      ),
    },
    primaryType: "Permit",
    message: { owner, spender: escrow.address, value, nonce: await token.read.nonces([owner]), deadline },
  });
  const { r, s, yParity } = parseSignature(signature);
  return { value, deadline, v: 27 + yParity, r, s };
}

async function measure(): Promise<Record<string, number>> {
  const out: Record<string, number> = {};
  const prove = (order: Terms) =>
    escrow.write.submitDeliveryProof([order, keccak256(stringToHex("proof")), PROOF_URI], asOperator);
  const manual = { autoReleaseOnProof: false };
  const from = payerWallet.account.address;

  // Five orders stay in escrow: its balance, and everybody's, is nobody's first.
  for (let i = 0; i < 5; i++) await funded();

  const first = terms();
  out.createOrder = await gas(() => escrow.write.createOrder([first], asPayer));
  const relayed = terms();
  const signature = await signPayment(relayed);
  out.createOrderFor = await gas(() =>
    escrow.write.createOrderFor([relayed, from, false, signature], asOperator),
  );
  const authorized = terms();
  const authorization = await signAuthorization(authorized);
  out.createOrderWithAuthorization = await gas(() =>
    escrow.write.createOrderWithAuthorization(
      [authorized, from, 0n, BigInt(authorized.fundingDeadline), authorization],
      asOperator,
    ),
  );

  out.submitDeliveryProofAndRelease = await gas(() => prove(first));
  const shipped = await funded(manual);
  out.markShipped = await gas(() => escrow.write.markShipped([shipped], asOperator));
  out.submitDeliveryProof = await gas(() => prove(shipped));
  out.release = await gas(() => escrow.write.release([shipped], asPayer));
  out.settleOne = await gas(() => escrow.write.settle([[shipped]], asOperator));

  const milestones = await funded({ releaseType: 2 });
  out.releaseMilestone = await gas(() =>
    escrow.write.releaseMilestone([milestones, 0n, 1_000_000n], asPayer),
  );

  const batch: Terms[] = [];
  for (let i = 0; i < 20; i++) {
    const order = await funded();
    await gas(() => prove(order));
    batch.push(order);
  }
  out.settleBatchOf20PerOrder = Math.ceil((await gas(() => escrow.write.settle([batch], asOperator))) / 20);

  const own = await funded();
  await gas(() => escrow.write.release([own], asPayer));
  out.withdraw = await gas(() => escrow.write.withdraw([own], { account: payeeWallet.account }));
  const returned = await funded();
  out.refund = await gas(() => escrow.write.refund([returned], asOperator));

  const disputed = await funded();
  out.raiseDispute = await gas(() =>
    escrow.write.raiseDispute([disputed, from, 604_800, "nothing came"], asPayer),
  );
  out.resolveDisputeSplit = await gas(() => escrow.write.resolveDispute([disputed, 1_000_000n], asArbiter));

  await gas(() => token.write.approve([escrow.address, 0n], asPayer));
  const permitted = terms();
  const permission = await signPayment(permitted);
  const permit = await signPermit(permitted);
  out.createOrderForWithPermit = await gas(() =>
    escrow.write.createOrderForWithPermit([permitted, from, false, permission, permit], asOperator),
  );
  await gas(() => token.write.approve([escrow.address, ALLOWANCE], asPayer));

  const late = await funded({ deliveryPeriod: 1 });
  now += 10n;
  out.reclaimAmongOthers = await gas(() => escrow.write.reclaim([late], asPayer));
  // The last order's reclaim empties the escrow's balance, for which the chain pays 4,800 back.
  const last = await funded({ deliveryPeriod: 1 });
  const rest = (await token.read.balanceOf([escrow.address])) - last.amount;
  await clock.impersonateAccount({ address: escrow.address });
  await clock.setBalance({ address: escrow.address, value: 10n ** 20n });
  await gas(() => token.write.transfer([deployerWallet.account.address, rest], { account: escrow.address }));
  now += 10n;
  out.reclaim = await gas(() => escrow.write.reclaim([last], asPayer));

  const end = out.submitDeliveryProofAndRelease + out.settleBatchOf20PerOrder;
  out.wholeLifePayerCalls = out.createOrder + end;
  out.wholeLifeRelayed = out.createOrderFor + end;
  return out;
}

await escrow.write.setTokenListed([token.address, true]);
await token.write.mint([payerWallet.account.address, 10n ** 15n]);
await token.write.approve([escrow.address, ALLOWANCE], asPayer);
for (const receiver of [offRamp, payeeWallet.account.address]) await token.write.mint([receiver, 1n]);

const figures = await measure();
const { deployedBytecode } = JSON.parse(readFileSync(join(root, ARTIFACT), "utf8"));
const runtimeBytes = deployedBytecode.length / 2 - 1;
const snapshot = readSnapshot();
const failures: string[] = [];

function readSnapshot(): Record<string, number> {
  try {
    return JSON.parse(readFileSync(snapshotFile, "utf8")).gas;
  } catch {
    return {};
  }
}

const rows = Object.entries(bars).map(([name, { bar, theirs }]) => {
  const figure = figures[name];
  if (figure === undefined) throw new Error(`${name} was not measured`);
  if (bar !== undefined && figure > bar) failures.push(`${name}: ${figure} is over its bar of ${bar}`);
  const before = snapshot[name];
  if (before !== undefined && figure > before * 1.01) {
    failures.push(`${name}: ${figure} is more than 1 % over the snapshot's ${before}`);
  }
  return { name, gas: figure, bar, snapshot: before, commercePayments: theirs?.[1], theirs: theirs?.[0] };
});
if (runtimeBytes > MAX_RUNTIME_BYTES) {
  failures.push(`runtime code: ${runtimeBytes} bytes are over ${MAX_RUNTIME_BYTES}`);
}

const result = { runtimeBytes, maxRuntimeBytes: MAX_RUNTIME_BYTES, rows };
if (process.argv.includes("--json")) {
  console.log(JSON.stringify(result, null, 2));
} else {
  console.table(
    Object.fromEntries(
      rows.map(({ name, theirs, ...row }) => [
        name,
        { ...row, commercePayments: theirs ? `${row.commercePayments} (${theirs})` : "" },
      ]),
    ),
  );
  console.log(`runtime code: ${runtimeBytes} of ${MAX_RUNTIME_BYTES} bytes`);
}
if (process.argv.includes("--update")) {
  writeFileSync(snapshotFile, `${JSON.stringify({ runtimeBytes, gas: figures }, null, 2)}\n`);
}
for (const failure of failures) console.error(failure);
if (failures.length > 0) process.exit(1);
