// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";
import {EscrowTest} from "./support/EscrowTest.sol";
import {HostileToken} from "./support/mocks/HostileToken.sol";

/// @dev Tests the branches in Refund.tree.
contract RefundTest is EscrowTest {
    function test_whenNeverFunded_isRefused() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        vm.expectPartialRevert(IDeliveryVsPayment.OrderNotFound.selector);
        refundBy(payee, terms, AMOUNT);
        vm.expectPartialRevert(IDeliveryVsPayment.OrderNotFound.selector);
        reclaim(terms);
    }

    function test_payee_refundsWhatIsUnreleased() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        bytes32 orderId = escrow.orderIdOf(terms);
        uint256 before = token.balanceOf(payer);
        vm.expectEmit(true, true, true, true, address(escrow));
        emit IDeliveryVsPayment.OrderRefunded(orderId, payee, IDeliveryVsPayment.Cause.PAYEE, AMOUNT, true);
        refundBy(payee, terms, AMOUNT);
        assertEq(token.balanceOf(payer) - before, AMOUNT, "refunded");
        assertStatus(terms, IDeliveryVsPayment.Status.Cancelled);
        assertAmounts(terms, 0, 0);
        terms = funded();
        prove(terms, PROOF);
        refundBy(payee, terms, AMOUNT);
        terms = funded();
        dispute(terms);
        refundBy(payee, terms, AMOUNT);
        assertEq(escrowed(), 0, "escrowed");
    }

    function test_payee_refundsTheRestOfMilestones(uint120 part) public {
        part = uint120(bound(part, 1, AMOUNT - 1));
        IDeliveryVsPayment.Terms memory terms = milestoneTerms();
        fund(terms);
        releaseUpTo(terms, part);
        uint256 before = token.balanceOf(payer);
        refundBy(payee, terms, AMOUNT - part);
        assertStatus(terms, IDeliveryVsPayment.Status.Cancelled);
        assertEq(token.balanceOf(payer) - before, AMOUNT - part, "refunded");
        assertAmounts(terms, part, 0);
    }

    function test_payee_cannotRefundWhatIsReleased() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        release(terms);
        expectStatusRefusal(terms, IDeliveryVsPayment.Status.AwaitingSettlement, 0x47);
        refundBy(payee, terms, AMOUNT);
    }

    function test_operator_refundsWhatIsNotProven() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        bytes32 orderId = escrow.orderIdOf(terms);
        vm.expectEmit(true, true, true, true, address(escrow));
        emit IDeliveryVsPayment.OrderRefunded(orderId, operator, IDeliveryVsPayment.Cause.OPERATOR, AMOUNT, true);
        refundBy(operator, terms, AMOUNT);
        terms = funded();
        prove(terms, PROOF);
        vm.expectPartialRevert(IDeliveryVsPayment.ProofAlreadyValid.selector);
        refundBy(operator, terms, AMOUNT);
    }

    function test_operator_doesNotDecideADispute() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        dispute(terms);
        expectStatusRefusal(terms, IDeliveryVsPayment.Status.Disputed, 7);
        refundBy(operator, terms, AMOUNT);
    }

    /// @dev Until the lock expires, the operator can refund a shipped order. From then on, only the payee can.
    function test_operator_refundsAShippedTimeLock_beforeItsEndOnly() public {
        IDeliveryVsPayment.Terms memory terms = timeLockTerms();
        bytes32 orderId = fund(terms);
        ship(terms);
        vm.warp(terms.timeLockUntil - 1);
        refundBy(operator, terms, 1);
        vm.warp(terms.timeLockUntil);
        vm.expectRevert(abi.encodeWithSelector(IDeliveryVsPayment.ExitVested.selector, orderId, payee));
        refundBy(operator, terms, 1);
        refundBy(payee, terms, AMOUNT - 1);
        assertStatus(terms, IDeliveryVsPayment.Status.Cancelled);
    }

    function test_anyoneElse_isRefused(address caller) public {
        vm.assume(caller != payee && caller != operator);
        IDeliveryVsPayment.Terms memory terms = funded();
        expectCallerRefusal(caller, payee, operator);
        refundBy(caller, terms, AMOUNT);
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
        vm.warp(START + PERIOD + WINDOW + 1);
        expectStatusRefusal(terms, IDeliveryVsPayment.Status.Disputed, 7);
        reclaim(terms);
    }

    function test_reclaim_ofAProvenOrder_isRefused() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        prove(terms, PROOF);
        vm.warp(START + PERIOD + 1);
        vm.expectPartialRevert(IDeliveryVsPayment.ProofAlreadyValid.selector);
        reclaim(terms);
    }

    function test_reclaim_atTheDeadline_isRefused_aSecondLaterReturned() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        vm.warp(START + PERIOD);
        expectTimeRefusal(START + PERIOD, START + PERIOD + 1, type(uint256).max);
        reclaim(terms);
        vm.warp(START + PERIOD + 1);
        bytes32 orderId = escrow.orderIdOf(terms);
        uint256 before = token.balanceOf(payer);
        vm.expectEmit(true, true, true, true, address(escrow));
        emit IDeliveryVsPayment.OrderRefunded(orderId, payer, IDeliveryVsPayment.Cause.DELIVERY_TIMEOUT, AMOUNT, true);
        reclaim(terms);
        assertEq(token.balanceOf(payer) - before, AMOUNT, "refunded");
        assertStatus(terms, IDeliveryVsPayment.Status.Cancelled);
    }

    function test_reclaim_ofAShippedTimeLock_isRefused_ofACreatedOneReturned() public {
        IDeliveryVsPayment.Terms memory terms = timeLockTerms();
        bytes32 orderId = fund(terms);
        ship(terms);
        vm.warp(START + PERIOD + 1);
        vm.expectRevert(abi.encodeWithSelector(IDeliveryVsPayment.ExitVested.selector, orderId, payee));
        reclaim(terms);
        vm.warp(START);
        terms = timeLockTerms();
        fund(terms);
        vm.warp(START + PERIOD + 1);
        reclaim(terms);
    }

    function test_reclaim_ofAShippedOrderOfAnotherType_isReturned() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        ship(terms);
        vm.warp(START + PERIOD + 1);
        reclaim(terms);
        assertEq(escrowed(), 0, "escrowed");
    }

    function test_reclaim_despiteTheMerchantsOwnProof_ofMilestones() public {
        IDeliveryVsPayment.Terms memory terms = milestoneTerms();
        terms.expectedDeliveryHash = PROOF;
        fund(terms);
        prove(terms, PROOF);
        vm.warp(START + PERIOD + 1);
        reclaim(terms);
        assertEq(escrowed(), 0, "escrowed");
    }

    function test_partialRefunds_addUp(uint120 first, uint120 second) public {
        first = uint120(bound(first, 1, AMOUNT - 2));
        second = uint120(bound(second, 1, AMOUNT - first - 1));
        IDeliveryVsPayment.Terms memory terms = funded();
        bytes32 orderId = escrow.orderIdOf(terms);
        uint256 before = token.balanceOf(payer);
        vm.expectEmit(true, true, true, true, address(escrow));
        emit IDeliveryVsPayment.OrderRefunded(orderId, operator, IDeliveryVsPayment.Cause.OPERATOR, first, false);
        refundBy(operator, terms, first);
        refundBy(payee, terms, second);
        assertStatus(terms, IDeliveryVsPayment.Status.Created);
        assertEq(order(terms).refunded, uint256(first) + second, "refunded");
        assertEq(token.balanceOf(payer) - before, uint256(first) + second, "received");
        expectRangeRefusal("amount", AMOUNT, 1, AMOUNT - first - second);
        refundBy(payee, terms, AMOUNT);
        release(terms);
        assertAmounts(terms, AMOUNT - first - second, 0);
        assertEq(order(terms).refunded, uint256(first) + second, "refunded");
        settle(terms);
        assertEq(escrowed(), 0, "escrowed");
    }

    /// @dev A successful transfer adds no credit, not even a credit of zero, for which an indexer would store a row.
    function test_payee_refundThatArrives_isTheOnlyEvent() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        vm.recordLogs();
        refundBy(payee, terms, AMOUNT);
        assertEq(countEvents(), 1, "events");
    }

    function test_partialRefund_thenReclaim_returnsTheRest() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        refundBy(payee, terms, 7);
        vm.warp(START + PERIOD + 1);
        reclaim(terms);
        assertEq(order(terms).refunded, AMOUNT, "refunded");
        assertEq(escrowed(), 0, "escrowed");
    }

    function test_partialRefund_inADispute_leavesItOpen_theRestEndsIt() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        dispute(terms);
        refundBy(payee, terms, 7);
        assertStatus(terms, IDeliveryVsPayment.Status.Disputed);
        refundBy(payee, terms, AMOUNT - 7);
        assertStatus(terms, IDeliveryVsPayment.Status.Cancelled);
        assertEq(escrowed(), 0, "escrowed");
    }

    function test_partialRefund_toABlockedPayer_isACredit() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        HostileToken hostile = new HostileToken();
        vm.prank(owner);
        escrow.setTokenListed(address(hostile), true);
        hostile.setBalance(payer, AMOUNT);
        vm.prank(payer);
        hostile.approve(address(escrow), AMOUNT);
        terms.token = address(hostile);
        fund(terms);
        hostile.setBlocked(payer, true);
        refundBy(payee, terms, 7);
        assertEq(escrow.creditOf(payer, address(hostile)), 7, "credit");
        assertEq(order(terms).refunded, 7, "refunded");
    }

    function test_nothing_isNoRefund() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        expectRangeRefusal("amount", 0, 1, AMOUNT);
        refundBy(payee, terms, 0);
    }
}
