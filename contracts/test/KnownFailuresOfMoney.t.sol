// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";
import {EscrowTest} from "./support/EscrowTest.sol";
import {HostileToken} from "./support/mocks/HostileToken.sol";

/// @dev Regression tests for vulnerabilities of other escrow contracts in amounts, exits and states.
contract KnownFailuresOfMoneyTest is EscrowTest {
    function test_releasedPlusWithdrawn_neverExceedsFunded() public {
        IDeliveryVsPayment.Terms memory terms = milestoneTerms();
        fund(terms);
        fund(newTerms()); // another order's funds
        releaseUpTo(terms, AMOUNT / 2);
        withdraw(terms);
        release(terms);
        withdraw(terms);
        assertEq(token.balanceOf(payee), AMOUNT, "withdrawn");
        assertEq(escrowed(), AMOUNT, "somebody else's");
        vm.expectPartialRevert(IDeliveryVsPayment.NothingReleased.selector);
        withdraw(terms);
    }

    function test_aBalanceDelta_isNotCountedTwiceByANestedCall() public {
        HostileToken hostile = _hostile();
        IDeliveryVsPayment.Terms memory outer = _hostileTerms(hostile);
        IDeliveryVsPayment.Terms memory inner = _hostileTerms(hostile);
        // The inner order's payer is the token itself, so the outer measurement would also count the inner transfer.
        hostile.setBalance(address(hostile), AMOUNT);
        hostile.reenter(address(escrow), abi.encodeCall(escrow.createOrder, (inner)));
        fund(outer);
        assertTrue(!hostile.reentrySucceeded(), "refused");
        assertEq(order(inner).payer, address(0), "inner");
        assertEq(hostile.balanceOf(address(escrow)), AMOUNT, "escrowed once");
    }

    function test_aBlacklistedPayee_blocksNobodyElse() public {
        HostileToken hostile = _hostile();
        IDeliveryVsPayment.Terms[] memory orders = new IDeliveryVsPayment.Terms[](2);
        for (uint256 i = 0; i < 2; i++) {
            orders[i] = _hostileTerms(hostile);
            if (i == 1) orders[i].payee = stranger;
            fund(orders[i]);
            release(orders[i]);
        }
        hostile.setBlocked(payee, true);
        vm.expectRevert(HostileToken.Refused.selector);
        withdraw(orders[0]);
        vm.prank(operator);
        escrow.settle(grouped(orders));
        assertEq(hostile.balanceOf(offRamp), 2 * uint256(AMOUNT), "settled");
    }

    function test_aBlacklistedPayer_doesNotBlockThePayeesPart() public {
        HostileToken hostile = _hostile();
        IDeliveryVsPayment.Terms memory terms = _hostileTerms(hostile);
        fund(terms);
        dispute(terms);
        hostile.setBlocked(payer, true);
        vm.prank(arbiter);
        escrow.resolveDispute(terms, 5);
        settle(terms);
        assertEq(hostile.balanceOf(offRamp), 5, "settled");
        assertEq(escrow.creditOf(payer, address(hostile)), AMOUNT - 5, "credit");
    }

    function test_aDelistedToken_keepsEveryExit() public {
        IDeliveryVsPayment.Terms[10] memory orders;
        for (uint256 i = 0; i < 10; i++) {
            if (i == 3) orders[i] = milestoneTerms();
            else orders[i] = i == 4 ? timeLockTerms() : newTerms();
            fund(orders[i]);
        }
        vm.prank(owner);
        escrow.setTokenListed(address(token), false);
        release(orders[0]);
        settle(orders[0]);
        release(orders[1]);
        withdraw(orders[1]);
        refundBy(payee, orders[2], AMOUNT);
        releaseUpTo(orders[3], AMOUNT);
        settle(orders[3]);
        ship(orders[4]);
        vm.warp(orders[4].timeLockUntil);
        escrow.releaseTimeLocked(orders[4]);
        settle(orders[4]);
        dispute(orders[5]);
        vm.prank(arbiter);
        escrow.resolveDispute(orders[5], 0);
        dispute(orders[6]);
        escrow.resolveDisputeByAgreement(
            orders[6],
            0,
            START + PERIOD,
            sign(PAYER_KEY, agreementDigest(escrow, orders[6], IDeliveryVsPayment.Side.PAYER, 0, START + PERIOD)),
            sign(PAYEE_KEY, agreementDigest(escrow, orders[6], IDeliveryVsPayment.Side.PAYER, 0, START + PERIOD))
        );
        dispute(orders[7]);
        prove(orders[8], PROOF);
        vm.prank(operator);
        escrow.release(orders[8]);
        settle(orders[8]);
        vm.warp(START + PERIOD + 1);
        escrow.resolveExpiredDispute(orders[7]);
        vm.prank(payer);
        escrow.reclaim(orders[9]);
        assertEq(escrowed(), 0, "escrowed");
    }

    function test_noDust_isLostInASplit(uint120 amount, uint120 payeeAmount) public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        terms.amount = uint120(bound(amount, 1, 1e30));
        payeeAmount = uint120(bound(payeeAmount, 0, terms.amount));
        fund(terms);
        dispute(terms);
        vm.prank(arbiter);
        escrow.resolveDispute(terms, payeeAmount);
        settle(terms);
        assertEq(escrowed(), 0, "escrowed");
    }

    function test_withdrawal_andFiat_neverForTheSameFunds() public {
        IDeliveryVsPayment.Terms memory terms = milestoneTerms();
        fund(terms);
        releaseUpTo(terms, 40);
        withdraw(terms);
        release(terms);
        settle(terms);
        assertEq(token.balanceOf(offRamp), 0, "never settled");
        withdraw(terms);
        assertEq(token.balanceOf(payee), AMOUNT, "withdrawn");
    }

    function test_statuses_leaveNoTerminalState() public {
        IDeliveryVsPayment.Terms memory cancelled = funded();
        refundBy(payee, cancelled, AMOUNT);
        IDeliveryVsPayment.Terms memory completed = funded();
        release(completed);
        settle(completed);
        vm.warp(START + PERIOD + 1);
        address[5] memory callers = [payer, payee, operator, arbiter, stranger];
        for (uint256 i = 0; i < 5; i++) {
            _tryEverything(cancelled, callers[i]);
            _tryEverything(completed, callers[i]);
        }
        assertStatus(cancelled, IDeliveryVsPayment.Status.Cancelled);
        assertStatus(completed, IDeliveryVsPayment.Status.Completed);
        assertEq(escrowed(), 0, "escrowed");
    }

    function _tryEverything(IDeliveryVsPayment.Terms memory terms, address caller) private {
        IDeliveryVsPayment.Terms[] memory orders = new IDeliveryVsPayment.Terms[](1);
        orders[0] = terms;
        bytes[11] memory calls = [
            abi.encodeCall(escrow.createOrder, (terms)),
            abi.encodeCall(escrow.markShipped, (terms)),
            abi.encodeCall(escrow.submitDeliveryProof, (terms, PROOF, URI)),
            abi.encodeCall(escrow.release, (terms)),
            abi.encodeCall(escrow.releaseTimeLocked, (terms)),
            abi.encodeCall(escrow.withdraw, (terms)),
            abi.encodeCall(escrow.refund, (terms, 1)),
            abi.encodeCall(escrow.reclaim, (terms)),
            abi.encodeCall(escrow.raiseDispute, (terms, WINDOW, "")),
            abi.encodeCall(escrow.resolveDispute, (terms, 1)),
            abi.encodeCall(escrow.resolveExpiredDispute, (terms))
        ];
        for (uint256 i = 0; i < calls.length; i++) {
            vm.prank(caller);
            (bool done, ) = address(escrow).call(calls[i]);
            assertTrue(!done, "refused");
        }
        vm.prank(operator);
        escrow.settle(grouped(orders));
    }

    function _hostile() private returns (HostileToken hostile) {
        hostile = new HostileToken();
        vm.prank(owner);
        escrow.setTokenListed(address(hostile), true);
        hostile.setBalance(payer, 2 * uint256(AMOUNT));
        vm.prank(payer);
        hostile.approve(address(escrow), type(uint256).max);
    }

    function _hostileTerms(HostileToken hostile) private returns (IDeliveryVsPayment.Terms memory terms) {
        terms = newTerms();
        terms.token = address(hostile);
    }
}
