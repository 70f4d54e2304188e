// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";
import {Orders} from "./Orders.sol";
import {OrderSlot, PROVEN, SPLIT} from "./OrderSlot.sol";
import {OrderTerms, TOKEN} from "./OrderTerms.sol";

/// @title Refunds of unreleased funds to the payer without a dispute.
abstract contract Refunds is Orders {
    using OrderTerms for Terms;

    /// @inheritdoc IDeliveryVsPayment
    function refund(Terms calldata terms, uint256 amount) external nonReentrant {
        (bytes32 orderId, OrderSlot slot) = _find(terms);
        Cause cause = Cause.PAYEE;
        if (msg.sender == terms.payee) {
            _requireStatus(orderId, slot, UNRELEASED);
        } else {
            _requireCaller(terms.payee, terms.operator);
            // The operator cannot decide a dispute or override a proof or an expired lock.
            _requireStatus(orderId, slot, OPEN);
            if (slot.has(PROVEN)) revert ProofAlreadyValid(orderId);
            if (_lockExpired(terms, slot)) revert ExitVested(orderId, terms.payee);
            cause = Cause.OPERATOR;
        }
        uint256 rest = _rest(terms, orderId, slot);
        _requireRange("amount", amount, 1, rest);
        _return(terms, orderId, slot, cause, amount, amount == rest);
    }

    /// @inheritdoc IDeliveryVsPayment
    function reclaim(Terms calldata terms) external nonReentrant {
        (bytes32 orderId, OrderSlot slot) = _find(terms);
        _requireCaller(slot.payer(), address(0));
        _requireStatus(orderId, slot, OPEN);
        if (slot.has(PROVEN)) revert ProofAlreadyValid(orderId);
        _requireTime(uint256(slot.deliveryDeadline()) + 1, type(uint256).max);
        if (_lockExpired(terms, slot)) revert ExitVested(orderId, terms.payee);
        _return(terms, orderId, slot, Cause.DELIVERY_TIMEOUT, _rest(terms, orderId, slot), true);
    }

    /// @dev Refunds `amount` of the remainder. Earlier releases remain the payee's.
    function _return(
        Terms calldata terms,
        bytes32 orderId,
        OrderSlot slot,
        Cause cause,
        uint256 amount,
        bool complete
    ) private {
        if (complete) {
            slot = slot.withStatus(Status.Cancelled);
        } else {
            _amounts[orderId].refunded += uint120(amount);
            slot = slot.withFlag(SPLIT);
        }
        _orders[orderId] = slot;
        emit OrderRefunded(orderId, msg.sender, cause, amount, complete);
        _sendOrCredit(orderId, terms.cleanAddress(TOKEN), slot.payer(), amount);
    }
}
