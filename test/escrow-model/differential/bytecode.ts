// Converts a call of the model to contract calldata with real signatures. A missing signature is replaced by another
// person's signature or by one over a different message.
import {
  type Address as ChainAddress,
  encodeFunctionData,
  type Hex,
  hashTypedData,
  keccak256,
  stringToHex,
  zeroHash,
} from "viem";
import { deliveryVsPaymentAbi as abi } from "#core/chain/abi/delivery-vs-payment.ts";
import { type Terms as ChainTerms, orderIdOf } from "#core/chain/terms.ts";
import { deliveryVsPaymentTypedData, paymentIntentTypedData } from "#core/chain/typed-data.ts";
import { toIntentId } from "#core/ids.ts";
import { groupForSettlement } from "#settlement/escrow/settlement-groups.ts";
import { type OrderMessage, orderMessage } from "#test/support/order-messages.ts";
import type { Call } from "../calls.ts";
import type { Order, Side } from "../order.ts";
import { type Address, RELEASE_TYPES, type Terms } from "../terms.ts";
import { addressOf, signDigest } from "./people.ts";

const PROOF_URI = "ipfs://proof";
const REASON = "nothing came";

/** An order on chain, before and after funding. */
export class OnChain {
  readonly terms: ChainTerms;
  private readonly orderId: Hex;

  constructor(
    private readonly chainId: number,
    private readonly escrow: ChainAddress,
    token: ChainAddress,
    private readonly modelTerms: Terms,
    salt: Hex,
  ) {
    const address = (name: Address) => addressOf(name, escrow);
    this.terms = {
      salt,
      operator: address(modelTerms.operator),
      arbiter: address(modelTerms.arbiter),
      deliveryOracle: address(modelTerms.deliveryOracle),
      payee: address(modelTerms.payee),
      payer: address(modelTerms.payer),
      offRamp: address(modelTerms.offRamp),
      token,
      amount: modelTerms.amount,
      fundingDeadline: modelTerms.fundingDeadline,
      deliveryPeriod: modelTerms.deliveryPeriod,
      disputeWindow: modelTerms.disputeWindow,
      timeLockUntil: modelTerms.timeLockUntil,
      releaseType: RELEASE_TYPES.indexOf(modelTerms.releaseType),
      autoReleaseOnProof: modelTerms.autoReleaseOnProof,
      expectedDeliveryHash: hashOf(modelTerms.expectedDeliveryHash),
    };
    this.orderId = orderIdOf(chainId, escrow, this.terms);
  }

