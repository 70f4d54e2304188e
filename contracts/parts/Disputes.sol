// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";
import {Funding} from "./Funding.sol";
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
        (bytes32 orderId, StoredOrder memory order) = _find(terms);
        if (raisedBy != order.payer && raisedBy != terms.payee) revert RoleNotAllowed("raisedBy", raisedBy);
        _requireCaller(raisedBy, terms.operator);
        if (order.disputeDeadline != 0) revert DisputeAlreadyRaised(orderId);
        _requireStatus(orderId, order, OPEN);
        _requireRange("window", window, terms.disputeWindow, MAX_DISPUTE_WINDOW);
        order.status = Status.Disputed;
        order.disputeDeadline = uint40(block.timestamp + window);
        _orders[orderId] = order;
        emit DisputeRaised(orderId, raisedBy, order.disputeDeadline, reason);
    }

    /// @inheritdoc IDeliveryVsPayment
    function resolveDispute(Terms calldata terms, uint256 payeeAmount) external nonReentrant {
        (bytes32 orderId, StoredOrder memory order) = _find(terms);
        _requireCaller(terms.arbiter, address(0));
        _requireStatus(orderId, order, DISPUTED);
        // Afterwards the timeout decides: an arbiter and a timeout must not race.
        _requireTime(0, order.disputeDeadline);
        _resolve(terms, orderId, order, payeeAmount, Cause.ARBITER);
    }

    /// @inheritdoc IDeliveryVsPayment
    function resolveDisputeByAgreement(
        Terms calldata terms,
        uint256 payeeAmount,
        bytes calldata payerSignature,
        bytes calldata payeeSignature
    ) external nonReentrant {
        (bytes32 orderId, StoredOrder memory order) = _find(terms);
        _requireStatus(orderId, order, DISPUTED);
        bytes32 digest = _hashTypedDataV4(OrderTerms.disputeAgreementHash(orderId, payeeAmount));
        Signatures.requireSigner(order.payer, digest, payerSignature);
        Signatures.requireSigner(terms.payee, digest, payeeSignature);
        _resolve(terms, orderId, order, payeeAmount, Cause.AGREEMENT);
    }

    /// @inheritdoc IDeliveryVsPayment
    function resolveExpiredDispute(Terms calldata terms) external nonReentrant {
        (bytes32 orderId, StoredOrder memory order) = _find(terms);
        _requireStatus(orderId, order, DISPUTED);
        _requireTime(uint256(order.disputeDeadline) + 1, type(uint256).max);
        uint256 payeeAmount = 0;
        if (_has(order, PROVEN)) payeeAmount = terms.amount - _amounts(terms, orderId, order).released;
        _resolve(terms, orderId, order, payeeAmount, Cause.DISPUTE_TIMEOUT);
    }

    /// @dev Splits the unreleased rest: the payer's part leaves at once, the payee's awaits settlement.
    function _resolve(
        Terms calldata terms,
        bytes32 orderId,
        StoredOrder memory order,
        uint256 payeeAmount,
        Cause cause
    ) private {
        Amounts memory amounts = _amounts(terms, orderId, order);
        uint256 rest = terms.amount - amounts.released;
        _requireRange("payeeAmount", payeeAmount, 0, rest);
        // The payer's part is what the payee's leaves, so no unit is lost to rounding.
        uint256 payerAmount = rest - payeeAmount;
        amounts.released += uint120(payeeAmount);
        order.status = payeeAmount == 0 ? Status.Cancelled : Status.AwaitingSettlement;
        _save(terms, orderId, order, amounts);
        emit DisputeResolved(orderId, msg.sender, cause, payeeAmount, payerAmount);
        if (payerAmount != 0) _sendOrCredit(orderId, terms.token, order.payer, payerAmount);
    }
}
