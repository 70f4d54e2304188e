// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";
import {EscrowTest} from "./support/EscrowTest.sol";

/// @dev An oracle's independence depends on the actual payer, who is known at funding. An oracle that funds an open
/// order is a party, exactly like an oracle that the terms name as the payer. The tests cover both kinds of orders.
contract PayerAsOracleTest is EscrowTest {
    IDeliveryVsPayment.ReleaseType private constant DELIVERY_PROOF = IDeliveryVsPayment.ReleaseType.DELIVERY_PROOF;
    IDeliveryVsPayment.ReleaseType private constant AUTO_RELEASE = IDeliveryVsPayment.ReleaseType.AUTO_RELEASE;
    IDeliveryVsPayment.ReleaseType private constant TIME_LOCKED = IDeliveryVsPayment.ReleaseType.TIME_LOCKED;
    IDeliveryVsPayment.ReleaseType private constant MILESTONE_LOCKED = IDeliveryVsPayment.ReleaseType.MILESTONE_LOCKED;

    /// @dev A third party's proof is valid with any hash, a party's proof only with the expected hash.
    function test_itsProof_isThePayeesWord() public {
        for (uint256 i = 0; i < 2; i++) {
            IDeliveryVsPayment.Terms memory terms = _terms(DELIVERY_PROOF, i == 0);
            terms.expectedDeliveryHash = PROOF;
            bytes32 orderId = fund(terms);
            vm.expectEmit(true, true, true, true, address(escrow));
            emit IDeliveryVsPayment.DeliveryProofSubmitted(orderId, payer, bytes32("another"), URI, false);
            prove(terms, bytes32("another"));
            assertTrue(!order(terms).proven, "evidence");
            bytes memory signature = sign(PAYER_KEY, proofDigest(escrow, terms, PROOF, URI));
            escrow.submitDeliveryProofFor(terms, PROOF, URI, signature);
            assertTrue(order(terms).proven, "proven");
        }
    }

    function test_itsProof_releasesWhereThePayeesWould() public {
        for (uint256 i = 0; i < 2; i++) {
            IDeliveryVsPayment.Terms memory terms = _terms(AUTO_RELEASE, i == 0);
            fund(terms);
            prove(terms, PROOF);
            assertStatus(terms, IDeliveryVsPayment.Status.AwaitingSettlement);
        }
    }

    /// @dev As with the payee's proof, no proof is accepted while Disputed, and the timeout refunds an order that was
    /// not proven before.
    function test_inADispute_itProvesNothing_andTheTimeoutIsThatOfNoOracle() public {
        for (uint256 i = 0; i < 2; i++) {
            vm.warp(START);
            IDeliveryVsPayment.Terms memory terms = _terms(DELIVERY_PROOF, i == 0);
            fund(terms);
            dispute(terms);
            expectStatusRefusal(terms, IDeliveryVsPayment.Status.Disputed, 7);
            prove(terms, PROOF);
            expireDispute(terms);
            assertStatus(terms, IDeliveryVsPayment.Status.Cancelled);
        }
        assertEq(escrowed(), 0, "returned");
    }

    /// @dev The payer can release milestones at any time as the payer, but not as the oracle. The operator cannot
    /// release them either.
    function test_asAnOracle_itReleasesNoMilestone() public {
        for (uint256 i = 0; i < 2; i++) {
            vm.warp(START);
            IDeliveryVsPayment.Terms memory terms = _terms(MILESTONE_LOCKED, i == 0);
            terms.autoReleaseOnProof = true;
            fund(terms);
            bytes memory signature = sign(PAYER_KEY, milestoneDigest(escrow, terms, 10));
            _expectNoOracle();
            escrow.releaseMilestoneFor(terms, 10, signature);
            _expectNoOracle();
            vm.prank(operator);
            escrow.releaseMilestone(terms, 10);
            vm.warp(START + PERIOD + 1);
            releaseUpTo(terms, 10);
            assertAmounts(terms, 10, 0);
        }
    }

    /// @dev The payer's proof does not release the funds of a milestone order either.
    function test_ofMilestones_itsProof_releasesNothing_andBlocksNeitherRefundNorReclaim() public {
        for (uint256 i = 0; i < 2; i++) {
            vm.warp(START);
            IDeliveryVsPayment.Terms memory terms = _terms(MILESTONE_LOCKED, i == 0);
            terms.expectedDeliveryHash = PROOF;
            fund(terms);
            prove(terms, PROOF);
            assertTrue(!order(terms).proven, "evidence");
            vm.expectPartialRevert(IDeliveryVsPayment.ProofMissing.selector);
            vm.prank(payee);
            escrow.release(terms);
            refundBy(operator, terms, 1);
            vm.warp(START + PERIOD + 1);
            reclaim(terms);
            assertStatus(terms, IDeliveryVsPayment.Status.Cancelled);
        }
        assertEq(escrowed(), 0, "returned");
    }

    /// @dev Before the lock expires, the payer's proof counts as shipment but blocks no refund, unlike an independent
    /// oracle's proof.
    function test_ofALock_itsProof_blocksNoRefund() public {
        for (uint256 i = 0; i < 2; i++) {
            IDeliveryVsPayment.Terms memory terms = _terms(TIME_LOCKED, i == 0);
            terms.expectedDeliveryHash = PROOF;
            fund(terms);
            prove(terms, PROOF);
            assertTrue(!order(terms).proven, "evidence");
            refundBy(operator, terms, AMOUNT);
            assertStatus(terms, IDeliveryVsPayment.Status.Cancelled);
        }
        assertEq(escrowed(), 0, "returned");
    }

    /// @dev Shipment reported by any party prevents the reclaim of a locked order, because the funds are vested in the
    /// payee from `timeLockUntil` on. An order that is not shipped remains reclaimable.
    function test_ofALock_itsProof_countsAsShipment() public {
        for (uint256 i = 0; i < 2; i++) {
            vm.warp(START);
            IDeliveryVsPayment.Terms memory proven = _terms(TIME_LOCKED, i == 0);
            fund(proven);
            prove(proven, PROOF);
            IDeliveryVsPayment.Terms memory silent = _terms(TIME_LOCKED, i == 0);
            fund(silent);
            vm.warp(START + PERIOD + 1);
            vm.expectPartialRevert(IDeliveryVsPayment.ExitVested.selector);
            reclaim(proven);
            escrow.releaseTimeLocked(proven);
            reclaim(silent);
        }
    }

    /// @dev Without an independent oracle, the payee and the operator can mark an order as shipped.
    function test_itDoesNotShip_payeeAndOperatorDo() public {
        for (uint256 i = 0; i < 2; i++) {
            IDeliveryVsPayment.Terms memory terms = _terms(TIME_LOCKED, i == 0);
            fund(terms);
            expectCallerRefusal(payer, payee, operator);
            vm.prank(payer);
            escrow.markShipped(terms);
            bytes memory signature = sign(PAYER_KEY, shipmentDigest(escrow, terms));
            _expectNoOracle();
            escrow.markShippedFor(terms, signature);
            vm.prank(i == 0 ? payee : operator);
            escrow.markShipped(terms);
        }
    }

    /// @dev If another account funds an order with the same terms, the oracle is a third party.
    function test_anOpenOrder_fundedByAnother_hasAnIndependentOracle() public {
        IDeliveryVsPayment.Terms memory terms = _terms(MILESTONE_LOCKED, false);
        token.mint(stranger, AMOUNT);
        vm.startPrank(stranger);
        token.approve(address(escrow), AMOUNT);
        escrow.createOrder(terms);
        vm.stopPrank();
        bytes memory signature = sign(PAYER_KEY, milestoneDigest(escrow, terms, 10));
        escrow.releaseMilestoneFor(terms, 10, signature);
        assertAmounts(terms, 10, 0);
        prove(terms, bytes32("any"));
        assertTrue(order(terms).proven, "proven");
    }

    /// @param boundPayer Whether the terms name the payer; if not, any account can fund the order.
    function _terms(
        IDeliveryVsPayment.ReleaseType releaseType,
        bool boundPayer
    ) private returns (IDeliveryVsPayment.Terms memory terms) {
        terms = newTerms(releaseType);
        terms.deliveryOracle = payer;
        if (boundPayer) terms.payer = payer;
    }

    function _expectNoOracle() private {
        vm.expectRevert(
            abi.encodeWithSelector(IDeliveryVsPayment.RoleNotAllowed.selector, bytes32("deliveryOracle"), payer)
        );
    }
}
