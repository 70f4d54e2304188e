// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";
import {OrderTerms} from "./OrderTerms.sol";

/// @title The orders' storage, and the few moves that every operation is made of.
abstract contract Orders is IDeliveryVsPayment, EIP712, ReentrancyGuardTransient {
    using OrderTerms for Terms;
    using SafeERC20 for IERC20;

    /// @dev An order's one slot.
    struct StoredOrder {
        address payer; // never zero in a funded order
        uint40 deliveryDeadline; // last second for a proof; after it the payer may reclaim
        uint40 disputeDeadline; // last second for the arbiter; zero until a dispute is raised
        Status status;
        uint8 flags;
    }

    /// @dev An order's second slot. It exists only if SPLIT is set: else the amounts follow from status and terms.
    struct Amounts {
        uint120 released;
        uint120 taken;
        uint16 milestones;
    }

    /// @dev A valid proof was given.
    uint8 internal constant PROVEN = 1;
    /// @dev The payee took funds on chain.
    uint8 internal constant WITHDRAWN = 2;
    /// @dev The amounts are stored.
    uint8 internal constant SPLIT = 4;

    /// @dev Sets of statuses: bit n is the status with number n.
    uint256 internal constant CREATED = 1 << uint256(Status.Created);
    uint256 internal constant SHIPPED = 1 << uint256(Status.Shipped);
    uint256 internal constant DELIVERED = 1 << uint256(Status.Delivered);
    uint256 internal constant DISPUTED = 1 << uint256(Status.Disputed);
    uint256 internal constant OPEN = CREATED | SHIPPED | DELIVERED;
    uint256 internal constant UNRELEASED = OPEN | DISPUTED;

    mapping(bytes32 orderId => StoredOrder) internal _orders;
    mapping(bytes32 orderId => Amounts) private _splits;
    mapping(address account => mapping(address token => uint256)) internal _credits;

    /// @inheritdoc IDeliveryVsPayment
    function orderIdOf(Terms calldata terms) external view returns (bytes32) {
        return terms.id();
    }

    /// @inheritdoc IDeliveryVsPayment
    function getOrder(Terms calldata terms) external view returns (Order memory) {
        bytes32 orderId = terms.id();
        StoredOrder memory order = _orders[orderId];
        Amounts memory amounts = _amounts(terms, orderId, order);
        return
            Order({
                payer: order.payer,
                deliveryDeadline: order.deliveryDeadline,
                disputeDeadline: order.disputeDeadline,
                status: order.status,
                proven: _has(order, PROVEN),
                withdrawn: _has(order, WITHDRAWN),
                released: amounts.released,
                taken: amounts.taken,
                milestones: amounts.milestones
            });
    }

    /// @dev The funded order with these terms.
    function _find(Terms calldata terms) internal view returns (bytes32 orderId, StoredOrder memory order) {
        orderId = terms.id();
        order = _orders[orderId];
        if (order.payer == address(0)) revert OrderNotFound(orderId);
    }

    /// @dev What was released and taken, whether it is stored or follows from the status.
    function _amounts(
        Terms calldata terms,
        bytes32 orderId,
        StoredOrder memory order
    ) internal view returns (Amounts memory amounts) {
        if (_has(order, SPLIT)) return _splits[orderId];
        if (order.status == Status.AwaitingSettlement || order.status == Status.Completed) {
            amounts.released = terms.amount;
        }
        if (order.status == Status.Completed) amounts.taken = terms.amount;
    }

    /// @dev Stores the order, and its amounts if they are not (or were once not) what the status says.
    function _save(Terms calldata terms, bytes32 orderId, StoredOrder memory order, Amounts memory amounts) internal {
        if (!_has(order, SPLIT)) {
            Amounts memory implied = _amounts(terms, orderId, order);
            if (amounts.released != implied.released || amounts.taken != implied.taken || amounts.milestones != 0) {
                order.flags |= SPLIT;
            }
        }
        if (_has(order, SPLIT)) _splits[orderId] = amounts;
        _orders[orderId] = order;
    }

    /// @dev Releases all that is not yet released.
    function _releaseRest(
        Terms calldata terms,
        bytes32 orderId,
        StoredOrder memory order,
        address actor,
        Cause cause
    ) internal {
        Amounts memory amounts = _amounts(terms, orderId, order);
        uint256 rest = terms.amount - amounts.released;
        amounts.released = terms.amount;
        order.status = Status.AwaitingSettlement;
        _save(terms, orderId, order, amounts);
        emit FundsReleased(orderId, actor, cause, rest);
    }

    /// @dev Sends funds to the payer; if the token refuses (a blacklist, a pause), they wait as a credit. So nobody's
    /// exit depends on whether somebody else can receive.
    function _sendOrCredit(bytes32 orderId, address token, address payer, uint256 amount) internal {
        if (IERC20(token).trySafeTransfer(payer, amount)) return;
        _credits[payer][token] += amount;
        emit CreditAdded(orderId, payer, token, amount);
    }

    function _has(StoredOrder memory order, uint8 flag) internal pure returns (bool) {
        return order.flags & flag != 0;
    }

    function _requireStatus(bytes32 orderId, StoredOrder memory order, uint256 allowed) internal pure {
        if (allowed & (1 << uint256(order.status)) == 0) revert StatusNotAllowed(orderId, order.status, allowed);
    }

    function _requireType(Terms calldata terms, bytes32 orderId, ReleaseType allowed) internal pure {
        if (terms.releaseType != allowed) revert ReleaseTypeNotAllowed(orderId, terms.releaseType, allowed);
    }

    function _requireTime(uint256 earliest, uint256 latest) internal view {
        if (block.timestamp < earliest || block.timestamp > latest) {
            revert OutsideTime(block.timestamp, earliest, latest);
        }
    }

    function _requireRange(bytes32 field, uint256 value, uint256 least, uint256 most) internal pure {
        if (value < least || value > most) revert OutOfRange(field, value, least, most);
    }

    function _requireCaller(address allowed, address alsoAllowed) internal view {
        if (msg.sender != allowed && msg.sender != alsoAllowed) {
            revert CallerNotAllowed(msg.sender, allowed, alsoAllowed);
        }
    }
}
