// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";
import {EscrowTest} from "./support/EscrowTest.sol";

/// @dev Branches: Refund.tree.
contract RefundTest is EscrowTest {
    function test_whenNeverFunded_isRefused() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        vm.expectPartialRevert(IDeliveryVsPayment.OrderNotFound.selector);
        _refund(terms, payee);
        vm.expectPartialRevert(IDeliveryVsPayment.OrderNotFound.selector);
        _reclaim(terms);
    }

    function test_payee_refundsWhateverIsUnreleased() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        bytes32 orderId = escrow.orderIdOf(terms);
        uint256 before = token.balanceOf(payer);
        vm.expectEmit(true, true, true, true, address(escrow));
        emit IDeliveryVsPayment.OrderRefunded(orderId, payee, IDeliveryVsPayment.Cause.PAYEE, AMOUNT);
        _refund(terms, payee);
        assertEq(token.balanceOf(payer) - before, AMOUNT, "refunded");
        assertStatus(terms, IDeliveryVsPayment.Status.Cancelled);
        assertAmounts(terms, 0, 0);
        terms = funded();
        prove(terms, PROOF);
        _refund(terms, payee);
        terms = funded();
        dispute(terms);
        _refund(terms, payee);
        assertEq(escrowed(), 0, "escrowed");
    }

    function test_payee_refundsTheRestOfMilestones(uint120 part) public {
        part = uint120(bound(part, 1, AMOUNT - 1));
        IDeliveryVsPayment.Terms memory terms = milestoneTerms();
        fund(terms);
        releasePart(terms, 0, part);
        uint256 before = token.balanceOf(payer);
        _refund(terms, payee);
        assertEq(token.balanceOf(payer) - before, AMOUNT - part, "refunded");
        assertAmounts(terms, part, 0);
    }

    function test_payee_cannotRefundWhatIsReleased() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        release(terms);
        expectStatusRefusal(terms, IDeliveryVsPayment.Status.AwaitingSettlement, 0x47);
        _refund(terms, payee);
    }

    function test_operator_refundsWhatIsNotProven() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        bytes32 orderId = escrow.orderIdOf(terms);
        vm.expectEmit(true, true, true, true, address(escrow));
        emit IDeliveryVsPayment.OrderRefunded(orderId, operator, IDeliveryVsPayment.Cause.OPERATOR, AMOUNT);
        _refund(terms, operator);
        terms = funded();
        prove(terms, PROOF);
        vm.expectPartialRevert(IDeliveryVsPayment.ProofAlreadyValid.selector);
        _refund(terms, operator);
    }

    function test_operator_doesNotDecideADispute() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        dispute(terms);
        expectStatusRefusal(terms, IDeliveryVsPayment.Status.Disputed, 7);
        _refund(terms, operator);
    }

    function test_anyoneElse_isRefused(address caller) public {
        vm.assume(caller != payee && caller != operator);
        IDeliveryVsPayment.Terms memory terms = funded();
        expectCallerRefusal(caller, payee, operator);
        _refund(terms, caller);
    }

    function test_reclaim_isThePayersAlone(address caller) public {
        vm.assume(caller != payer);
        IDeliveryVsPayment.Terms memory terms = funded();
        vm.warp(START + PERIOD + 1);
        expectCallerRefusal(caller, payer, address(0));
        vm.prank(caller);
        escrow.reclaim(terms);
    }

    function test_reclaim_whileDisputed_isRefused() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        dispute(terms);
        vm.warp(START + PERIOD + 1);
        expectStatusRefusal(terms, IDeliveryVsPayment.Status.Disputed, 7);
        _reclaim(terms);
    }

    function test_reclaim_ofAProvenOrder_isRefused() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        prove(terms, PROOF);
        vm.warp(START + PERIOD + 1);
        vm.expectPartialRevert(IDeliveryVsPayment.ProofAlreadyValid.selector);
        _reclaim(terms);
    }

    function test_reclaim_atTheDeadline_isRefused_aSecondLaterTaken() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        vm.warp(START + PERIOD);
        expectTimeRefusal(START + PERIOD, START + PERIOD + 1, type(uint256).max);
        _reclaim(terms);
        vm.warp(START + PERIOD + 1);
        bytes32 orderId = escrow.orderIdOf(terms);
        uint256 before = token.balanceOf(payer);
        vm.expectEmit(true, true, true, true, address(escrow));
        emit IDeliveryVsPayment.OrderRefunded(orderId, payer, IDeliveryVsPayment.Cause.DELIVERY_TIMEOUT, AMOUNT);
        _reclaim(terms);
        assertEq(token.balanceOf(payer) - before, AMOUNT, "refunded");
        assertStatus(terms, IDeliveryVsPayment.Status.Cancelled);
    }

    function test_reclaim_ofAShippedTimeLock_isRefused_ofACreatedOneTaken() public {
        IDeliveryVsPayment.Terms memory terms = timeLockTerms();
        bytes32 orderId = fund(terms);
        ship(terms);
        vm.warp(START + PERIOD + 1);
        vm.expectRevert(
            abi.encodeWithSelector(IDeliveryVsPayment.TimeLockExpired.selector, orderId, terms.timeLockUntil)
        );
        _reclaim(terms);
        vm.warp(START);
        terms = timeLockTerms();
        fund(terms);
        vm.warp(START + PERIOD + 1);
        _reclaim(terms);
    }

    function test_reclaim_ofAShippedOrderOfAnotherType_isTaken() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        ship(terms);
        vm.warp(START + PERIOD + 1);
        _reclaim(terms);
        assertEq(escrowed(), 0, "escrowed");
    }

    function _refund(IDeliveryVsPayment.Terms memory terms, address caller) private {
        vm.prank(caller);
        escrow.refund(terms);
    }

    function _reclaim(IDeliveryVsPayment.Terms memory terms) private {
        vm.prank(payer);
        escrow.reclaim(terms);
    }
}
