// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";
import {EscrowTest} from "./support/EscrowTest.sol";

/// @dev An oracle's independence is determined at funding, against the actual payer: an oracle that funds an open order
/// is no more a third party than one that the terms name as the payer. Each test covers both orders.
contract PayerAsOracleTest is EscrowTest {
    IDeliveryVsPayment.ReleaseType private constant DELIVERY_PROOF = IDeliveryVsPayment.ReleaseType.DELIVERY_PROOF;
    IDeliveryVsPayment.ReleaseType private constant AUTO_RELEASE = IDeliveryVsPayment.ReleaseType.AUTO_RELEASE;
    IDeliveryVsPayment.ReleaseType private constant TIME_LOCKED = IDeliveryVsPayment.ReleaseType.TIME_LOCKED;
    IDeliveryVsPayment.ReleaseType private constant MILESTONE_LOCKED = IDeliveryVsPayment.ReleaseType.MILESTONE_LOCKED;

    /// @dev A third party proves with any hash, a party only with the expected one.
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

    /// @dev Like the payee's proof: none while Disputed, and silence refunds what was not proven before.
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

    /// @dev The payer can release as the payer at any time, but not as the oracle; neither can the operator.
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

    /// @dev Its proof does not release what milestones release either.
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

    /// @dev Before the lock expires, its proof counts as shipment but blocks no refund. An independent oracle's would.
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

    /// @dev Shipment, whichever party reports it, prevents the reclaim of a locked order: from `timeLockUntil` on the
    /// funds are vested in the payee. An order that is not shipped remains reclaimable.
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

    /// @dev Without an independent oracle to attest shipment, the payee and the operator do.
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

    /// @dev Same terms, funded by another account: now the oracle is a third party.
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
