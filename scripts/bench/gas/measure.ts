// The costs of the escrow's operations in a warm steady state.
import { keccak256, stringToHex } from "viem";
import type { Terms } from "#core/chain/terms.ts";
import { groupForSettlement } from "#settlement/escrow/settlement-groups.ts";
import { ALLOWANCE, setScene } from "./scene.ts";
import { signAuthorization, signPayment, signPermit } from "./signatures.ts";

const PROOF_URI = "ipfs://bafybeigdyrzt5sfp7ud"; // 27 bytes

/** Gas of complete transactions by operation, including the base cost of 21,000 and calldata. */
export async function measure(): Promise<Record<string, number>> {
  const scene = await setScene();
  const { escrow, token, clock, gas, terms } = scene;
  const asOperator = { account: scene.operator.account };
  const asPayer = { account: scene.payer.account };
  const asArbiter = { account: scene.arbiter.account };
  const asPayee = { account: scene.payee.account };
  const out: Record<string, number> = {};
  const funded = async (changes: Partial<Terms> = {}) => {
    const order = terms(changes);
    await gas(() => escrow.write.createOrder([order], asPayer));
    return order;
  };
  const prove = (order: Terms) =>
    escrow.write.submitDeliveryProof([order, keccak256(stringToHex("proof")), PROOF_URI], asOperator);
  const manual = { autoReleaseOnProof: false };
  const from = scene.payer.account.address;

  // Five orders stay in escrow, so that no measured transfer goes to a zero balance.
  for (let i = 0; i < 5; i++) await funded();

  const first = terms();
  out.createOrder = await gas(() => escrow.write.createOrder([first], asPayer));
  const relayed = terms();
  const signature = await signPayment(scene, relayed);
  out.createOrderFor = await gas(() =>
    escrow.write.createOrderFor([relayed, from, false, signature], asOperator),
  );
  const authorized = terms();
  const authorization = await signAuthorization(scene, authorized);
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
  out.settleOne = await gas(() => escrow.write.settle([groupForSettlement([shipped])], asOperator));

  const milestones = await funded({ releaseType: 2 });
  out.releaseMilestone = await gas(() => escrow.write.releaseMilestone([milestones, 1_000_000n], asPayer));

  const batch: Terms[] = [];
  for (let i = 0; i < 20; i++) {
    const order = await funded();
    await gas(() => prove(order));
    batch.push(order);
  }
  out.settleBatchOf20PerOrder = Math.ceil(
    (await gas(() => escrow.write.settle([groupForSettlement(batch)], asOperator))) / 20,
  );

  const own = await funded();
  await gas(() => escrow.write.release([own], asPayer));
  out.withdraw = await gas(() => escrow.write.withdraw([own], asPayee));
  const returned = await funded();
  out.refund = await gas(() => escrow.write.refund([returned, returned.amount], asOperator));

  const disputed = await funded();
  out.raiseDispute = await gas(() => escrow.write.raiseDispute([disputed, 604_800, "nothing came"], asPayer));
  out.resolveDisputeSplit = await gas(() => escrow.write.resolveDispute([disputed, 1_000_000n], asArbiter));

  await gas(() => token.write.approve([escrow.address, 0n], asPayer));
  const permitted = terms();
  const permission = await signPayment(scene, permitted);
  const permit = await signPermit(scene, permitted);
  out.createOrderForWithPermit = await gas(() =>
    escrow.write.createOrderForWithPermit([permitted, from, false, permission, permit], asOperator),
  );
  await gas(() => token.write.approve([escrow.address, ALLOWANCE], asPayer));

  const late = await funded({ deliveryPeriod: 1 });
  scene.wait(10n);
  out.reclaimAmongOthers = await gas(() => escrow.write.reclaim([late], asPayer));
  // Reclaiming the last order empties the escrow's balance, for which the chain refunds 4,800 gas.
  const last = await funded({ deliveryPeriod: 1 });
  const rest = (await token.read.balanceOf([escrow.address])) - last.amount;
  await clock.impersonateAccount({ address: escrow.address });
  await clock.setBalance({ address: escrow.address, value: 10n ** 20n });
  await gas(() => token.write.transfer([scene.deployer.account.address, rest], { account: escrow.address }));
  scene.wait(10n);
  out.reclaim = await gas(() => escrow.write.reclaim([last], asPayer));

  const end = out.submitDeliveryProofAndRelease + out.settleBatchOf20PerOrder;
  out.fullLifePayerCalls = out.createOrder + end;
  out.fullLifeRelayed = out.createOrderFor + end;
  return out;
}
