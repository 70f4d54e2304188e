// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";

/// @dev An order's one storage slot, zero for an order that was never funded. From the low bits up: payer (160),
/// delivery deadline (40), dispute deadline (40), status (4), status before the dispute (4), flags (8). A word of its own
/// type, not a struct: an operation reads it once, changes it on the stack and writes it once.
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

/// @dev A valid proof was given.
uint256 constant PROVEN = 1 << 248;
/// @dev The payee withdrew on chain.
uint256 constant WITHDRAWN = 1 << 249;
/// @dev The amounts are stored in slots of their own; else they follow from status and terms.
uint256 constant SPLIT = 1 << 250;
/// @dev The payer's side has raised its dispute.
uint256 constant PAYER_DISPUTED = 1 << 251;
/// @dev The merchant's side has raised its dispute.
uint256 constant MERCHANT_DISPUTED = 1 << 252;
/// @dev The latest dispute is the merchant's.
uint256 constant MERCHANT_LATEST = 1 << 253;

/// @dev The slot of an order that is funded now: no dispute, no flag.
/// @param payer_ The account that funds it.
/// @param deliveryDeadline_ Unix second.
/// @param status_ Created, or AwaitingSettlement on IMMEDIATE.
function newOrderSlot(
    address payer_,
    uint40 deliveryDeadline_,
    IDeliveryVsPayment.Status status_
) pure returns (OrderSlot) {
    return OrderSlot.wrap(uint160(payer_) | (uint256(deliveryDeadline_) << 160) | (uint256(status_) << 240));
}

/// @dev The account that funded the order; zero if none did.
function payer(OrderSlot slot) pure returns (address) {
    return address(uint160(OrderSlot.unwrap(slot)));
}

/// @dev Unix second, the last for shipment and proof; after it the payer can reclaim what is not proven, unless the payee's
/// lock has expired.
function deliveryDeadline(OrderSlot slot) pure returns (uint40) {
    return uint40(OrderSlot.unwrap(slot) >> 160);
}

/// @dev Unix second, the last for the arbiter in the latest dispute; zero if there was none.
function disputeDeadline(OrderSlot slot) pure returns (uint40) {
    return uint40(OrderSlot.unwrap(slot) >> 200);
}

/// @dev Created (0) for an order that was never funded: payer distinguishes them.
function status(OrderSlot slot) pure returns (IDeliveryVsPayment.Status) {
    return IDeliveryVsPayment.Status((OrderSlot.unwrap(slot) >> 240) & 0xf);
}

/// @dev The status in which the latest dispute was raised; Created (0) if there was none.
function statusBeforeDispute(OrderSlot slot) pure returns (IDeliveryVsPayment.Status) {
    return IDeliveryVsPayment.Status((OrderSlot.unwrap(slot) >> 244) & 0xf);
}

/// @dev Whether the status is one of a set.
/// @param statuses Bit n stands for the status with number n.
function isIn(OrderSlot slot, uint256 statuses) pure returns (bool) {
    return (statuses >> ((OrderSlot.unwrap(slot) >> 240) & 0xf)) & 1 != 0;
}

/// @dev Whether a flag is set.
/// @param flag One of the constants above.
function has(OrderSlot slot, uint256 flag) pure returns (bool) {
    return OrderSlot.unwrap(slot) & flag != 0;
}

/// @dev The same order in another status.
function withStatus(OrderSlot slot, IDeliveryVsPayment.Status status_) pure returns (OrderSlot) {
    return OrderSlot.wrap((OrderSlot.unwrap(slot) & ~(uint256(0xf) << 240)) | (uint256(status_) << 240));
}

/// @dev Disputed by `side` until `deadline`; the delivery deadline moves by `delay`. The flag of the side's one dispute is set.
/// @param deadline Unix second, the arbiter's last; like the moved delivery deadline it has to fit into 40 bits.
/// @param delay Seconds.
function withDispute(
    OrderSlot slot,
    IDeliveryVsPayment.Side side,
    uint256 deadline,
    uint256 delay
) pure returns (OrderSlot) {
    uint256 word = OrderSlot.unwrap(slot);
    uint256 previous = (word >> 240) & 0xf;
    uint256 deliverBy = ((word >> 160) & type(uint40).max) + delay;
    // Payer and flags stay; the latest dispute's side is set again.
    word &= type(uint160).max | (uint256(0xff) << 248);
    word &= ~MERCHANT_LATEST;
    word |= (deliverBy << 160) | (deadline << 200) | (previous << 244);
    word |= side == IDeliveryVsPayment.Side.PAYER ? PAYER_DISPUTED : (MERCHANT_DISPUTED | MERCHANT_LATEST);
    return OrderSlot.wrap(word).withStatus(IDeliveryVsPayment.Status.Disputed);
}

/// @dev As it was before the dispute; Delivered if it was proven meanwhile.
function resumed(OrderSlot slot) pure returns (OrderSlot) {
    return slot.withStatus(slot.has(PROVEN) ? IDeliveryVsPayment.Status.Delivered : slot.statusBeforeDispute());
}

/// @dev The same order with a flag set; no flag but MERCHANT_LATEST is ever taken back.
/// @param flag One of the constants above.
function withFlag(OrderSlot slot, uint256 flag) pure returns (OrderSlot) {
    return OrderSlot.wrap(OrderSlot.unwrap(slot) | flag);
}
