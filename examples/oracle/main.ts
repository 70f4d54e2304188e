// A delivery oracle that submits its proof of delivery directly to the contract, without trusting the gateway. The
// contract releases the money to the merchant if the order's terms say so.
// Usage: ORACLE_KEY=0x… RPC_URL=http://… bun main.ts intent_… "proof of delivery"
import { Gateway } from "@delivery-versus-payment/sdk";
import { createPublicClient, createWalletClient, type Hex, http, keccak256, parseAbi, toHex } from "viem";
import { privateKeyToAccount } from "viem/accounts";

const { GATEWAY_URL, ORACLE_KEY, RPC_URL } = process.env;
const [intentId = "", document = ""] = process.argv.slice(2);

const abi = parseAbi([
  "struct Terms { bytes32 salt; address operator; address arbiter; address deliveryOracle; address payee; address payer; address offRamp; address token; uint120 amount; uint40 fundingDeadline; uint40 deliveryPeriod; uint40 disputeWindow; uint40 timeLockUntil; uint8 releaseType; bool autoReleaseOnProof; bytes32 expectedDeliveryHash; }",
  "function orderIdOf(Terms terms) view returns (bytes32)",
  "function submitDeliveryProof(Terms terms, bytes32 proofHash, string proofURI)",
]);

const account = privateKeyToAccount(ORACLE_KEY as Hex);
const transport = http(RPC_URL);
const chain = createPublicClient({ transport });
const wallet = createWalletClient({ account, transport });

const { data } = await new Gateway({ baseUrl: GATEWAY_URL }).publicPaymentIntents.retrieveCheckout(intentId);
const terms = { ...data.terms, amount: BigInt(data.terms.amount) };
const address = data.contractAddress;
if (terms.deliveryOracle.toLowerCase() !== account.address.toLowerCase()) {
  throw new Error(`The oracle of ${intentId} is ${terms.deliveryOracle}.`);
}
// The order's id is the hash of its terms, so the terms of another order have a different id.
const orderId = await chain.readContract({ address, abi, functionName: "orderIdOf", args: [terms] });
if (orderId !== intentId.replace("intent_", "0x")) throw new Error("These are not the order's terms.");

const hash = await wallet.writeContract({
  chain: null,
  address,
  abi,
  functionName: "submitDeliveryProof",
  args: [terms, keccak256(toHex(document)), ""],
});
const { status } = await chain.waitForTransactionReceipt({ hash });
console.log(`Proof ${status} in ${hash}`);
