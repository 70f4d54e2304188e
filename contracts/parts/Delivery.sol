// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";
import {Orders} from "./Orders.sol";
import {OrderSlot, PROVEN} from "./OrderSlot.sol";
import {OrderTerms, RELEASE_TYPE} from "./OrderTerms.sol";
import {Signatures} from "./Signatures.sol";

/// @title Shipment and proofs of delivery, both only until the delivery deadline so that they cannot race a reclaim.
abstract contract Delivery is Orders {
    using OrderTerms for Terms;

    /// @inheritdoc IDeliveryVsPayment
    function markShipped(Terms calldata terms) external notEntered {
        (bytes32 orderId, OrderSlot slot) = _find(terms);
        // An independent oracle that attests delivery also attests shipment: a lock expires only for a shipped order.
        if (terms.hasIndependentOracle(slot.payer())) _requireCaller(terms.deliveryOracle, address(0));
        else _requireCaller(terms.payee, terms.operator);
        _ship(orderId, slot, msg.sender);
    }

    /// @inheritdoc IDeliveryVsPayment
    function markShippedFor(Terms calldata terms, bytes calldata oracleSignature) external notEntered {
        (bytes32 orderId, OrderSlot slot) = _find(terms);
        _requireIndependentOracle(terms, slot);
        bytes32 digest = _hashTypedDataV4(terms.shipmentHash(orderId));
        Signatures.requireSigner(terms.deliveryOracle, digest, oracleSignature);
        _ship(orderId, slot, terms.deliveryOracle);
    }

    /// @inheritdoc IDeliveryVsPayment
    function submitDeliveryProof(
        Terms calldata terms,
        bytes32 proofHash,
        string calldata proofURI
    ) external notEntered {
        (bytes32 orderId, OrderSlot slot) = _find(terms);
        if (terms.deliveryOracle != address(0)) _requireCaller(terms.deliveryOracle, address(0));
        else _requireCaller(terms.payee, terms.operator);
        _prove(terms, orderId, slot, msg.sender, proofHash, proofURI);
    }

    /// @inheritdoc IDeliveryVsPayment
    function submitDeliveryProofFor(
        Terms calldata terms,
        bytes32 proofHash,
        string calldata proofURI,
        bytes calldata oracleSignature
    ) external notEntered {
        (bytes32 orderId, OrderSlot slot) = _find(terms);
        bytes32 digest = _hashTypedDataV4(terms.deliveryProofHash(orderId, proofHash, proofURI));
        Signatures.requireSigner(terms.deliveryOracle, digest, oracleSignature);
        _prove(terms, orderId, slot, terms.deliveryOracle, proofHash, proofURI);
    }

    function _requireIndependentOracle(Terms calldata terms, OrderSlot slot) internal pure {
        if (!terms.hasIndependentOracle(slot.payer())) revert RoleNotAllowed("deliveryOracle", terms.deliveryOracle);
    }

    function _ship(bytes32 orderId, OrderSlot slot, address actor) private {
        _requireStatus(orderId, slot, CREATED);
        _requireTime(0, slot.deliveryDeadline());
        _orders[orderId] = slot.withStatus(Status.Shipped);
        emit OrderShipped(orderId, actor);
    }

    /// @dev Records a proof, and releases the order if its terms release on a valid proof.
    function _prove(
        Terms calldata terms,
        bytes32 orderId,
        OrderSlot slot,
        address prover,
        bytes32 proofHash,
        string calldata proofURI
    ) private {
        bool independent = terms.hasIndependentOracle(slot.payer());
        // In a dispute, only an independent oracle's proof counts. Otherwise the payee's own proof, or the expected
        // hash, which anyone can read in the order's event, would win every timeout.
        _requireStatus(orderId, slot, independent ? UNRELEASED : OPEN);
        if (slot.has(PROVEN)) revert ProofAlreadyValid(orderId);
        bool disputed = slot.isIn(DISPUTED);
        // After the deadline, a proof would race the timeout.
        _requireTime(0, disputed ? slot.disputeDeadline() : slot.deliveryDeadline());

        bool proven = independent || _provesByHash(terms, proofHash);
        emit DeliveryProofSubmitted(orderId, prover, proofHash, proofURI, proven);
        if (proven) slot = slot.withFlag(PROVEN);
        if (!disputed) slot = slot.withStatus(Status.Delivered);
        if (proven && !disputed && _releasesOnProof(terms)) {
            _releaseRest(terms, orderId, slot, prover, Cause.PROOF);
        } else {
            _orders[orderId] = slot;
        }
    }

    /// @dev On TIME_LOCKED and MILESTONE_LOCKED orders, a party's own proof proves nothing, with any hash.
    function _provesByHash(Terms calldata terms, bytes32 proofHash) private pure returns (bool) {
        if (!_provesDelivery(terms)) return false;
        return terms.expectedDeliveryHash == bytes32(0) || terms.expectedDeliveryHash == proofHash;
    }

    function _releasesOnProof(Terms calldata terms) private pure returns (bool) {
        uint256 releaseType = terms.cleanNumber(RELEASE_TYPE);
        if (releaseType == uint256(ReleaseType.AUTO_RELEASE)) return true;
        return releaseType == uint256(ReleaseType.DELIVERY_PROOF) && terms.autoReleaseOnProof;
    }

    /// @dev Returns whether the release type depends on a proof of delivery.
    function _provesDelivery(Terms calldata terms) internal pure returns (bool) {
        uint256 releaseType = terms.cleanNumber(RELEASE_TYPE);
        return releaseType == uint256(ReleaseType.DELIVERY_PROOF) || releaseType == uint256(ReleaseType.AUTO_RELEASE);
    }
}
