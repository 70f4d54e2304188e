// Writes typed-data.json: what TypeScript's EIP-712 (viem) says that people sign, for the contract to agree with
// (contracts/test/TypedData.t.sol) and for the gateway's own typed data (core/chain) to be held against.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type Address,
  encodeAbiParameters,
  type Hex,
  hashStruct,
  hashTypedData,
  keccak256,
  stringToHex,
  zeroAddress,
  zeroHash,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { CHECK } from "../../../scripts/generate/generated-files.ts";
import { parseCommand } from "../../../scripts/shared/command-line.ts";

const HELP = `Writes contracts/test/vectors/typed-data.json: what TypeScript's EIP-712 (viem) says that people sign.

  bun contracts/test/vectors/generate.ts [--check]

  --check   writes nothing, and ends with 1 if the file differs from what would be written`;

const { values: options } = parseCommand(HELP, CHECK);

const file = join(import.meta.dirname, "typed-data.json");
const chainId = 31337;
const contract: Address = "0x00000000000000000000000000000000000e5c70";
const keys = { payer: 0xa11cen, payee: 0xb0bn, oracle: 0xac1en };
const account = (key: bigint) => privateKeyToAccount(`0x${key.toString(16).padStart(64, "0")}`);
const [payer, payee, oracle] = [account(keys.payer), account(keys.payee), account(keys.oracle)];

const termsType = [
  ["salt", "bytes32"],
  ["operator", "address"],
  ["arbiter", "address"],
  ["deliveryOracle", "address"],
  ["payee", "address"],
  ["payer", "address"],
  ["offRamp", "address"],
  ["token", "address"],
  ["amount", "uint120"],
  ["fundingDeadline", "uint40"],
  ["deliveryPeriod", "uint40"],
  ["disputeWindow", "uint40"],
  ["timeLockUntil", "uint40"],
  ["releaseType", "uint8"],
  ["autoReleaseOnProof", "bool"],
  ["expectedDeliveryHash", "bytes32"],
] as const;

const base = {
  salt: keccak256(stringToHex("salt")),
  operator: "0x0000000000000000000000000000000000000901" as Address,
  arbiter: "0x0000000000000000000000000000000000000902" as Address,
  deliveryOracle: oracle.address,
  payee: payee.address,
  payer: zeroAddress as Address,
  offRamp: "0x0000000000000000000000000000000000000903" as Address,
  token: "0x0000000000000000000000000000000000070c30" as Address,
  amount: 123_456_789n,
  fundingDeadline: 1_800_604_800,
  deliveryPeriod: 2_592_000,
  disputeWindow: 86_400,
  timeLockUntil: 0,
  releaseType: 0,
  autoReleaseOnProof: true,
  expectedDeliveryHash: zeroHash as Hex,
};
type Terms = typeof base;

// One order of each release type, and two at the ends of what the types hold.
const orders: Record<string, Terms> = {
  deliveryProof: base,
  timeLocked: { ...base, releaseType: 1, timeLockUntil: 1_801_000_000, payer: payer.address },
  milestoneLocked: { ...base, releaseType: 2, salt: keccak256(stringToHex("milestones")) },
  autoRelease: { ...base, releaseType: 3, expectedDeliveryHash: keccak256(stringToHex("parcel")) },
  immediate: { ...base, releaseType: 4 },
  smallest: { ...base, amount: 1n, salt: zeroHash, autoReleaseOnProof: false },
  largest: { ...base, amount: 2n ** 120n - 1n, salt: `0x${"ff".repeat(32)}`, deliveryPeriod: 315_360_000 },
};

const domain = { name: "DeliveryVsPayment", version: "1", chainId, verifyingContract: contract };
/** What a message about a funded order starts with. */
const orderFields = [
  { name: "intentId", type: "string" },
  { name: "payee", type: "address" },
  { name: "amount", type: "uint256" },
  { name: "token", type: "address" },
] as const;
const types = {
  DeliveryVsPayment: [
    { name: "intentId", type: "string" },
    { name: "payer", type: "address" },
    { name: "payee", type: "address" },
    { name: "amount", type: "uint256" },
    { name: "token", type: "address" },
    { name: "deadline", type: "uint256" },
  ],
  PaymentIntent: [
    { name: "intentId", type: "bytes32" },
    { name: "amount", type: "uint256" },
    { name: "nonce", type: "uint256" },
  ],
  DeliveryProof: [
    ...orderFields,
    { name: "proofHash", type: "bytes32" },
    { name: "proofURI", type: "string" },
  ],
  MilestoneRelease: [...orderFields, { name: "cumulativeAmount", type: "uint256" }],
  Shipment: orderFields,
  Dispute: [
    ...orderFields,
    { name: "reason", type: "string" },
    { name: "window", type: "uint256" },
    { name: "deadline", type: "uint256" },
  ],
  DisputeAgreement: [
    ...orderFields,
    { name: "raisedBy", type: "string" },
    { name: "payeeAmount", type: "uint256" },
    { name: "deadline", type: "uint256" },
  ],
} as const;

