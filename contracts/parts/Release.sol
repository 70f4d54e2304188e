// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";
import {Delivery} from "./Delivery.sol";
import {OrderSlot, PROVEN, SPLIT} from "./OrderSlot.sol";
import {OrderTerms} from "./OrderTerms.sol";
import {Signatures} from "./Signatures.sol";

/// @title Release of funds to the payee without a dispute.
abstract contract Release is Delivery {
    using OrderTerms for Terms;

    /// @inheritdoc IDeliveryVsPayment
    function release(Terms calldata terms) external notEntered {
        (bytes32 orderId, OrderSlot slot) = _find(terms);
        if (msg.sender == slot.payer()) {
            _requireStatus(orderId, slot, UNRELEASED);
            _releaseRest(terms, orderId, slot, msg.sender, Cause.PAYER);
            return;
        }
        _requireCaller(terms.payee, terms.operator);
        _requireStatus(orderId, slot, OPEN);
        if (!slot.has(PROVEN)) revert ProofMissing(orderId);
        if (msg.sender == terms.operator && _provesDelivery(terms)) {
            _releaseRest(terms, orderId, slot, msg.sender, Cause.OPERATOR);
            return;
        }
        _requireCaller(terms.payee, address(0));
        // The counterpart of reclaim: a hostile operator cannot leave proven funds stuck.
        if (_provesDelivery(terms)) _requireTime(uint256(slot.deliveryDeadline()) + 1, type(uint256).max);
        else _requireType(terms, orderId, ReleaseType.MILESTONE_LOCKED);
        _releaseRest(terms, orderId, slot, msg.sender, Cause.PAYEE);
    }

    /// @inheritdoc IDeliveryVsPayment
    function releaseTimeLocked(Terms calldata terms) external notEntered {
        (bytes32 orderId, OrderSlot slot) = _find(terms);
        _requireType(terms, orderId, ReleaseType.TIME_LOCKED);
        _requireStatus(orderId, slot, SHIPPED | DELIVERED);
        _requireTime(terms.timeLockUntil, type(uint256).max);
        _releaseRest(terms, orderId, slot, msg.sender, Cause.TIME_LOCK);
    }

    /// @inheritdoc IDeliveryVsPayment
    function releaseMilestone(Terms calldata terms, uint256 cumulativeAmount) external notEntered {
        (bytes32 orderId, OrderSlot slot) = _find(terms);
        if (msg.sender != slot.payer()) {
            if (terms.deliveryOracle == address(0)) {
                // The operator can release only with autoReleaseOnProof, and never in place of an oracle.
                _requireCaller(terms.autoReleaseOnProof ? terms.operator : slot.payer(), address(0));
            } else {
                _requireIndependentOracle(terms, slot);
                _requireCaller(terms.deliveryOracle, address(0));
            }
            // After the deadline, the payer can reclaim the remainder or, if proven, the payee can release it.
            _requireTime(0, slot.deliveryDeadline());
        }
        _releaseUpTo(terms, orderId, slot, msg.sender, cumulativeAmount);
    }

    /// @inheritdoc IDeliveryVsPayment
    function releaseMilestoneFor(
        Terms calldata terms,
        uint256 cumulativeAmount,
        bytes calldata oracleSignature
    ) external notEntered {
        (bytes32 orderId, OrderSlot slot) = _find(terms);
        _requireIndependentOracle(terms, slot);
        bytes32 digest = _hashTypedDataV4(terms.milestoneReleaseHash(orderId, cumulativeAmount));
        Signatures.requireSigner(terms.deliveryOracle, digest, oracleSignature);
        _requireTime(0, slot.deliveryDeadline());
        _releaseUpTo(terms, orderId, slot, terms.deliveryOracle, cumulativeAmount);
    }

    /// @dev Amounts are cumulative, so that a release by one party does not invalidate another's signature: each
    /// signature states the total that may be released.
    function _releaseUpTo(
        Terms calldata terms,
        bytes32 orderId,
        OrderSlot slot,
        address actor,
        uint256 cumulativeAmount
    ) private {
        _requireType(terms, orderId, ReleaseType.MILESTONE_LOCKED);
        _requireStatus(orderId, slot, OPEN);
        bool split = slot.has(SPLIT);
        uint256 released = split ? _amounts[orderId].released : 0;
        uint256 most = split ? terms.amount - _amounts[orderId].refunded : terms.amount;
        uint256 total = Math.min(cumulativeAmount, most);
        if (total <= released) revert NothingToRelease(orderId, cumulativeAmount, released);
        bool complete = total == most;
        _amounts[orderId].released = uint120(total);
        _orders[orderId] = (complete ? slot.withStatus(Status.AwaitingSettlement) : slot).withFlag(SPLIT);
        emit MilestoneReleased(orderId, actor, total - released, total, complete);
    }
}