  /** @param order the current order; null if it is not funded */
  async calldata(call: Call, order: Order | null): Promise<Hex> {
    const { terms } = this;
    switch (call.name) {
      case "createOrder": {
        if (!call.signers) return encodeFunctionData({ abi, functionName: "createOrder", args: [terms] });
        const payer = addressOf(call.payer, this.escrow);
        const named = BigInt(terms.salt) % 2n === 0n;
        const signature = await this.signed(call.payer, call.signers, this.paymentDigest(payer, named));
        return encodeFunctionData({
          abi,
          functionName: "createOrderFor",
          args: [terms, payer, named, signature],
        });
      }
      case "markShipped": {
        if (!call.signers) return encodeFunctionData({ abi, functionName: "markShipped", args: [terms] });
        const signature = await this.byOracle(call.signers, "Shipment", {});
        return encodeFunctionData({ abi, functionName: "markShippedFor", args: [terms, signature] });
      }
      case "submitDeliveryProof": {
        const proofHash = hashOf(call.proofHash);
        if (!call.signers)
          return encodeFunctionData({
            abi,
            functionName: "submitDeliveryProof",
            args: [terms, proofHash, PROOF_URI],
          });
        const proof = { proofHash, proofURI: PROOF_URI };
        const signature = await this.byOracle(call.signers, "DeliveryProof", proof);
        return encodeFunctionData({
          abi,
          functionName: "submitDeliveryProofFor",
          args: [terms, proofHash, PROOF_URI, signature],
        });
      }
      case "releaseMilestone": {
        const cumulativeAmount = call.cumulative;
        if (!call.signers)
          return encodeFunctionData({
            abi,
            functionName: "releaseMilestone",
            args: [terms, cumulativeAmount],
          });
        const signature = await this.byOracle(call.signers, "MilestoneRelease", { cumulativeAmount });
        return encodeFunctionData({
          abi,
          functionName: "releaseMilestoneFor",
          args: [terms, cumulativeAmount, signature],
        });
      }
      case "raiseDispute": {
        const { window, signers } = call;
        if (!signers)
          return encodeFunctionData({ abi, functionName: "raiseDispute", args: [terms, window, REASON] });
        const deadline = BigInt(call.expiry ?? 0);
        const digest = this.digest("Dispute", { reason: REASON, window: BigInt(window), deadline });
        const signature = await this.signed(order?.payer ?? "payer", signers, digest);
        return encodeFunctionData({
          abi,
          functionName: "raiseDisputeFor",
          args: [terms, window, REASON, deadline, signature],
        });
      }
      case "resolveDisputeByAgreement": {
        const { payeeAmount, signers } = call;
        const deadline = BigInt(call.expiry);
        const raisedBy = order === null ? "payer" : sideOfDispute(order, call.dispute);
        const digest = this.digest("DisputeAgreement", { raisedBy, payeeAmount, deadline });
        const byPayer = await this.signed(order?.payer ?? "payer", signers, digest);
        const byPayee = await this.signed(this.modelTerms.payee, signers, digest);
        return encodeFunctionData({
          abi,
          functionName: "resolveDisputeByAgreement",
          args: [terms, payeeAmount, deadline, byPayer, byPayee],
        });
      }
      case "refund":
        return encodeFunctionData({ abi, functionName: "refund", args: [terms, call.amount] });
      case "resolveDispute":
        return encodeFunctionData({ abi, functionName: "resolveDispute", args: [terms, call.payeeAmount] });
      case "settle":
        return encodeFunctionData({ abi, functionName: "settle", args: [groupForSettlement([terms])] });
      case "claimCredit":
        return encodeFunctionData({ abi, functionName: "claimCredit", args: [terms.token] });
      default:
        return encodeFunctionData({ abi, functionName: call.name, args: [terms] });
    }
  }

  getOrder(): Hex {
    return encodeFunctionData({ abi, functionName: "getOrder", args: [this.terms] });
  }

  private paymentDigest(payer: ChainAddress, named: boolean): Hex {
    const intentId = toIntentId(this.orderId);
    if (this.modelTerms.releaseType === "IMMEDIATE")
      return hashTypedData(paymentIntentTypedData(this.chainId, this.escrow, intentId, this.terms) as never);
    const signer = named ? payer : undefined;
    return hashTypedData(
      deliveryVsPaymentTypedData(this.chainId, this.escrow, intentId, this.terms, signer) as never,
    );
  }

  private digest(primaryType: OrderMessage, values: Record<string, unknown>): Hex {
    const intentId = toIntentId(this.orderId);
    const payment = deliveryVsPaymentTypedData(this.chainId, this.escrow, intentId, this.terms);
    return hashTypedData(orderMessage(payment, primaryType, values));
  }

  private byOracle(signers: readonly Address[], type: OrderMessage, values: Record<string, unknown>) {
    return this.signed(this.modelTerms.deliveryOracle, signers, this.digest(type, values));
  }

  /**
   * Signs as this person. If they have not signed, returns another person's signature or one over a different message.
   */
  private signed(by: Address, signers: readonly Address[], digest: Hex): Promise<Hex> {
    if (signers.includes(by)) return signDigest(by, digest);
    const [other] = signers;
    if (other) return signDigest(other, digest);
    return signDigest(by.length > 1 && by !== "escrow" ? by : "stranger", keccak256(digest));
  }
}

const hashOf = (name: string | null): Hex => (name === null ? zeroHash : keccak256(stringToHex(name)));

/** Returns the side that raised a dispute. Each side can raise only one. */
function sideOfDispute(order: Order, dispute: number): Side {
  const latest = order.disputeSide ?? "payer";
  if (dispute === order.disputes) return latest;
  return latest === "payer" ? "merchant" : "payer";
}
