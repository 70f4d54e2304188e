// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";
import {EscrowTest} from "./support/EscrowTest.sol";

/// @dev Regression tests for vulnerabilities of other escrow contracts in deadlines, disputes and late proofs.
contract KnownFailuresOfTimingTest is EscrowTest {
    function test_theArbiter_cannotBeChangedInMidDispute() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        dispute(terms);
        terms.arbiter = stranger;
        vm.expectPartialRevert(IDeliveryVsPayment.OrderNotFound.selector);
        vm.prank(stranger);
        escrow.resolveDispute(terms, AMOUNT);
    }

    function test_aSilentArbiter_locksNothing() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        dispute(terms);
        vm.warp(START + WINDOW + 1);
        escrow.resolveExpiredDispute(terms);
        assertEq(escrowed(), 0, "escrowed");
    }

    function test_aOneSecondDisputeWindow_isRefused() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        terms.disputeWindow = 1;
        expectRangeRefusal("disputeWindow", 1, 60, 30 days);
        fund(terms);
        terms = funded();
        expectRangeRefusal("window", 1, 1 days, 30 days);
        vm.prank(payer);
        escrow.raiseDispute(terms, 1, "");
    }

    function test_aJunkProof_doesNotStopAReclaim() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        terms.expectedDeliveryHash = PROOF;
        fund(terms);
        prove(terms, bytes32("junk"));
        vm.warp(START + PERIOD + 1);
        vm.prank(payer);
        escrow.reclaim(terms);
        assertEq(escrowed(), 0, "escrowed");
    }

    function test_aProofMadeInADispute_doesNotWinTheTimeout() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        terms.expectedDeliveryHash = PROOF; // public since the OrderCreated event
        fund(terms);
        dispute(terms);
        vm.expectPartialRevert(IDeliveryVsPayment.StatusNotAllowed.selector);
        prove(terms, PROOF);
        vm.warp(START + WINDOW + 1);
        uint256 before = token.balanceOf(payer);
        escrow.resolveExpiredDispute(terms);
        assertEq(token.balanceOf(payer) - before, AMOUNT, "payer");
    }

    function test_aLateProofOrShipment_doesNotMeetAReclaim() public {
        IDeliveryVsPayment.Terms memory terms = timeLockTerms();
        fund(terms);
        vm.warp(START + PERIOD + 1);
        vm.expectPartialRevert(IDeliveryVsPayment.OutsideTime.selector);
        prove(terms, PROOF);
        vm.expectPartialRevert(IDeliveryVsPayment.OutsideTime.selector);
        ship(terms);
        vm.prank(payer);
        escrow.reclaim(terms);
    }

    /// @dev The lock's release and the reclaim are never possible in the same second.
    function test_anExpiredLock_andAReclaim_excludeEachOther(uint40 lock, uint40 moment, bool junkProof) public {
        IDeliveryVsPayment.Terms memory terms = timeLockTerms();
        terms.timeLockUntil = uint40(bound(lock, START, START + PERIOD));
        terms.expectedDeliveryHash = PROOF;
        fund(terms);
        ship(terms);
        if (junkProof) prove(terms, bytes32("junk"));
        vm.warp(bound(moment, START, START + 2 * PERIOD));
        uint256 before = vm.snapshotState();
        (bool released, ) = address(escrow).call(abi.encodeCall(escrow.releaseTimeLocked, (terms)));
        vm.revertToState(before);
        vm.prank(payer);
        (bool reclaimed, ) = address(escrow).call(abi.encodeCall(escrow.reclaim, (terms)));
        assertTrue(!(released && reclaimed), "never both");
        if (block.timestamp > terms.timeLockUntil) assertTrue(released, "released");
    }

    /// @dev In every second, exactly one of the lock's release and a dispute is possible, and at most one of the
    /// release and the operator's refund. Otherwise a payer could dispute an order whose lock has expired and win by
    /// the timeout.
    function test_anExpiredLock_andADispute_excludeEachOther(uint40 lock, uint40 moment, bool delivered) public {
        IDeliveryVsPayment.Terms memory terms = timeLockTerms();
        terms.timeLockUntil = uint40(bound(lock, START, START + PERIOD));
        fund(terms);
        if (delivered) prove(terms, PROOF);
        else ship(terms);
        _assertReleaseOrDispute(terms, bound(moment, START, START + 2 * PERIOD));
        _assertReleaseOrDispute(terms, terms.timeLockUntil - 1);
        _assertReleaseOrDispute(terms, terms.timeLockUntil);
        _assertReleaseOrDispute(terms, terms.timeLockUntil + 1);
    }

    function _assertReleaseOrDispute(IDeliveryVsPayment.Terms memory terms, uint256 moment) private {
        vm.warp(moment);
        bool released = _wouldSucceed(stranger, abi.encodeCall(escrow.releaseTimeLocked, (terms)));
        bool disputed = _wouldSucceed(payer, abi.encodeCall(escrow.raiseDispute, (terms, WINDOW, "")));
        bool refunded = _wouldSucceed(operator, abi.encodeCall(escrow.refund, (terms, AMOUNT)));
        assertTrue(released == (moment >= terms.timeLockUntil), "released");
        assertTrue(disputed != released, "exactly one");
        assertTrue(!(refunded && released), "never both");
    }

    function _wouldSucceed(address caller, bytes memory data) private returns (bool success) {
        uint256 before = vm.snapshotState();
        vm.prank(caller);
        (success, ) = address(escrow).call(data);
        vm.revertToState(before);
    }

    function test_theArbiter_andTheTimeout_excludeEachOther(uint40 moment) public {
        IDeliveryVsPayment.Terms memory terms = funded();
        dispute(terms);
        vm.warp(bound(moment, START, START + 2 * WINDOW));
        uint256 before = vm.snapshotState();
        (bool expired, ) = address(escrow).call(abi.encodeCall(escrow.resolveExpiredDispute, (terms)));
        vm.revertToState(before);
        vm.prank(arbiter);
        (bool resolved, ) = address(escrow).call(abi.encodeCall(escrow.resolveDispute, (terms, 1)));
        assertTrue(expired != resolved, "exactly one");
    }
}
