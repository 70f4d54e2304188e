// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";
import {Orders} from "./Orders.sol";
import {OrderTerms} from "./OrderTerms.sol";
import {Signatures} from "./Signatures.sol";

/// @title Shipping and proofs of delivery, both until the delivery deadline: what comes later must not meet a reclaim.
abstract contract Delivery is Orders {
    /// @inheritdoc IDeliveryVsPayment
    function markShipped(Terms calldata terms) external nonReentrant {
        (bytes32 orderId, StoredOrder memory order) = _find(terms);
        _requireCaller(terms.payee, terms.operator);
        _requireStatus(orderId, order, CREATED);
        _requireTime(0, order.deliveryDeadline);
        order.status = Status.Shipped;
        _orders[orderId] = order;
        emit OrderShipped(orderId, msg.sender);
    }

    /// @inheritdoc IDeliveryVsPayment
    function submitDeliveryProof(
        Terms calldata terms,
        bytes32 proofHash,
        string calldata proofURI
    ) external nonReentrant {
        (bytes32 orderId, StoredOrder memory order) = _find(terms);
        if (terms.deliveryOracle != address(0)) _requireCaller(terms.deliveryOracle, address(0));
        else _requireCaller(terms.payee, terms.operator);
        _prove(terms, orderId, order, msg.sender, proofHash, proofURI);
    }

    /// @inheritdoc IDeliveryVsPayment
    function submitDeliveryProofFor(
        Terms calldata terms,
        bytes32 proofHash,
        string calldata proofURI,
        bytes calldata oracleSignature
    ) external nonReentrant {
        (bytes32 orderId, StoredOrder memory order) = _find(terms);
        bytes32 digest = _hashTypedDataV4(OrderTerms.deliveryProofHash(orderId, proofHash, proofURI));
        Signatures.requireSigner(terms.deliveryOracle, digest, oracleSignature);
        _prove(terms, orderId, order, terms.deliveryOracle, proofHash, proofURI);
    }

    /// @dev Records a proof, and releases the order if that is what its terms say about a valid one.
    function _prove(
        Terms calldata terms,
        bytes32 orderId,
        StoredOrder memory order,
        address prover,
        bytes32 proofHash,
        string calldata proofURI
    ) private {
        _requireStatus(orderId, order, UNRELEASED);
        if (_has(order, PROVEN)) revert ProofAlreadyValid(orderId);
        _requireTime(0, order.deliveryDeadline);

        bool disputed = order.status == Status.Disputed;
        bool valid = _isValid(terms, disputed, proofHash);
        emit DeliveryProofSubmitted(orderId, prover, proofHash, proofURI, valid);
        if (valid) order.flags |= PROVEN;
        if (!disputed) order.status = Status.Delivered;
        if (valid && !disputed && _releasesOnProof(terms)) {
            _releaseRest(terms, orderId, order, prover, Cause.PROOF);
        } else {
            _orders[orderId] = order;
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
