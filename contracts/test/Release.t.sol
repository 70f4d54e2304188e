// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";
import {EscrowTest} from "./support/EscrowTest.sol";

/// @dev Branches: Release.tree.
contract ReleaseTest is EscrowTest {
    function test_whenNeverFunded_isRefused() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        vm.expectPartialRevert(IDeliveryVsPayment.OrderNotFound.selector);
        release(terms);
        terms = timeLockTerms();
        vm.expectPartialRevert(IDeliveryVsPayment.OrderNotFound.selector);
        escrow.releaseTimeLocked(terms);
    }

    function test_payer_releasesTheWhole() public {
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
        releasePart(terms, 0, part);
        vm.expectEmit(true, true, true, true, address(escrow));
        emit IDeliveryVsPayment.FundsReleased(orderId, payer, IDeliveryVsPayment.Cause.PAYER, AMOUNT - part);
        release(terms);
        assertAmounts(terms, AMOUNT, 0);
        assertEq(order(terms).milestones, 1, "milestones");
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
        for (uint8 i = 1; i < 4; i++) {
            IDeliveryVsPayment.Terms memory terms = newTerms(IDeliveryVsPayment.ReleaseType(i));
            fund(terms);
            vm.expectRevert(
                abi.encodeWithSelector(IDeliveryVsPayment.ReleaseTypeNotAllowed.selector, escrow.orderIdOf(terms), i, 0)
            );
            vm.prank(operator);
            escrow.release(terms);
        }
    }

    function test_operator_cannotReleaseWhatIsNotDelivered() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        expectStatusRefusal(terms, IDeliveryVsPayment.Status.Created, 4);
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
        vm.assume(caller != payer && caller != operator);
        IDeliveryVsPayment.Terms memory terms = funded();
        prove(terms, PROOF);
        expectCallerRefusal(caller, payer, operator);
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
}
