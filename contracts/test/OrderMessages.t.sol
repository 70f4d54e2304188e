// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";
import {EscrowTest} from "./support/EscrowTest.sol";

/// @dev A message also binds the order fields that a wallet shows besides the id: a message with the right id but
/// another payee, amount or token is rejected.
contract OrderMessagesTest is EscrowTest {
    uint256 private constant LATER = START + 1 days;
    string private constant REASON = "not delivered";
    /// @dev If set, the id in every message, regardless of the other fields.
    bytes private _intentId;

    function intentIdOf(
        IDeliveryVsPayment escrow_,
        IDeliveryVsPayment.Terms memory terms
    ) internal view override returns (bytes memory) {
        return _intentId.length == 0 ? super.intentIdOf(escrow_, terms) : _intentId;
    }

    function test_deliveryProof_bindsPayeeAmountAndToken() public {
        IDeliveryVsPayment.Terms memory terms = _funded(IDeliveryVsPayment.ReleaseType.DELIVERY_PROOF);
        bytes32 digest = proofDigest(escrow, terms, PROOF, URI);
        for (uint256 field = 0; field < 3; field++) {
            bytes memory other = sign(ORACLE_KEY, proofDigest(escrow, _other(terms, field), PROOF, URI));
            _expectRefusal(oracle, digest);
            escrow.submitDeliveryProofFor(terms, PROOF, URI, other);
        }
        escrow.submitDeliveryProofFor(terms, PROOF, URI, sign(ORACLE_KEY, digest));
        assertTrue(order(terms).proven, "proven");
    }

    function test_shipment_bindsPayeeAmountAndToken() public {
        IDeliveryVsPayment.Terms memory terms = _funded(IDeliveryVsPayment.ReleaseType.DELIVERY_PROOF);
        bytes32 digest = shipmentDigest(escrow, terms);
        for (uint256 field = 0; field < 3; field++) {
            bytes memory other = sign(ORACLE_KEY, shipmentDigest(escrow, _other(terms, field)));
            _expectRefusal(oracle, digest);
            escrow.markShippedFor(terms, other);
        }
        escrow.markShippedFor(terms, sign(ORACLE_KEY, digest));
        assertStatus(terms, IDeliveryVsPayment.Status.Shipped);
    }

    function test_milestoneRelease_bindsPayeeAmountAndToken() public {
        IDeliveryVsPayment.Terms memory terms = _funded(IDeliveryVsPayment.ReleaseType.MILESTONE_LOCKED);
        bytes32 digest = milestoneDigest(escrow, terms, 5);
        for (uint256 field = 0; field < 3; field++) {
            bytes memory other = sign(ORACLE_KEY, milestoneDigest(escrow, _other(terms, field), 5));
            _expectRefusal(oracle, digest);
            escrow.releaseMilestoneFor(terms, 5, other);
        }
        escrow.releaseMilestoneFor(terms, 5, sign(ORACLE_KEY, digest));
        assertAmounts(terms, 5, 0);
    }

    function test_dispute_bindsPayeeAmountAndToken() public {
        IDeliveryVsPayment.Terms memory terms = _funded(IDeliveryVsPayment.ReleaseType.DELIVERY_PROOF);
        bytes32 digest = disputeDigest(escrow, terms, WINDOW, REASON, LATER);
        for (uint256 field = 0; field < 3; field++) {
            bytes memory other = sign(PAYER_KEY, disputeDigest(escrow, _other(terms, field), WINDOW, REASON, LATER));
            _expectRefusal(payer, digest);
            vm.prank(operator);
            escrow.raiseDisputeFor(terms, WINDOW, REASON, LATER, other);
        }
        bytes memory signature = sign(PAYER_KEY, digest);
        vm.prank(operator);
        escrow.raiseDisputeFor(terms, WINDOW, REASON, LATER, signature);
        assertTrue(order(terms).disputedByPayer, "disputed");
    }

    /// @dev Covers the disputes of both sides and the signatures of both parties.
    function test_disputeAgreement_bindsPayeeAmountAndToken() public {
        for (uint256 i = 0; i < 2; i++) {
            delete _intentId;
            IDeliveryVsPayment.Terms memory terms = _funded(IDeliveryVsPayment.ReleaseType.DELIVERY_PROOF);
            disputeBy(i == 0 ? payer : payee, terms);
            IDeliveryVsPayment.Side side = IDeliveryVsPayment.Side(i);
            bytes32 digest = agreementDigest(escrow, terms, side, 5, LATER);
            for (uint256 field = 0; field < 3; field++) {
                bytes32 other = agreementDigest(escrow, _other(terms, field), side, 5, LATER);
                _expectRefusal(payer, digest);
                _agree(terms, other, digest);
                _expectRefusal(payee, digest);
                _agree(terms, digest, other);
            }
            _agree(terms, digest, digest);
            assertAmounts(terms, 5, 0);
        }
    }

    /// @dev An agreement about one side's dispute does not end the other side's dispute, because `raisedBy` names the
    /// side.
    function test_disputeAgreement_bindsWhoRaisedTheDispute() public {
        for (uint256 i = 0; i < 2; i++) {
            delete _intentId;
            IDeliveryVsPayment.Terms memory terms = _funded(IDeliveryVsPayment.ReleaseType.DELIVERY_PROOF);
            disputeBy(i == 0 ? payer : payee, terms);
            bytes32 digest = agreementDigest(escrow, terms, IDeliveryVsPayment.Side(i), 5, LATER);
            bytes32 other = agreementDigest(escrow, terms, IDeliveryVsPayment.Side(1 - i), 5, LATER);
            _expectRefusal(payer, digest);
            _agree(terms, other, other);
        }
    }

    /// @dev Funds an order with an independent oracle and uses the order's id in all messages from here on.
    function _funded(
        IDeliveryVsPayment.ReleaseType releaseType
    ) private returns (IDeliveryVsPayment.Terms memory terms) {
        terms = newTerms(releaseType);
        terms.deliveryOracle = oracle;
        fund(terms);
        _intentId = super.intentIdOf(escrow, terms);
    }

    /// @dev Returns a copy with another payee, amount or token.
    function _other(
        IDeliveryVsPayment.Terms memory terms,
        uint256 field
    ) private view returns (IDeliveryVsPayment.Terms memory other) {
        other = abi.decode(abi.encode(terms), (IDeliveryVsPayment.Terms));
        if (field == 0) other.payee = stranger;
        else if (field == 1) other.amount = terms.amount + 1;
        else other.token = stranger;
    }

    function _agree(IDeliveryVsPayment.Terms memory terms, bytes32 byPayer, bytes32 byPayee) private {
        escrow.resolveDisputeByAgreement(terms, 5, LATER, sign(PAYER_KEY, byPayer), sign(PAYEE_KEY, byPayee));
    }

    function _expectRefusal(address signer, bytes32 digest) private {
        vm.expectRevert(abi.encodeWithSelector(IDeliveryVsPayment.SignatureNotValid.selector, signer, digest));
    }
}
