// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";
import {Delivery} from "./Delivery.sol";
import {Funding} from "./Funding.sol";
import {MERCHANT_DISPUTED, OrderSlot, PAYER_DISPUTED, PROVEN, SPLIT} from "./OrderSlot.sol";
import {OrderTerms} from "./OrderTerms.sol";
import {Signatures} from "./Signatures.sol";

/// @title Disputes: raised at most once per side, ended by the arbiter, by both parties, or by time.
abstract contract Disputes is Funding, Delivery {
    using OrderTerms for Terms;

    /// @inheritdoc IDeliveryVsPayment
    function raiseDispute(Terms calldata terms, uint40 window, string calldata reason) external notEntered {
        (bytes32 orderId, OrderSlot slot) = _find(terms);
        Side side = Side.PAYER;
        if (msg.sender != slot.payer()) {
            _requireCaller(terms.payee, terms.operator);
            side = Side.MERCHANT;
        }
        _raise(terms, orderId, slot, msg.sender, side, window, reason);
    }

    /// @inheritdoc IDeliveryVsPayment
    function raiseDisputeFor(
        Terms calldata terms,
        uint40 window,
        string calldata reason,
        uint256 deadline,
        bytes calldata payerSignature
    ) external notEntered {
        (bytes32 orderId, OrderSlot slot) = _find(terms);
        _requireCaller(terms.operator, address(0));
        _requireTime(0, deadline);
        bytes32 structHash = terms.disputeHash(orderId, window, reason, deadline);
        Signatures.requireSigner(slot.payer(), _hashTypedDataV4(structHash), payerSignature);
        _raise(terms, orderId, slot, slot.payer(), Side.PAYER, window, reason);
    }

    /// @inheritdoc IDeliveryVsPayment
    function resolveDispute(Terms calldata terms, uint256 payeeAmount) external nonReentrant {
        (bytes32 orderId, OrderSlot slot) = _find(terms);
        _requireCaller(terms.arbiter, address(0));
        _requireStatus(orderId, slot, DISPUTED);
        // After the deadline the timeout decides: the arbiter and the timeout must not race.
        _requireTime(0, slot.disputeDeadline());
        _resolve(terms, orderId, slot, payeeAmount, Cause.ARBITER);
    }

    /// @inheritdoc IDeliveryVsPayment
    function resolveDisputeByAgreement(
        Terms calldata terms,
        uint256 payeeAmount,
        uint256 deadline,
        bytes calldata payerSignature,
        bytes calldata payeeSignature
    ) external nonReentrant {
        (bytes32 orderId, OrderSlot slot) = _find(terms);
        _requireStatus(orderId, slot, DISPUTED);
        _requireTime(0, deadline);
        bytes32 digest = _hashTypedDataV4(
            terms.disputeAgreementHash(orderId, _disputeSide(slot), payeeAmount, deadline)
        );
        Signatures.requireSigner(slot.payer(), digest, payerSignature);
        Signatures.requireSigner(terms.payee, digest, payeeSignature);
        _resolve(terms, orderId, slot, payeeAmount, Cause.AGREEMENT);
    }

    /// @inheritdoc IDeliveryVsPayment
    function resolveExpiredDispute(Terms calldata terms) external nonReentrant {
        (bytes32 orderId, OrderSlot slot) = _find(terms);
        _requireStatus(orderId, slot, DISPUTED);
        _requireTime(uint256(slot.disputeDeadline()) + 1, type(uint256).max);
        bool proven = slot.has(PROVEN);
        // No side gains from its own dispute and the others' silence, and a lock expires only by time.
        bool resumes = terms.releaseType == ReleaseType.TIME_LOCKED || _disputeSide(slot) == Side.MERCHANT;
        // Silence counts as agreement with the payer only where the merchant's own proof would have released the funds.
        if (!proven) resumes = resumes || !_provesDelivery(terms) || terms.hasIndependentOracle(slot.payer());
        if (resumes) {
            slot = slot.resumed();
            _orders[orderId] = slot;
            emit OrderResumed(orderId, msg.sender, slot.status());
        } else {
            _resolve(terms, orderId, slot, proven ? type(uint256).max : 0, Cause.DISPUTE_TIMEOUT);
        }
    }

    function _raise(
        Terms calldata terms,
        bytes32 orderId,
        OrderSlot slot,
        address actor,
        Side side,
        uint40 window,
        string calldata reason
    ) private {
        _requireStatus(orderId, slot, OPEN);
        if (slot.has(side == Side.PAYER ? PAYER_DISPUTED : MERCHANT_DISPUTED)) {
            revert DisputeAlreadyRaised(orderId, side);
        }
        _requireNoVestedExit(terms, orderId, slot);
        _requireRange("window", window, terms.disputeWindow, _longestWindow(terms, side));
        // A dispute lasts at least one second longer than its window, and someone has to end it. Even when raised in
        // the second of the deadline, it leaves the others the terms' dispute window to act.
        slot = slot.withDispute(side, block.timestamp + window, uint256(window) + terms.disputeWindow);
        _orders[orderId] = slot;
        emit DisputeRaised(orderId, actor, side, slot.disputeDeadline(), slot.deliveryDeadline(), reason);
    }

    /// @dev A merchant's dispute must leave the payer the terms' dispute window before the lock expires. A dispute that
    /// outlasts the lock, or ends in the block before, would keep the payer from disputing until the funds are vested
    /// in the payee.
    function _longestWindow(Terms calldata terms, Side side) private view returns (uint256) {
        bool locks = terms.releaseType == ReleaseType.TIME_LOCKED && block.timestamp < terms.timeLockUntil;
        if (side == Side.PAYER || !locks) return MAX_DISPUTE_WINDOW;
        uint256 left = terms.timeLockUntil - block.timestamp;
        return Math.min(Math.saturatingSub(left, terms.disputeWindow), MAX_DISPUTE_WINDOW);
    }

    /// @dev Reverts if the dispute would take away what a party can already take by its own call: the payee by
    /// releaseTimeLocked or release, the payer by reclaim.
    function _requireNoVestedExit(Terms calldata terms, bytes32 orderId, OrderSlot slot) private view {
        bool late = block.timestamp > slot.deliveryDeadline();
        bool payees = _lockExpired(terms, slot);
        if (slot.has(PROVEN)) {
            if (terms.releaseType == ReleaseType.MILESTONE_LOCKED) payees = true;
            else if (late && _provesDelivery(terms)) payees = true;
        } else if (late && !payees) {
            revert ExitVested(orderId, slot.payer());
        }
        if (payees) revert ExitVested(orderId, terms.payee);
    }

    /// @dev Splits the remainder: the payer's share is refunded immediately, the payee's share awaits settlement.
    function _resolve(Terms calldata terms, bytes32 orderId, OrderSlot slot, uint256 payeeAmount, Cause cause) private {
        uint256 rest = _rest(terms, orderId, slot);
        payeeAmount = Math.min(payeeAmount, rest);
        // The payer gets what the payee's share leaves, so no unit is lost to rounding.
        uint256 payerAmount = rest - payeeAmount;
        if (payeeAmount != 0 && (slot.has(SPLIT) || payerAmount != 0)) {
            _amounts[orderId].released += uint120(payeeAmount);
            slot = slot.withFlag(SPLIT);
        }
        _orders[orderId] = slot.withStatus(payeeAmount == 0 ? Status.Cancelled : Status.AwaitingSettlement);
        emit DisputeResolved(orderId, msg.sender, cause, payeeAmount, payerAmount);
        if (payerAmount != 0) _sendOrCredit(orderId, terms.token, slot.payer(), payerAmount);
    }
}
