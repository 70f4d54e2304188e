// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";
import {EscrowTest} from "./support/EscrowTest.sol";

/// @dev Branches: MarkShipped.tree.
contract MarkShippedTest is EscrowTest {
    function test_whenNeverFunded_isRefused() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        vm.expectRevert(abi.encodeWithSelector(IDeliveryVsPayment.OrderNotFound.selector, escrow.orderIdOf(terms)));
        ship(terms);
    }

    function test_whenTheCallerIsNeitherPayeeNorOperator_isRefused(address caller) public {
        vm.assume(caller != payee && caller != operator);
        IDeliveryVsPayment.Terms memory terms = funded();
        expectCallerRefusal(caller, payee, operator);
        vm.prank(caller);
        escrow.markShipped(terms);
    }

    function test_whenNotCreated_isRefused() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        ship(terms);
        expectStatusRefusal(terms, IDeliveryVsPayment.Status.Shipped, 1);
        ship(terms);
    }

    function test_atTheDeliveryDeadline_isShipped() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        vm.warp(START + PERIOD);
        ship(terms);
    }

    function test_aSecondAfterTheDeliveryDeadline_isRefused() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        vm.warp(START + PERIOD + 1);
        expectTimeRefusal(START + PERIOD + 1, 0, START + PERIOD);
        ship(terms);
    }

    function test_otherwise_isShipped() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        bytes32 orderId = escrow.orderIdOf(terms);
        vm.expectEmit(true, true, true, true, address(escrow));
        emit IDeliveryVsPayment.OrderShipped(orderId, operator);
        vm.prank(operator);
        escrow.markShipped(terms);
        assertStatus(terms, IDeliveryVsPayment.Status.Shipped);
        assertEq(order(terms).payer, payer, "payer");
        assertEq(order(terms).deliveryDeadline, START + PERIOD, "deadline");
    }
}
