// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";
import {EscrowTest} from "./support/EscrowTest.sol";

import {HostileToken} from "./support/mocks/HostileToken.sol";

/// @dev Tests the branches in Settle.tree.
contract SettleTest is EscrowTest {
    function test_whenAnOrderHasAnotherOperator_theBatchIsRefused() public {
        IDeliveryVsPayment.Terms[] memory orders = _released(2);
        orders[1].operator = stranger;
        expectCallerRefusal(operator, stranger, address(0));
        vm.prank(operator);
        escrow.settle(grouped(orders));
        expectCallerRefusal(stranger, operator, address(0));
        vm.prank(stranger);
        escrow.settle(grouped(orders));
    }

    function test_badOrders_areSkippedAndReported() public {
        IDeliveryVsPayment.Terms[] memory orders = _released(7);
        orders[0] = newTerms();
        withdraw(orders[1]);
        orders[3] = orders[2];
        orders[4] = funded();
        IDeliveryVsPayment.Terms memory other = newTerms();
        other.offRamp = stranger;
        fund(other);
        release(other);
        orders[5] = other;
        _expectSkip(orders[0], IDeliveryVsPayment.OrderNotFound.selector);
        _expectSkip(orders[1], IDeliveryVsPayment.AlreadyWithdrawn.selector);
        vm.expectEmit(true, true, true, true, address(escrow));
        emit IDeliveryVsPayment.OrderSettled(escrow.orderIdOf(orders[2]), offRamp, AMOUNT);
        _expectSkip(orders[3], IDeliveryVsPayment.NothingReleased.selector);
        _expectSkip(orders[4], IDeliveryVsPayment.NothingReleased.selector);
        bytes32 id = escrow.orderIdOf(other);
        vm.expectEmit(true, true, true, true, address(escrow));
        emit IDeliveryVsPayment.SettlementSkipped(
            id,
            abi.encodeWithSelector(IDeliveryVsPayment.OtherBatch.selector, id, token, stranger)
        );
        vm.expectEmit(true, true, true, true, address(escrow));
        emit IDeliveryVsPayment.OrderSettled(escrow.orderIdOf(orders[6]), offRamp, AMOUNT);
        vm.prank(operator);
        escrow.settle(grouped(orders));
        assertEq(token.balanceOf(offRamp), 2 * AMOUNT, "settled");
        assertStatus(orders[2], IDeliveryVsPayment.Status.Completed);
        assertStatus(orders[6], IDeliveryVsPayment.Status.Completed);
        assertStatus(other, IDeliveryVsPayment.Status.AwaitingSettlement);
    }

    function test_anotherToken_isAnotherBatch() public {
        IDeliveryVsPayment.Terms[] memory orders = _released(2);
        HostileToken second = new HostileToken();
        vm.prank(owner);
        escrow.setTokenListed(address(second), true);
        second.setBalance(payer, AMOUNT);
        vm.prank(payer);
        second.approve(address(escrow), AMOUNT);
        orders[1] = newTerms();
        orders[1].token = address(second);
        fund(orders[1]);
        release(orders[1]);
        vm.prank(operator);
        escrow.settle(grouped(orders));
        assertEq(token.balanceOf(offRamp), AMOUNT, "first");
        assertEq(second.balanceOf(offRamp), 0, "second");
        settle(orders[1]);
        assertEq(second.balanceOf(offRamp), AMOUNT, "second");
    }

    function test_manyPayees_inOneTransfer(uint8 count) public {
        count = uint8(bound(count, 1, 20));
        IDeliveryVsPayment.Terms[] memory orders = new IDeliveryVsPayment.Terms[](count);
        for (uint256 i = 0; i < count; i++) {
            orders[i] = newTerms();
            orders[i].payee = address(uint160(0x1000 + i));
            fund(orders[i]);
            release(orders[i]);
        }
        vm.prank(operator);
        escrow.settle(grouped(orders));
        assertEq(token.balanceOf(offRamp), uint256(count) * AMOUNT, "settled");
        assertEq(escrowed(), 0, "escrowed");
        for (uint256 i = 0; i < count; i++) assertAmounts(orders[i], AMOUNT, AMOUNT);
    }

    function test_nothingToSettle_isNoRefusal() public {
        vm.prank(operator);
        escrow.settle(new IDeliveryVsPayment.SettlementGroup[](0));
        settle(funded());
        assertEq(token.balanceOf(offRamp), 0, "settled");
    }

    function test_partsLeave_whileTheStatusStays() public {
        IDeliveryVsPayment.Terms memory terms = milestoneTerms();
        bytes32 orderId = fund(terms);
        releaseUpTo(terms, 40);
        vm.expectEmit(true, true, true, true, address(escrow));
        emit IDeliveryVsPayment.OrderSettled(orderId, offRamp, 40);
        settle(terms);
        assertAmounts(terms, 40, 40);
        assertStatus(terms, IDeliveryVsPayment.Status.Created);
        releaseUpTo(terms, 42);
        dispute(terms);
        settle(terms);
        assertAmounts(terms, 42, 42);
        assertStatus(terms, IDeliveryVsPayment.Status.Disputed);
        refundBy(payee, terms, AMOUNT - 42);
        assertAmounts(terms, 42, 42);
        assertEq(token.balanceOf(offRamp), 42, "settled");
        assertEq(escrowed(), 0, "escrowed");
    }

    function test_aCancelledOrdersReleasedPart_isStillSettled() public {
        IDeliveryVsPayment.Terms memory terms = milestoneTerms();
        fund(terms);
        releaseUpTo(terms, 40);
        refundBy(payee, terms, AMOUNT - 40);
        settle(terms);
        assertEq(token.balanceOf(offRamp), 40, "settled");
        assertStatus(terms, IDeliveryVsPayment.Status.Cancelled);
    }

    function test_aFailingTransfer_undoesTheBatch() public {
        IDeliveryVsPayment.Terms memory terms = _hostile();
        HostileToken hostile = HostileToken(terms.token);
        hostile.setBlocked(offRamp, true);
        IDeliveryVsPayment.Terms[] memory orders = new IDeliveryVsPayment.Terms[](1);
        orders[0] = terms;
        vm.prank(operator);
        vm.expectRevert(HostileToken.Refused.selector);
        escrow.settle(grouped(orders));
        assertAmounts(terms, AMOUNT, 0);
        withdraw(terms);
        assertEq(hostile.balanceOf(payee), AMOUNT, "withdrawn");
    }

    function test_withdraw_isThePayeesAlone(address caller) public {
        vm.assume(caller != payee);
        IDeliveryVsPayment.Terms memory terms = _released(1)[0];
        expectCallerRefusal(caller, payee, address(0));
        vm.prank(caller);
        escrow.withdraw(terms);
    }

    function test_withdraw_ofNothing_isRefused() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        vm.expectPartialRevert(IDeliveryVsPayment.OrderNotFound.selector);
        withdraw(terms);
        bytes32 orderId = fund(terms);
        bytes memory refusal = abi.encodeWithSelector(IDeliveryVsPayment.NothingReleased.selector, orderId);
        vm.expectRevert(refusal);
        withdraw(terms);
        release(terms);
        settle(terms);
        vm.expectRevert(refusal);
        withdraw(terms);
    }

    function test_withdraw_leavesToThePayee() public {
        IDeliveryVsPayment.Terms memory terms = _released(1)[0];
        bytes32 orderId = escrow.orderIdOf(terms);
        vm.expectEmit(true, true, true, true, address(escrow));
        emit IDeliveryVsPayment.OrderWithdrawn(orderId, payee, AMOUNT);
        withdraw(terms);
        assertEq(token.balanceOf(payee), AMOUNT, "withdrawn");
        assertAmounts(terms, AMOUNT, AMOUNT);
        assertStatus(terms, IDeliveryVsPayment.Status.Completed);
        assertTrue(order(terms).withdrawn, "withdrawn");
    }

    function test_withdraw_ofParts_oneAfterTheOther() public {
        IDeliveryVsPayment.Terms memory terms = milestoneTerms();
        fund(terms);
        releaseUpTo(terms, 40);
        withdraw(terms);
        releaseUpTo(terms, AMOUNT);
        withdraw(terms);
        assertEq(token.balanceOf(payee), AMOUNT, "withdrawn");
        assertAmounts(terms, AMOUNT, AMOUNT);
    }

    function test_credit_isClaimedOnce_toTheCreditedAddress() public {
        IDeliveryVsPayment.Terms memory terms = _hostile(false);
        HostileToken hostile = HostileToken(terms.token);
        hostile.setBlocked(payer, true);
        bytes32 orderId = escrow.orderIdOf(terms);
        vm.expectEmit(true, true, true, true, address(escrow));
        emit IDeliveryVsPayment.CreditAdded(orderId, payer, address(hostile), AMOUNT);
        refundBy(payee, terms, AMOUNT);
        assertStatus(terms, IDeliveryVsPayment.Status.Cancelled);
        assertEq(escrow.creditOf(payer, address(hostile)), AMOUNT, "credit");
        hostile.setBlocked(payer, false);
        uint256 before = hostile.balanceOf(payer);
        vm.expectEmit(true, true, true, true, address(escrow));
        emit IDeliveryVsPayment.CreditClaimed(payer, address(hostile), AMOUNT);
        vm.prank(payer);
        assertEq(escrow.claimCredit(address(hostile)), AMOUNT, "claimed");
        assertEq(hostile.balanceOf(payer) - before, AMOUNT, "received");
        vm.expectRevert(abi.encodeWithSelector(IDeliveryVsPayment.NoCredit.selector, payer, address(hostile)));
        vm.prank(payer);
        escrow.claimCredit(address(hostile));
    }

    function test_credits_addUp() public {
        IDeliveryVsPayment.Terms memory terms = _hostile(false);
        HostileToken hostile = HostileToken(terms.token);
        IDeliveryVsPayment.Terms memory second = newTerms();
        second.token = terms.token;
        fund(second);
        hostile.setBlocked(payer, true);
        refundBy(payee, terms, AMOUNT);
        refundBy(payee, second, AMOUNT);
        assertEq(escrow.creditOf(payer, address(hostile)), 2 * AMOUNT, "credit");
    }

    function test_aClaimThatFails_keepsTheCredit() public {
        IDeliveryVsPayment.Terms memory terms = _hostile(false);
        HostileToken hostile = HostileToken(terms.token);
        hostile.setBlocked(payer, true);
        refundBy(payee, terms, AMOUNT);
        vm.expectRevert(HostileToken.Refused.selector);
        vm.prank(payer);
        escrow.claimCredit(address(hostile));
        assertEq(escrow.creditOf(payer, address(hostile)), AMOUNT, "credit");
    }

    function _hostile() private returns (IDeliveryVsPayment.Terms memory) {
        return _hostile(true);
    }

    function _hostile(bool released) private returns (IDeliveryVsPayment.Terms memory terms) {
        HostileToken hostile = new HostileToken();
        vm.prank(owner);
        escrow.setTokenListed(address(hostile), true);
        hostile.setBalance(payer, 2 * AMOUNT);
        vm.prank(payer);
        hostile.approve(address(escrow), 2 * AMOUNT);
        terms = newTerms();
        terms.token = address(hostile);
        fund(terms);
        if (released) release(terms);
    }

    function _released(uint256 count) private returns (IDeliveryVsPayment.Terms[] memory orders) {
        orders = new IDeliveryVsPayment.Terms[](count);
        for (uint256 i = 0; i < count; i++) {
            orders[i] = funded();
            release(orders[i]);
        }
    }

    function _expectSkip(IDeliveryVsPayment.Terms memory terms, bytes4 reason) private {
        bytes32 id = escrow.orderIdOf(terms);
        vm.expectEmit(true, true, true, true, address(escrow));
        emit IDeliveryVsPayment.SettlementSkipped(id, abi.encodeWithSelector(reason, id));
    }
}
