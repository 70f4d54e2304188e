// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";
import {EscrowTest} from "./support/EscrowTest.sol";

/// @dev Tests the branches in Release.tree.
contract ReleaseTest is EscrowTest {
    function test_whenNeverFunded_isRefused() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        vm.expectPartialRevert(IDeliveryVsPayment.OrderNotFound.selector);
        release(terms);
        terms = timeLockTerms();
        vm.expectPartialRevert(IDeliveryVsPayment.OrderNotFound.selector);
        escrow.releaseTimeLocked(terms);
    }

    function test_payer_releasesEverything() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        bytes32 orderId = escrow.orderIdOf(terms);
        vm.expectEmit(true, true, true, true, address(escrow));
        emit IDeliveryVsPayment.FundsReleased(orderId, payer, IDeliveryVsPayment.Cause.PAYER, AMOUNT);
        release(terms);
        assertStatus(terms, IDeliveryVsPayment.Status.AwaitingSettlement);
        assertAmounts(terms, AMOUNT, 0);
    }

    function test_payer_concedesADispute() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        dispute(terms);
        release(terms);
        assertAmounts(terms, AMOUNT, 0);
    }

    function test_payer_releasesTheRestOfMilestones(uint120 part) public {
        part = uint120(bound(part, 1, AMOUNT - 1));
        IDeliveryVsPayment.Terms memory terms = milestoneTerms();
        bytes32 orderId = fund(terms);
        releaseUpTo(terms, part);
        vm.expectEmit(true, true, true, true, address(escrow));
        emit IDeliveryVsPayment.FundsReleased(orderId, payer, IDeliveryVsPayment.Cause.PAYER, AMOUNT - part);
        release(terms);
        assertAmounts(terms, AMOUNT, 0);
        settle(terms);
        assertEq(token.balanceOf(offRamp), AMOUNT, "settled");
        assertStatus(terms, IDeliveryVsPayment.Status.Completed);
    }

    function test_payer_cannotReleaseTwice() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        release(terms);
        expectStatusRefusal(terms, IDeliveryVsPayment.Status.AwaitingSettlement, 0x47);
        release(terms);
    }

    function test_operator_releasesWhatIsProven() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        prove(terms, PROOF);
        bytes32 orderId = escrow.orderIdOf(terms);
        vm.expectEmit(true, true, true, true, address(escrow));
        emit IDeliveryVsPayment.FundsReleased(orderId, operator, IDeliveryVsPayment.Cause.OPERATOR, AMOUNT);
        vm.prank(operator);
        escrow.release(terms);
        assertAmounts(terms, AMOUNT, 0);
    }

    function test_operator_cannotReleaseAnotherType() public {
        for (uint8 i = 1; i < 3; i++) {
            IDeliveryVsPayment.Terms memory terms = newTerms(IDeliveryVsPayment.ReleaseType(i));
            terms.deliveryOracle = oracle;
            fund(terms);
            prove(terms, PROOF);
            expectCallerRefusal(operator, payee, address(0));
            vm.prank(operator);
            escrow.release(terms);
        }
    }

    /// @dev An oracle's proof during a dispute does not release the funds, not even when the order resumes.
    function test_operator_releasesAProvenAutoRelease() public {
        IDeliveryVsPayment.Terms memory terms = _resumedAutoRelease();
        vm.prank(operator);
        escrow.release(terms);
        assertAmounts(terms, AMOUNT, 0);
    }

    function test_operator_doesNotReleaseInADispute() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        prove(terms, PROOF);
        dispute(terms);
        expectStatusRefusal(terms, IDeliveryVsPayment.Status.Disputed, 7);
        vm.prank(operator);
        escrow.release(terms);
    }

    function test_payee_releasesProvenMilestones() public {
        IDeliveryVsPayment.Terms memory terms = milestoneTerms();
        terms.deliveryOracle = oracle;
        bytes32 orderId = fund(terms);
        releaseUpTo(terms, 10);
        vm.expectRevert(abi.encodeWithSelector(IDeliveryVsPayment.ProofMissing.selector, orderId));
        _releaseByPayee(terms);
        prove(terms, PROOF);
        vm.expectEmit(true, true, true, true, address(escrow));
        emit IDeliveryVsPayment.FundsReleased(orderId, payee, IDeliveryVsPayment.Cause.PAYEE, AMOUNT - 10);
        _releaseByPayee(terms);
        assertAmounts(terms, AMOUNT, 0);
    }

    /// @dev The payee can release proven funds after the delivery deadline if the operator does not.
    function test_payee_releasesWhatIsProven_afterTheDeliveryDeadline() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        prove(terms, PROOF);
        vm.warp(START + PERIOD);
        expectTimeRefusal(START + PERIOD, START + PERIOD + 1, type(uint256).max);
        _releaseByPayee(terms);
        vm.warp(START + PERIOD + 1);
        _releaseByPayee(terms);
        assertAmounts(terms, AMOUNT, 0);

        terms = _resumedAutoRelease();
        vm.warp(uint256(order(terms).deliveryDeadline) + 1);
        _releaseByPayee(terms);
        assertAmounts(terms, AMOUNT, 0);
    }

    function test_payee_neverReleasesATimeLock() public {
        IDeliveryVsPayment.Terms memory terms = timeLockTerms();
        terms.deliveryOracle = oracle;
        bytes32 orderId = fund(terms);
        prove(terms, PROOF);
        vm.warp(START + PERIOD + 1);
        vm.expectRevert(abi.encodeWithSelector(IDeliveryVsPayment.ReleaseTypeNotAllowed.selector, orderId, 1, 2));
        _releaseByPayee(terms);
    }

    function test_operator_cannotReleaseWhatIsNotDelivered() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        vm.expectRevert(abi.encodeWithSelector(IDeliveryVsPayment.ProofMissing.selector, escrow.orderIdOf(terms)));
        vm.prank(operator);
        escrow.release(terms);
    }

    function test_operator_cannotReleaseWhatIsNotProven() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        terms.expectedDeliveryHash = PROOF;
        bytes32 orderId = fund(terms);
        prove(terms, bytes32("junk"));
        vm.expectRevert(abi.encodeWithSelector(IDeliveryVsPayment.ProofMissing.selector, orderId));
        vm.prank(operator);
        escrow.release(terms);
    }

    function test_anyoneElse_isRefused(address caller) public {
        vm.assume(caller != payer && caller != payee && caller != operator);
        IDeliveryVsPayment.Terms memory terms = funded();
        prove(terms, PROOF);
        expectCallerRefusal(caller, payee, operator);
        vm.prank(caller);
        escrow.release(terms);
    }

    function test_timeLocked_ofAnotherType_isRefused() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        ship(terms);
        vm.expectRevert(
            abi.encodeWithSelector(IDeliveryVsPayment.ReleaseTypeNotAllowed.selector, escrow.orderIdOf(terms), 0, 1)
        );
        escrow.releaseTimeLocked(terms);
    }

    function test_timeLocked_neitherShippedNorDelivered_isRefused() public {
        IDeliveryVsPayment.Terms memory terms = timeLockTerms();
        fund(terms);
        vm.warp(terms.timeLockUntil);
        expectStatusRefusal(terms, IDeliveryVsPayment.Status.Created, 6);
        escrow.releaseTimeLocked(terms);
    }

    function test_timeLocked_aSecondEarly_isRefused() public {
        IDeliveryVsPayment.Terms memory terms = timeLockTerms();
        fund(terms);
        ship(terms);
        vm.warp(terms.timeLockUntil - 1);
        expectTimeRefusal(terms.timeLockUntil - 1, terms.timeLockUntil, type(uint256).max);
        escrow.releaseTimeLocked(terms);
    }

    function test_timeLocked_onTimeOrLater_anyoneReleases(address caller, uint40 late) public {
        IDeliveryVsPayment.Terms memory terms = timeLockTerms();
        bytes32 orderId = fund(terms);
        ship(terms);
        vm.warp(terms.timeLockUntil + uint256(late));
        vm.expectEmit(true, true, true, true, address(escrow));
        emit IDeliveryVsPayment.FundsReleased(orderId, caller, IDeliveryVsPayment.Cause.TIME_LOCK, AMOUNT);
        vm.prank(caller);
        escrow.releaseTimeLocked(terms);
        assertAmounts(terms, AMOUNT, 0);
    }

    function test_timeLocked_inThePast_isReleasedAsSoonAsShipped() public {
        IDeliveryVsPayment.Terms memory terms = timeLockTerms();
        terms.timeLockUntil = 1;
        fund(terms);
        ship(terms);
        escrow.releaseTimeLocked(terms);
        assertAmounts(terms, AMOUNT, 0);
    }

    function _releaseByPayee(IDeliveryVsPayment.Terms memory terms) private {
        vm.prank(payee);
        escrow.release(terms);
    }

    function _resumedAutoRelease() private returns (IDeliveryVsPayment.Terms memory terms) {
        vm.warp(START);
        terms = newTerms(IDeliveryVsPayment.ReleaseType.AUTO_RELEASE);
        terms.deliveryOracle = oracle;
        fund(terms);
        disputeBy(payee, terms);
        prove(terms, PROOF);
        expireDispute(terms);
    }
}
