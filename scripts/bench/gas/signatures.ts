// The payer's signatures for the measured transactions.
import { type Hex, parseSignature, zeroAddress } from "viem";
import type { Terms } from "#core/chain/terms.ts";
import type { Scene } from "./scene.ts";

const fields = (...list: [string, string][]) => list.map(([name, type]) => ({ name, type }));

export async function signPayment({ payer, escrow, chainId }: Scene, order: Terms): Promise<Hex> {
  return payer.signTypedData({
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

const tokenDomain = ({ token, chainId }: Scene) => ({
  name: "Plain",
  version: "1",
  chainId,
  verifyingContract: token.address,
});

export async function signAuthorization(scene: Scene, order: Terms): Promise<Hex> {
  const { payer, escrow } = scene;
  return payer.signTypedData({
    domain: tokenDomain(scene),
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
      from: payer.account.address,
      to: escrow.address,
      value: order.amount,
      validAfter: 0n,
      validBefore: BigInt(order.fundingDeadline),
      nonce: await escrow.read.orderIdOf([order]),
    },
  });
}

export async function signPermit(scene: Scene, order: Terms) {
  const { payer, escrow, token } = scene;
  const value = order.amount;
  const deadline = BigInt(order.fundingDeadline);
  const owner = payer.account.address;
  const signature = await payer.signTypedData({
    domain: tokenDomain(scene),
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
