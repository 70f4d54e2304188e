// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";
import {Orders} from "./Orders.sol";
import {OrderSlot, PROVEN} from "./OrderSlot.sol";
import {OrderTerms} from "./OrderTerms.sol";
import {Signatures} from "./Signatures.sol";

/// @title Shipping and proofs of delivery, both until the delivery deadline: what comes later must not meet a reclaim.
abstract contract Delivery is Orders {
    /// @inheritdoc IDeliveryVsPayment
    function markShipped(Terms calldata terms) external nonReentrant {
        (bytes32 orderId, OrderSlot slot) = _find(terms);
        _requireCaller(terms.payee, terms.operator);
        _requireStatus(orderId, slot, CREATED);
        _requireTime(0, slot.deliveryDeadline());
        _orders[orderId] = slot.withStatus(Status.Shipped);
        emit OrderShipped(orderId, msg.sender);
    }

    /// @inheritdoc IDeliveryVsPayment
    function submitDeliveryProof(
        Terms calldata terms,
        bytes32 proofHash,
        string calldata proofURI
    ) external nonReentrant {
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
    ) external nonReentrant {
        (bytes32 orderId, OrderSlot slot) = _find(terms);
        bytes32 digest = _hashTypedDataV4(OrderTerms.deliveryProofHash(orderId, proofHash, proofURI));
        Signatures.requireSigner(terms.deliveryOracle, digest, oracleSignature);
        _prove(terms, orderId, slot, terms.deliveryOracle, proofHash, proofURI);
    }

    /// @dev Records a proof, and releases the order if that is what its terms say about a valid one.
    function _prove(
        Terms calldata terms,
        bytes32 orderId,
        OrderSlot slot,
        address prover,
        bytes32 proofHash,
        string calldata proofURI
    ) private {
        _requireStatus(orderId, slot, UNRELEASED);
        if (slot.has(PROVEN)) revert ProofAlreadyValid(orderId);
        _requireTime(0, slot.deliveryDeadline());

        bool disputed = slot.status() == Status.Disputed;
        bool valid = _isValid(terms, disputed, proofHash);
        emit DeliveryProofSubmitted(orderId, prover, proofHash, proofURI, valid);
        if (valid) slot = slot.withFlag(PROVEN);
        if (!disputed) slot = slot.withStatus(Status.Delivered);
        if (valid && !disputed && _releasesOnProof(terms)) {
            _releaseRest(terms, orderId, slot, prover, Cause.PROOF);
        } else {
            _orders[orderId] = slot;
        }
    }

    /// @dev Once a dispute is on, only a third party's word counts. The payee's own does not, nor does the expected
    /// hash, which everybody can read in the order's event: with either, a payee could win every timeout.
    function _isValid(Terms calldata terms, bool disputed, bytes32 proofHash) private pure returns (bool) {
        if (terms.deliveryOracle != address(0) && terms.deliveryOracle != terms.payee) return true;
        if (disputed) return false;
        return terms.expectedDeliveryHash == bytes32(0) || terms.expectedDeliveryHash == proofHash;
    }

    function _releasesOnProof(Terms calldata terms) private pure returns (bool) {
        if (terms.releaseType == ReleaseType.AUTO_RELEASE) return true;
        return terms.releaseType == ReleaseType.DELIVERY_PROOF && terms.autoReleaseOnProof;
    }
}
