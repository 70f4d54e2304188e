// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";
import {Guard} from "./Guard.sol";
import {OrderSlot, PROVEN, SPLIT, WITHDRAWN} from "./OrderSlot.sol";
import {OrderTerms} from "./OrderTerms.sol";

/// @title The orders' storage, and the few moves that every operation is made of.
abstract contract Orders is IDeliveryVsPayment, EIP712, Guard {
    using OrderTerms for Terms;
    using SafeERC20 for IERC20;

    /// @dev An order's second slot. It is in use only if SPLIT is set: else the amounts follow from status and terms.
    struct Amounts {
        uint120 released;
        uint120 taken;
        uint16 milestones;
    }

    /// @dev Sets of statuses: bit n is the status with number n.
    uint256 internal constant CREATED = 1 << uint256(Status.Created);
    uint256 internal constant SHIPPED = 1 << uint256(Status.Shipped);
    uint256 internal constant DELIVERED = 1 << uint256(Status.Delivered);
    uint256 internal constant DISPUTED = 1 << uint256(Status.Disputed);
    uint256 internal constant OPEN = CREATED | SHIPPED | DELIVERED;
    uint256 internal constant UNRELEASED = OPEN | DISPUTED;
    uint256 internal constant AWAITING = 1 << uint256(Status.AwaitingSettlement);
    uint256 internal constant RELEASED = AWAITING | (1 << uint256(Status.Completed));

    mapping(bytes32 orderId => OrderSlot) internal _orders;
    mapping(bytes32 orderId => Amounts) internal _splits;
    mapping(address account => mapping(address token => uint256)) internal _credits;

    /// @inheritdoc IDeliveryVsPayment
    function orderIdOf(Terms calldata terms) external view returns (bytes32) {
        return terms.id();
    }

    /// @inheritdoc IDeliveryVsPayment
    function getOrder(Terms calldata terms) external view returns (Order memory) {
        bytes32 orderId = terms.id();
        OrderSlot slot = _orders[orderId];
        uint256 released = _released(terms, orderId, slot);
        return
            Order({
                payer: slot.payer(),
                deliveryDeadline: slot.deliveryDeadline(),
                disputeDeadline: slot.disputeDeadline(),
                status: slot.status(),
                proven: slot.has(PROVEN),
                withdrawn: slot.has(WITHDRAWN),
                released: uint120(released),
                taken: uint120(released - _due(terms, orderId, slot)),
                milestones: _splits[orderId].milestones
            });
    }

    /// @dev The funded order with these terms.
    function _find(Terms calldata terms) internal view returns (bytes32 orderId, OrderSlot slot) {
        orderId = terms.id();
        slot = _orders[orderId];
        if (slot.payer() == address(0)) revert OrderNotFound(orderId);
    }

    /// @dev All that was ever released.
    function _released(Terms calldata terms, bytes32 orderId, OrderSlot slot) internal view returns (uint256) {
        if (slot.has(SPLIT)) return _splits[orderId].released;
        return slot.isIn(RELEASED) ? terms.amount : 0;
    }

    /// @dev What was released and is still here.
    function _due(Terms calldata terms, bytes32 orderId, OrderSlot slot) internal view returns (uint256) {
        if (slot.has(SPLIT)) return _splits[orderId].released - _splits[orderId].taken;
        return slot.isIn(AWAITING) ? terms.amount : 0;
    }

    /// @dev Releases all that is not yet released.
    function _releaseRest(Terms calldata terms, bytes32 orderId, OrderSlot slot, address actor, Cause cause) internal {
        uint256 rest = terms.amount - _released(terms, orderId, slot);
        if (slot.has(SPLIT)) _splits[orderId].released = terms.amount;
        _orders[orderId] = slot.withStatus(Status.AwaitingSettlement);
        emit FundsReleased(orderId, actor, cause, rest);
    }

    /// @dev Sends funds to the payer; if the token refuses (a blacklist, a pause), they wait as a credit. So nobody's
    /// exit depends on whether somebody else can receive.
    function _sendOrCredit(bytes32 orderId, address token, address payer, uint256 amount) internal {
        if (IERC20(token).trySafeTransfer(payer, amount)) return;
        _credits[payer][token] += amount;
        emit CreditAdded(orderId, payer, token, amount);
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

    /// @dev From its lock's end on, a TIME_LOCKED order that was shipped or delivered is the payee's: until somebody
    /// releases it, nothing that could send it back may race the release.
    function _requireLock(Terms calldata terms, bytes32 orderId, OrderSlot slot) internal view {
        if (terms.releaseType != ReleaseType.TIME_LOCKED || slot.status() == Status.Created) return;
        if (block.timestamp >= terms.timeLockUntil) revert TimeLockExpired(orderId, terms.timeLockUntil);
    }

    function _requireRange(bytes32 field, uint256 value, uint256 least, uint256 most) internal pure {
        if (value < least || value > most) revert OutOfRange(field, value, least, most);
    }

    /// @dev Zero stands for nobody. No transaction comes from it, but a simulation may.
    function _requireCaller(address allowed, address alsoAllowed) internal view {
        if ((msg.sender != allowed && msg.sender != alsoAllowed) || msg.sender == address(0)) {
            revert CallerNotAllowed(msg.sender, allowed, alsoAllowed);
        }
    }
}