function orderIdOf(terms: Terms): Hex {
  const words = [
    { type: "uint256" },
    { type: "address" },
    { type: "tuple", components: termsType.map(([name, type]) => ({ name, type })) },
  ];
  return keccak256(encodeAbiParameters(words, [BigInt(chainId), contract, terms]));
}

async function vector(terms: Terms) {
  const orderId = orderIdOf(terms);
  const intentId = `intent_${orderId.slice(2)}`;
  const proofHash = keccak256(stringToHex("proof"));
  const proofURI = "ipfs://bafybeigdyrzt5sfp7ud";
  const order = { intentId, payee: terms.payee, amount: terms.amount, token: terms.token };
  const payment = (named: Address) => ({
    domain,
    types,
    primaryType: "DeliveryVsPayment" as const,
    message: {
      ...order,
      payer: named,
      deadline: BigInt(terms.fundingDeadline),
    },
  });
  const data = {
    paymentNamed: payment(payer.address),
    paymentUnnamed: payment(zeroAddress),
    paymentIntent: {
      domain,
      types,
      primaryType: "PaymentIntent" as const,
      message: { intentId: orderId, amount: terms.amount, nonce: 0n },
    },
    deliveryProof: {
      domain,
      types,
      primaryType: "DeliveryProof" as const,
      message: { ...order, proofHash, proofURI },
    },
    milestoneRelease: {
      domain,
      types,
      primaryType: "MilestoneRelease" as const,
      message: { ...order, cumulativeAmount: 1n },
    },
    shipment: { domain, types, primaryType: "Shipment" as const, message: order },
    dispute: {
      domain,
      types,
      primaryType: "Dispute" as const,
      message: { ...order, reason: "The parcel was empty.", window: 604_800n, deadline: 1_900_000_000n },
    },
    disputeAgreement: {
      domain,
      types,
      primaryType: "DisputeAgreement" as const,
      message: { ...order, raisedBy: "payer", payeeAmount: 1n, deadline: 1_900_000_000n },
    },
  };
  const digests = Object.fromEntries(
    Object.entries(data).map(([name, value]) => [name, hashTypedData(value as never)]),
  );
  const structHashes = Object.fromEntries(
    Object.entries(data).map(([name, { primaryType, message }]) => [
      name,
      hashStruct({ primaryType, types, data: message } as never),
    ]),
  );
  const signatures = {
    paymentNamed: await payer.signTypedData(data.paymentNamed),
    paymentUnnamed: await payer.signTypedData(data.paymentUnnamed),
    paymentIntent: await payer.signTypedData(data.paymentIntent),
    deliveryProof: await oracle.signTypedData(data.deliveryProof),
    milestoneRelease: await oracle.signTypedData(data.milestoneRelease),
    shipment: await oracle.signTypedData(data.shipment),
    dispute: await payer.signTypedData(data.dispute),
    disputeAgreementPayer: await payer.signTypedData(data.disputeAgreement),
    disputeAgreementPayee: await payee.signTypedData(data.disputeAgreement),
  };
  const encodedTerms = encodeAbiParameters(
    [{ type: "tuple", components: termsType.map(([name, type]) => ({ name, type })) }],
    [terms],
  );
  return { terms, encodedTerms, orderId, intentId, proofHash, proofURI, structHashes, digests, signatures };
}

const vectors = {
  comment: "Made by contracts/test/vectors/generate.ts. The keys are for tests alone.",
  chainId,
  contract,
  payer: payer.address,
  payee: payee.address,
  oracle: oracle.address,
  orders: Object.fromEntries(
    await Promise.all(Object.entries(orders).map(async ([name, terms]) => [name, await vector(terms)])),
  ),
};
const text = `${JSON.stringify(vectors, (_, value) => (typeof value === "bigint" ? value.toString() : value), 2)}\n`;
if (!options.check) writeFileSync(file, text);
else if (readFileSync(file, "utf8") !== text) {
  console.error(
    "contracts/test/vectors/typed-data.json is out of date: run contracts/test/vectors/generate.ts",
  );
  process.exit(1);
}
