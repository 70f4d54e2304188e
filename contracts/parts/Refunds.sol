// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";
import {Orders} from "./Orders.sol";
import {OrderSlot, PROVEN} from "./OrderSlot.sol";

/// @title How unreleased funds go back to the payer without a dispute.
abstract contract Refunds is Orders {
    /// @inheritdoc IDeliveryVsPayment
    function refund(Terms calldata terms) external nonReentrant {
        (bytes32 orderId, OrderSlot slot) = _find(terms);
        if (msg.sender == terms.payee) {
            _requireStatus(orderId, slot, UNRELEASED);
            _cancel(terms, orderId, slot, Cause.PAYEE);
        } else {
            _requireCaller(terms.payee, terms.operator);
            // The operator does not decide a dispute, nor against a valid proof or an expired lock.
            _requireStatus(orderId, slot, OPEN);
            if (slot.has(PROVEN)) revert ProofAlreadyValid(orderId);
            _requireLock(terms, orderId, slot);
            _cancel(terms, orderId, slot, Cause.OPERATOR);
        }
    }

    /// @inheritdoc IDeliveryVsPayment
    function reclaim(Terms calldata terms) external nonReentrant {
        (bytes32 orderId, OrderSlot slot) = _find(terms);
        _requireCaller(slot.payer(), address(0));
        _requireStatus(orderId, slot, OPEN);
        if (slot.has(PROVEN)) revert ProofAlreadyValid(orderId);
        _requireTime(uint256(slot.deliveryDeadline()) + 1, type(uint256).max);
        // It ends by the delivery deadline, so here it has.
        _requireLock(terms, orderId, slot);
        _cancel(terms, orderId, slot, Cause.DELIVERY_TIMEOUT);
    }

    /// @dev Returns the unreleased rest. What was released before stays the payee's.
    function _cancel(Terms calldata terms, bytes32 orderId, OrderSlot slot, Cause cause) private {
        uint256 rest = terms.amount - _released(terms, orderId, slot);
        _orders[orderId] = slot.withStatus(Status.Cancelled);
        emit OrderRefunded(orderId, msg.sender, cause, rest);
        _sendOrCredit(orderId, terms.token, slot.payer(), rest);
    }
}
