// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";

/// @dev An order's single storage slot; zero for an order that was never funded. From the low bits up: payer (160),
/// delivery deadline (40), dispute deadline (40), status (4), status before the dispute (4), flags (8). A value type
/// instead of a struct, so that an operation reads the slot once, changes it on the stack and writes it once.
type OrderSlot is uint256;

using {
    payer,
    deliveryDeadline,
    disputeDeadline,
    status,
    statusBeforeDispute,
    isIn,
    has,
    withStatus,
    withDispute,
    resumed,
    withFlag
} for OrderSlot global;

/// @dev The order is proven.
uint256 constant PROVEN = 1 << 248;
/// @dev The payee withdrew on chain.
uint256 constant WITHDRAWN = 1 << 249;
/// @dev The amounts are stored in separate slots; otherwise they follow from status and terms.
uint256 constant SPLIT = 1 << 250;
/// @dev The payer's side has raised its dispute.
uint256 constant PAYER_DISPUTED = 1 << 251;
/// @dev The merchant's side has raised its dispute.
uint256 constant MERCHANT_DISPUTED = 1 << 252;
/// @dev The merchant's side raised the latest dispute.
uint256 constant MERCHANT_LATEST = 1 << 253;

/// @dev Returns the slot of a newly funded order, without a dispute or flags.
/// @param payer_ The account that funds the order.
/// @param deliveryDeadline_ Delivery deadline, as a Unix second.
/// @param status_ Created, or AwaitingSettlement for IMMEDIATE.
function newOrderSlot(
    address payer_,
    uint40 deliveryDeadline_,
    IDeliveryVsPayment.Status status_
) pure returns (OrderSlot) {
    return OrderSlot.wrap(uint160(payer_) | (uint256(deliveryDeadline_) << 160) | (uint256(status_) << 240));
}

/// @dev Returns the account that funded the order; zero if the order was never funded.
function payer(OrderSlot slot) pure returns (address) {
    return address(uint160(OrderSlot.unwrap(slot)));
}

/// @dev Returns the last Unix second for shipment and proof. After it the payer can reclaim an unproven order unless
/// the payee's lock has expired.
function deliveryDeadline(OrderSlot slot) pure returns (uint40) {
    return uint40(OrderSlot.unwrap(slot) >> 160);
}

/// @dev Returns the last Unix second at which the arbiter can decide the latest dispute; zero if there was none.
function disputeDeadline(OrderSlot slot) pure returns (uint40) {
    return uint40(OrderSlot.unwrap(slot) >> 200);
}

/// @dev Returns the status. Created (0) also for an order that was never funded, whose payer is zero.
function status(OrderSlot slot) pure returns (IDeliveryVsPayment.Status) {
    return IDeliveryVsPayment.Status((OrderSlot.unwrap(slot) >> 240) & 0xf);
}

/// @dev Returns the status in which the latest dispute was raised; Created (0) if there was none.
function statusBeforeDispute(OrderSlot slot) pure returns (IDeliveryVsPayment.Status) {
    return IDeliveryVsPayment.Status((OrderSlot.unwrap(slot) >> 244) & 0xf);
}

/// @dev Returns whether the status is in a set.
/// @param statuses Bitmap: bit n represents status n.
function isIn(OrderSlot slot, uint256 statuses) pure returns (bool) {
    return (statuses >> ((OrderSlot.unwrap(slot) >> 240) & 0xf)) & 1 != 0;
}

/// @dev Returns whether a flag is set.
/// @param flag One of the constants above.
function has(OrderSlot slot, uint256 flag) pure returns (bool) {
    return OrderSlot.unwrap(slot) & flag != 0;
}

/// @dev Returns the slot with another status.
function withStatus(OrderSlot slot, IDeliveryVsPayment.Status status_) pure returns (OrderSlot) {
    return OrderSlot.wrap((OrderSlot.unwrap(slot) & ~(uint256(0xf) << 240)) | (uint256(status_) << 240));
}

/// @dev Returns the slot as Disputed by `side` until `deadline`, with the delivery deadline extended by `delay` and the
/// side's one-dispute flag set.
/// @param deadline Last Unix second at which the arbiter can decide. This and the extended delivery deadline must fit
/// into 40 bits.
/// @param delay Extension in seconds.
function withDispute(
    OrderSlot slot,
    IDeliveryVsPayment.Side side,
    uint256 deadline,
    uint256 delay
) pure returns (OrderSlot) {
    uint256 word = OrderSlot.unwrap(slot);
    uint256 previous = (word >> 240) & 0xf;
    uint256 deliverBy = ((word >> 160) & type(uint40).max) + delay;
    // Keep the payer and the flags, except the latest dispute's side, which is set below.
    word &= type(uint160).max | (uint256(0xff) << 248);
    word &= ~MERCHANT_LATEST;
    word |= (deliverBy << 160) | (deadline << 200) | (previous << 244);
    word |= side == IDeliveryVsPayment.Side.PAYER ? PAYER_DISPUTED : (MERCHANT_DISPUTED | MERCHANT_LATEST);
    return OrderSlot.wrap(word).withStatus(IDeliveryVsPayment.Status.Disputed);
}

/// @dev Returns the slot with the status from before the dispute, or Delivered if it was proven in the meantime.
function resumed(OrderSlot slot) pure returns (OrderSlot) {
    return slot.withStatus(slot.has(PROVEN) ? IDeliveryVsPayment.Status.Delivered : slot.statusBeforeDispute());
}

/// @dev Returns the slot with a flag set. No flag except MERCHANT_LATEST is ever cleared.
/// @param flag One of the constants above.
function withFlag(OrderSlot slot, uint256 flag) pure returns (OrderSlot) {
    return OrderSlot.wrap(OrderSlot.unwrap(slot) | flag);
}
