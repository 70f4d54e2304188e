// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";

/// @dev An order's one storage slot, zero for an order that was never funded. From the low bits up: payer (160),
/// delivery deadline (40), dispute deadline (40), status (8), flags (8). A word of its own type, not a struct: an
/// operation reads it once, changes it on the stack and writes it once.
type OrderSlot is uint256;

using {
    payer,
    deliveryDeadline,
    disputeDeadline,
    status,
    isIn,
    has,
    withStatus,
    withDispute,
    withFlag
} for OrderSlot global;

/// @dev A valid proof was given.
uint256 constant PROVEN = 1 << 248;
/// @dev The payee took funds on chain.
uint256 constant WITHDRAWN = 1 << 249;
/// @dev The amounts are stored in the second slot; else they follow from status and terms.
uint256 constant SPLIT = 1 << 250;

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

/// @dev The last second for a proof; after it the payer may reclaim.
function deliveryDeadline(OrderSlot slot) pure returns (uint40) {
    return uint40(OrderSlot.unwrap(slot) >> 160);
}

/// @dev The last second for the arbiter; zero until a dispute is raised.
function disputeDeadline(OrderSlot slot) pure returns (uint40) {
    return uint40(OrderSlot.unwrap(slot) >> 200);
}

function status(OrderSlot slot) pure returns (IDeliveryVsPayment.Status) {
    return IDeliveryVsPayment.Status(uint8(OrderSlot.unwrap(slot) >> 240));
}

/// @param statuses Bit n stands for the status with number n.
function isIn(OrderSlot slot, uint256 statuses) pure returns (bool) {
    return (statuses >> uint8(OrderSlot.unwrap(slot) >> 240)) & 1 != 0;
}

function has(OrderSlot slot, uint256 flag) pure returns (bool) {
    return OrderSlot.unwrap(slot) & flag != 0;
}

function withStatus(OrderSlot slot, IDeliveryVsPayment.Status status_) pure returns (OrderSlot) {
    return OrderSlot.wrap((OrderSlot.unwrap(slot) & ~(uint256(0xff) << 240)) | (uint256(status_) << 240));
}

/// @dev Disputed until `deadline`. An order is disputed once, so the deadline's bits are still zero.
function withDispute(OrderSlot slot, uint40 deadline) pure returns (OrderSlot) {
    OrderSlot disputed = slot.withStatus(IDeliveryVsPayment.Status.Disputed);
    return OrderSlot.wrap(OrderSlot.unwrap(disputed) | (uint256(deadline) << 200));
}

function withFlag(OrderSlot slot, uint256 flag) pure returns (OrderSlot) {
    return OrderSlot.wrap(OrderSlot.unwrap(slot) | flag);
}
