// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";
import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";
import {Orders} from "./Orders.sol";
import {OrderSlot, PROVEN, SPLIT} from "./OrderSlot.sol";
import {OrderTerms} from "./OrderTerms.sol";
import {Signatures} from "./Signatures.sol";

/// @title How funds come free for the payee without a dispute.
abstract contract Release is Orders {
    /// @inheritdoc IDeliveryVsPayment
    function release(Terms calldata terms) external nonReentrant {
        (bytes32 orderId, OrderSlot slot) = _find(terms);
        if (msg.sender == slot.payer()) {
            _requireStatus(orderId, slot, UNRELEASED);
            _releaseRest(terms, orderId, slot, msg.sender, Cause.PAYER);
        } else {
            _requireCaller(slot.payer(), terms.operator);
            // A valid proof of an AUTO_RELEASE order releases by itself, so this type is the only one left.
            _requireType(terms, orderId, ReleaseType.DELIVERY_PROOF);
            _requireStatus(orderId, slot, DELIVERED);
            if (!slot.has(PROVEN)) revert ProofMissing(orderId);
            _releaseRest(terms, orderId, slot, msg.sender, Cause.OPERATOR);
        }
    }

    /// @inheritdoc IDeliveryVsPayment
    function releaseTimeLocked(Terms calldata terms) external nonReentrant {
        (bytes32 orderId, OrderSlot slot) = _find(terms);
        _requireType(terms, orderId, ReleaseType.TIME_LOCKED);
        _requireStatus(orderId, slot, SHIPPED | DELIVERED);
        _requireTime(terms.timeLockUntil, type(uint256).max);
        _releaseRest(terms, orderId, slot, msg.sender, Cause.TIME_LOCK);
    }

    /// @inheritdoc IDeliveryVsPayment
    function releaseMilestone(Terms calldata terms, uint256 milestoneIndex, uint256 amount) external nonReentrant {
        (bytes32 orderId, OrderSlot slot) = _find(terms);
        if (msg.sender != slot.payer()) {
            // The operator's word counts only where the terms release by themselves, and never in an oracle's place.
            bool byOperator = terms.autoReleaseOnProof && terms.deliveryOracle == address(0);
            _requireCaller(slot.payer(), byOperator ? terms.operator : terms.deliveryOracle);
            _requireBeforeReclaim(slot);
        }
        _releasePart(terms, orderId, slot, msg.sender, milestoneIndex, amount);
    }

    /// @inheritdoc IDeliveryVsPayment
    function releaseMilestoneFor(
        Terms calldata terms,
        uint256 milestoneIndex,
        uint256 amount,
        bytes calldata oracleSignature
    ) external nonReentrant {
        (bytes32 orderId, OrderSlot slot) = _find(terms);
        bytes32 digest = _hashTypedDataV4(OrderTerms.milestoneReleaseHash(orderId, milestoneIndex, amount));
        Signatures.requireSigner(terms.deliveryOracle, digest, oracleSignature);
        _requireBeforeReclaim(slot);
        _releasePart(terms, orderId, slot, terms.deliveryOracle, milestoneIndex, amount);
    }

    /// @dev From the delivery deadline on, the rest of an unproven order is the payer's to take back: nobody else may
    /// race the payer for it.
    function _requireBeforeReclaim(OrderSlot slot) private view {
        if (!slot.has(PROVEN)) _requireTime(0, slot.deliveryDeadline());
    }

    function _releasePart(
        Terms calldata terms,
        bytes32 orderId,
        OrderSlot slot,
        address actor,
        uint256 milestoneIndex,
        uint256 amount
    ) private {
        _requireType(terms, orderId, ReleaseType.MILESTONE_LOCKED);
        _requireStatus(orderId, slot, OPEN);
        Amounts memory amounts = _splits[orderId];
        _requireRange("milestoneIndex", milestoneIndex, amounts.milestones, amounts.milestones);
        _requireRange("amount", amount, 1, terms.amount - amounts.released);

        amounts.milestones = SafeCast.toUint16(milestoneIndex + 1);
        amounts.released += uint120(amount);
        bool complete = amounts.released == terms.amount;
        _splits[orderId] = amounts;
        _orders[orderId] = (complete ? slot.withStatus(Status.AwaitingSettlement) : slot).withFlag(SPLIT);
        emit MilestoneReleased(orderId, milestoneIndex, actor, amount, complete);
    }
}
