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

function newOrderSlot(
    address payer_,
    uint40 deliveryDeadline_,
    IDeliveryVsPayment.Status status_
) pure returns (OrderSlot) {
    return OrderSlot.wrap(uint160(payer_) | (uint256(deliveryDeadline_) << 160) | (uint256(status_) << 240));
}

function payer(OrderSlot slot) pure returns (address) {
    return address(uint160(OrderSlot.unwrap(slot)));
}

/// @dev The last second for shipment and proof; after it the payer can reclaim what is not proven.
function deliveryDeadline(OrderSlot slot) pure returns (uint40) {
    return uint40(OrderSlot.unwrap(slot) >> 160);
}

/// @dev The last second for the arbiter in the latest dispute; zero if there was none.
function disputeDeadline(OrderSlot slot) pure returns (uint40) {
    return uint40(OrderSlot.unwrap(slot) >> 200);
}

function status(OrderSlot slot) pure returns (IDeliveryVsPayment.Status) {
    return IDeliveryVsPayment.Status((OrderSlot.unwrap(slot) >> 240) & 0xf);
}

function statusBeforeDispute(OrderSlot slot) pure returns (IDeliveryVsPayment.Status) {
    return IDeliveryVsPayment.Status((OrderSlot.unwrap(slot) >> 244) & 0xf);
}

/// @param statuses Bit n stands for the status with number n.
function isIn(OrderSlot slot, uint256 statuses) pure returns (bool) {
    return (statuses >> ((OrderSlot.unwrap(slot) >> 240) & 0xf)) & 1 != 0;
}

function has(OrderSlot slot, uint256 flag) pure returns (bool) {
    return OrderSlot.unwrap(slot) & flag != 0;
}

function withStatus(OrderSlot slot, IDeliveryVsPayment.Status status_) pure returns (OrderSlot) {
    return OrderSlot.wrap((OrderSlot.unwrap(slot) & ~(uint256(0xf) << 240)) | (uint256(status_) << 240));
}

/// @dev Disputed by `side` until `deadline`; the delivery deadline moves by `delay`.
function withDispute(
    OrderSlot slot,
    IDeliveryVsPayment.Side side,
    uint256 deadline,
    uint256 delay
) pure returns (OrderSlot) {
    uint256 word = OrderSlot.unwrap(slot);
    uint256 previous = (word >> 240) & 0xf;
    uint256 deliverBy = ((word >> 160) & type(uint40).max) + delay;
    // Payer and flags stay; the latest dispute's side is set anew.
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

function withFlag(OrderSlot slot, uint256 flag) pure returns (OrderSlot) {
    return OrderSlot.wrap(OrderSlot.unwrap(slot) | flag);
}
