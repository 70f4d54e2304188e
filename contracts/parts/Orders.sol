// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";
import {Guard} from "./Guard.sol";
import {MERCHANT_DISPUTED, MERCHANT_LATEST, OrderSlot, PAYER_DISPUTED, PROVEN, SPLIT, WITHDRAWN} from "./OrderSlot.sol";
import {AMOUNT, OrderTerms, RELEASE_TYPE, TIME_LOCK} from "./OrderTerms.sol";

/// @title Storage of the orders, and the checks and transfers shared by all operations.
abstract contract Orders is IDeliveryVsPayment, EIP712, Guard {
    using OrderTerms for Terms;
    using SafeERC20 for IERC20;

    /// @dev Used only if SPLIT is set; each amount in the token's smallest unit. Milestones and splits use one slot; a
    /// partial refund uses a second one.
    struct Amounts {
        uint120 released; // total released, including disbursed funds
        uint120 disbursed; // settled + withdrawn
        uint120 refunded; // by partial refunds; an order that has ended also refunded what it did not release
    }

    /// @dev Sets of statuses as bitmaps: bit n represents status n.
    uint256 internal constant CREATED = 1 << uint256(Status.Created);
    uint256 internal constant SHIPPED = 1 << uint256(Status.Shipped);
    uint256 internal constant DELIVERED = 1 << uint256(Status.Delivered);
    uint256 internal constant DISPUTED = 1 << uint256(Status.Disputed);
    uint256 internal constant OPEN = CREATED | SHIPPED | DELIVERED;
    uint256 internal constant UNRELEASED = OPEN | DISPUTED;
    uint256 internal constant AWAITING = 1 << uint256(Status.AwaitingSettlement);
    uint256 internal constant RELEASED = AWAITING | (1 << uint256(Status.Completed));

    /// @dev The chain id at deployment: an order keeps its id if a fork changes the chain's id.
    uint256 internal immutable CHAIN_ID = block.chainid;

    /// @dev Each funded order's slot; zero for an id under which no order was funded.
    mapping(bytes32 orderId => OrderSlot) internal _orders;
    /// @dev See Amounts.
    mapping(bytes32 orderId => Amounts) internal _amounts;
    /// @dev The amount that claimCredit would send, in the token's smallest unit.
    mapping(address account => mapping(address token => uint256)) internal _credits;

    /// @inheritdoc IDeliveryVsPayment
    function orderIdOf(Terms calldata terms) external view returns (bytes32) {
        return _orderId(terms);
    }

    /// @inheritdoc IDeliveryVsPayment
    function getOrder(Terms calldata terms) external view returns (Order memory) {
        bytes32 orderId = _orderId(terms);
        OrderSlot slot = _orders[orderId];
        uint256 released = _released(terms, orderId, slot);
        return
            Order({
                payer: slot.payer(),
                deliveryDeadline: slot.deliveryDeadline(),
                disputeDeadline: slot.disputeDeadline(),
                status: slot.status(),
                statusBeforeDispute: slot.statusBeforeDispute(),
                disputeSide: _disputeSide(slot),
                disputedByPayer: slot.has(PAYER_DISPUTED),
                disputedByMerchant: slot.has(MERCHANT_DISPUTED),
                proven: slot.has(PROVEN),
                withdrawn: slot.has(WITHDRAWN),
                released: uint120(released),
                disbursed: uint120(released - _due(terms.amount, orderId, slot)),
                refunded: uint120(_refunded(terms, orderId, slot, released))
            });
    }

    function _orderId(Terms calldata terms) internal view returns (bytes32) {
        return terms.id(CHAIN_ID);
    }

    /// @dev Returns the funded order with these terms, or reverts.
    function _find(Terms calldata terms) internal view returns (bytes32 orderId, OrderSlot slot) {
        orderId = _orderId(terms);
        slot = _orders[orderId];
        if (slot.payer() == address(0)) revert OrderNotFound(orderId);
    }

    /// @dev Returns the total released.
    function _released(Terms calldata terms, bytes32 orderId, OrderSlot slot) internal view returns (uint256) {
        if (slot.has(SPLIT)) return _amounts[orderId].released;
        return slot.isIn(RELEASED) ? terms.amount : 0;
    }

    /// @dev Returns the total refunded to the payer. An order that has ended refunded everything that it did not
    /// release.
    function _refunded(
        Terms calldata terms,
        bytes32 orderId,
        OrderSlot slot,
        uint256 released
    ) internal view returns (uint256) {
        if (!slot.isIn(UNRELEASED)) return terms.amount - released;
        return slot.has(SPLIT) ? _amounts[orderId].refunded : 0;
    }

    /// @dev Returns the amount that is released and still in the escrow.
    /// @param amount The amount of the terms.
    function _due(uint256 amount, bytes32 orderId, OrderSlot slot) internal view returns (uint256) {
        if (slot.has(SPLIT)) return _amounts[orderId].released - _amounts[orderId].disbursed;
        return slot.isIn(AWAITING) ? amount : 0;
    }

    /// @dev Returns the amount of an unreleased order that is neither released nor refunded.
    function _rest(Terms calldata terms, bytes32 orderId, OrderSlot slot) internal view returns (uint256) {
        uint256 amount = terms.cleanNumber(AMOUNT);
        if (!slot.has(SPLIT)) return amount;
        return amount - _amounts[orderId].released - _amounts[orderId].refunded;
    }

    /// @dev Releases the remainder.
    function _releaseRest(Terms calldata terms, bytes32 orderId, OrderSlot slot, address actor, Cause cause) internal {
        uint256 rest = _rest(terms, orderId, slot);
        if (slot.has(SPLIT)) _amounts[orderId].released += uint120(rest);
        _orders[orderId] = slot.withStatus(Status.AwaitingSettlement);
        emit FundsReleased(orderId, actor, cause, rest);
    }

    /// @dev Sends `amount` and measures the transfer: a token that moves a different amount would pay from other
    /// orders.
    function _send(address token, address to, uint256 amount) internal {
        (, uint256 held) = _balance(token);
        IERC20(token).safeTransfer(to, amount);
        uint256 sent = _sent(token, held);
        if (sent != amount) revert SentOtherAmount(token, sent, amount);
    }

    /// @dev Sends funds to the payer. Any amount that the token does not transfer (blacklist, pause) becomes a credit, so
    /// that no party's exit depends on whether another account can receive. The measured balance counts, not the token's
    /// return value. A payer whose hook sends some of the funds back gets a credit for them as well and cannot veto the
    /// transfer.
    function _sendOrCredit(bytes32 orderId, address token, address payer, uint256 amount) internal {
        (bool answered, uint256 held) = _balance(token);
        uint256 sent = 0;
        if (answered) {
            IERC20(token).trySafeTransfer(payer, amount);
            sent = _sent(token, held);
        }
        if (sent == amount) return;
        if (sent > amount) revert SentOtherAmount(token, sent, amount);
        uint256 credit = amount - sent;
        _credits[payer][token] += credit;
        emit CreditAdded(orderId, payer, token, credit);
    }

    /// @dev Returns zero if the token does not answer. Uses the scratch space because every transfer calls this twice:
    /// it saves 400 gas per call.
    function _balance(address token) internal view returns (bool answered, uint256 held) {
        bytes4 selector = IERC20.balanceOf.selector;
        assembly ("memory-safe") {
            mstore(0x00, selector)
            mstore(0x04, address())
            answered := staticcall(gas(), token, 0x00, 0x24, 0x00, 0x20)
            answered := and(answered, gt(returndatasize(), 0x1f))
            held := mul(mload(0x00), answered)
        }
    }

    /// @dev Returns the decrease of the balance; zero if it grew. If a token that answered before no longer answers,
    /// returns an amount that was never requested, so that the caller's gas limit cannot determine what counts as sent.
    function _sent(address token, uint256 held) private view returns (uint256) {
        (bool answered, uint256 holds) = _balance(token);
        if (!answered) return type(uint256).max;
        return held > holds ? held - holds : 0;
    }

    function _disputeSide(OrderSlot slot) internal pure returns (Side) {
        return slot.has(MERCHANT_LATEST) ? Side.MERCHANT : Side.PAYER;
    }

    function _requireStatus(bytes32 orderId, OrderSlot slot, uint256 allowed) internal pure {
        if (!slot.isIn(allowed)) revert StatusNotAllowed(orderId, slot.status(), allowed);
    }

    function _requireType(Terms calldata terms, bytes32 orderId, ReleaseType allowed) internal pure {
        if (terms.releaseType != allowed) revert ReleaseTypeNotAllowed(orderId, terms.releaseType, allowed);
    }

    function _requireTime(uint256 earliest, uint256 latest) internal view {
        if (block.timestamp < earliest || block.timestamp > latest) {
            revert OutsideTime(block.timestamp, earliest, latest);
        }
    }

    /// @dev Returns whether anyone can release an open order because its lock has expired. Until someone does, the
    /// funds are vested in the payee and no other call can race the release.
    function _lockExpired(Terms calldata terms, OrderSlot slot) internal view returns (bool) {
        return
            terms.cleanNumber(RELEASE_TYPE) == uint256(ReleaseType.TIME_LOCKED) &&
            slot.isIn(SHIPPED | DELIVERED) &&
            block.timestamp >= terms.cleanNumber(TIME_LOCK);
    }

    function _requireRange(bytes32 field, uint256 value, uint256 least, uint256 most) internal pure {
        if (value < least || value > most) revert OutOfRange(field, value, least, most);
    }

    /// @dev The zero address represents no account. It sends no transactions, but can be the sender of a simulation.
    function _requireCaller(address allowed, address alsoAllowed) internal view {
        if ((msg.sender != allowed && msg.sender != alsoAllowed) || msg.sender == address(0)) {
            revert CallerNotAllowed(msg.sender, allowed, alsoAllowed);
        }
    }
}
