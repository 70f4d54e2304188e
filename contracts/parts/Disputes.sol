// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";
import {Funding} from "./Funding.sol";
import {OrderSlot, PROVEN, SPLIT} from "./OrderSlot.sol";
import {OrderTerms} from "./OrderTerms.sol";
import {Signatures} from "./Signatures.sol";

/// @title Disputes: raised once an order, ended by the arbiter, by both parties, or by time.
abstract contract Disputes is Funding {
    /// @inheritdoc IDeliveryVsPayment
    function raiseDispute(
        Terms calldata terms,
        address raisedBy,
        uint40 window,
        string calldata reason
    ) external nonReentrant {
        (bytes32 orderId, OrderSlot slot) = _find(terms);
        if (raisedBy != slot.payer() && raisedBy != terms.payee) revert RoleNotAllowed("raisedBy", raisedBy);
        _requireCaller(raisedBy, terms.operator);
        if (slot.disputeDeadline() != 0) revert DisputeAlreadyRaised(orderId);
        _requireStatus(orderId, slot, OPEN);
        _requireLock(terms, orderId, slot);
        _requireRange("window", window, terms.disputeWindow, MAX_DISPUTE_WINDOW);
        uint40 deadline = uint40(block.timestamp + window);
        _orders[orderId] = slot.withDispute(deadline);
        emit DisputeRaised(orderId, raisedBy, deadline, reason);
    }

    /// @inheritdoc IDeliveryVsPayment
    function resolveDispute(Terms calldata terms, uint256 payeeAmount) external nonReentrant {
        (bytes32 orderId, OrderSlot slot) = _find(terms);
        _requireCaller(terms.arbiter, address(0));
        _requireStatus(orderId, slot, DISPUTED);
        // Afterwards the timeout decides: an arbiter and a timeout must not race.
        _requireTime(0, slot.disputeDeadline());
        _resolve(terms, orderId, slot, payeeAmount, Cause.ARBITER);
    }

    /// @inheritdoc IDeliveryVsPayment
    function resolveDisputeByAgreement(
        Terms calldata terms,
        uint256 payeeAmount,
        bytes calldata payerSignature,
        bytes calldata payeeSignature
    ) external nonReentrant {
        (bytes32 orderId, OrderSlot slot) = _find(terms);
        _requireStatus(orderId, slot, DISPUTED);
        bytes32 digest = _hashTypedDataV4(OrderTerms.disputeAgreementHash(orderId, payeeAmount));
        Signatures.requireSigner(slot.payer(), digest, payerSignature);
        Signatures.requireSigner(terms.payee, digest, payeeSignature);
        _resolve(terms, orderId, slot, payeeAmount, Cause.AGREEMENT);
    }

    /// @inheritdoc IDeliveryVsPayment
    function resolveExpiredDispute(Terms calldata terms) external nonReentrant {
        (bytes32 orderId, OrderSlot slot) = _find(terms);
        _requireStatus(orderId, slot, DISPUTED);
        _requireTime(uint256(slot.disputeDeadline()) + 1, type(uint256).max);
        uint256 payeeAmount = 0;
        if (slot.has(PROVEN)) payeeAmount = terms.amount - _released(terms, orderId, slot);
        _resolve(terms, orderId, slot, payeeAmount, Cause.DISPUTE_TIMEOUT);
    }

    /// @dev Splits the unreleased rest: the payer's part leaves at once, the payee's awaits settlement.
    function _resolve(Terms calldata terms, bytes32 orderId, OrderSlot slot, uint256 payeeAmount, Cause cause) private {
        uint256 released = _released(terms, orderId, slot);
        uint256 rest = terms.amount - released;
        _requireRange("payeeAmount", payeeAmount, 0, rest);
        // The payer's part is what the payee's leaves, so no unit is lost to rounding.
        uint256 payerAmount = rest - payeeAmount;
        if (slot.has(SPLIT) || (payeeAmount != 0 && payerAmount != 0)) {
            _splits[orderId].released = uint120(released + payeeAmount);
            slot = slot.withFlag(SPLIT);
        }
        _orders[orderId] = slot.withStatus(payeeAmount == 0 ? Status.Cancelled : Status.AwaitingSettlement);
        emit DisputeResolved(orderId, msg.sender, cause, payeeAmount, payerAmount);
        if (payerAmount != 0) _sendOrCredit(orderId, terms.token, slot.payer(), payerAmount);
    }
}
