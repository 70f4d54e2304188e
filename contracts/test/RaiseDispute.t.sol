// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";
import {EscrowTest} from "./support/EscrowTest.sol";

/// @dev Branches: RaiseDispute.tree.
contract RaiseDisputeTest is EscrowTest {
    function test_raise_forNobodyElse(address raisedBy) public {
        vm.assume(raisedBy != payer && raisedBy != payee);
        IDeliveryVsPayment.Terms memory terms = funded();
        bytes memory refusal = abi.encodeWithSelector(
            IDeliveryVsPayment.RoleNotAllowed.selector,
            bytes32("raisedBy"),
            raisedBy
        );
        vm.expectRevert(refusal);
        vm.prank(operator);
        escrow.raiseDispute(terms, raisedBy, WINDOW, "");
        vm.expectRevert(refusal);
        vm.prank(raisedBy);
        escrow.raiseDispute(terms, raisedBy, WINDOW, "");
    }

    function test_raise_byNobodyElse(address caller) public {
        vm.assume(caller != payer && caller != operator);
        IDeliveryVsPayment.Terms memory terms = funded();
        expectCallerRefusal(caller, payer, operator);
        vm.prank(caller);
        escrow.raiseDispute(terms, payer, WINDOW, "");
        vm.assume(caller != payee);
        expectCallerRefusal(caller, payee, operator);
        vm.prank(caller);
        escrow.raiseDispute(terms, payee, WINDOW, "");
    }

    function test_raise_once() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        dispute(terms);
        bytes memory refusal = abi.encodeWithSelector(
            IDeliveryVsPayment.DisputeAlreadyRaised.selector,
            escrow.orderIdOf(terms)
        );
        vm.expectRevert(refusal);
        dispute(terms);
        _resolve(terms, 1);
        vm.expectRevert(refusal);
        dispute(terms);
    }

    function test_raise_whenReleased_isRefused() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        release(terms);
        expectStatusRefusal(terms, IDeliveryVsPayment.Status.AwaitingSettlement, 7);
        dispute(terms);
    }

    function test_raise_windowIsWithinItsRange(uint40 window) public {
        IDeliveryVsPayment.Terms memory terms = funded();
        if (window < 1 days || window > 30 days) expectRangeRefusal("window", window, 1 days, 30 days);
        vm.prank(payee);
        escrow.raiseDispute(terms, payee, window, "");
    }

    function test_raise_windowAtItsEnds() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        expectRangeRefusal("window", 1 days - 1, 1 days, 30 days);
        _raise(terms, 1 days - 1);
        expectRangeRefusal("window", 30 days + 1, 1 days, 30 days);
        _raise(terms, 30 days + 1);
        _raise(terms, 1 days);
        terms = funded();
        _raise(terms, 30 days);
        assertEq(order(terms).disputeDeadline, START + 30 days, "deadline");
    }

    function test_raise_tellsWhoUntilWhenAndWhy() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        bytes32 orderId = escrow.orderIdOf(terms);
        vm.expectEmit(true, true, true, true, address(escrow));
        emit IDeliveryVsPayment.DisputeRaised(orderId, payee, START + WINDOW, "unpaid extras");
        vm.prank(operator);
        escrow.raiseDispute(terms, payee, WINDOW, "unpaid extras");
        assertStatus(terms, IDeliveryVsPayment.Status.Disputed);
        assertEq(order(terms).disputeDeadline, START + WINDOW, "deadline");
        assertEq(order(terms).payer, payer, "payer");
        assertEq(order(terms).deliveryDeadline, START + PERIOD, "delivery deadline");
    }

    function _raise(IDeliveryVsPayment.Terms memory terms, uint40 window) private {
        vm.prank(payer);
        escrow.raiseDispute(terms, payer, window, "");
    }

    function _resolve(IDeliveryVsPayment.Terms memory terms, uint256 amount) private {
        vm.prank(arbiter);
        escrow.resolveDispute(terms, amount);
    }
}
