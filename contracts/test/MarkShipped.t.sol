// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";
import {EscrowTest} from "./support/EscrowTest.sol";

/// @dev Tests the branches in MarkShipped.tree.
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

    /// @dev F3: the operator cannot mark an order as shipped if an independent oracle attests shipment.
    function test_withAnIndependentOracle_itAloneShips(address caller) public {
        vm.assume(caller != oracle);
        IDeliveryVsPayment.Terms memory terms = _oracleTerms(oracle);
        fund(terms);
        expectCallerRefusal(caller, oracle, address(0));
        vm.prank(caller);
        escrow.markShipped(terms);
        vm.prank(oracle);
        escrow.markShipped(terms);
        assertStatus(terms, IDeliveryVsPayment.Status.Shipped);
    }

    function test_withAnIndependentOracle_itsSignatureShips(address caller) public {
        IDeliveryVsPayment.Terms memory terms = _oracleTerms(oracle);
        bytes32 orderId = fund(terms);
        bytes32 digest = shipmentDigest(escrow, terms);
        vm.expectRevert(abi.encodeWithSelector(IDeliveryVsPayment.SignatureNotValid.selector, oracle, digest));
        escrow.markShippedFor(terms, sign(PAYEE_KEY, digest));
        vm.expectEmit(true, true, true, true, address(escrow));
        emit IDeliveryVsPayment.OrderShipped(orderId, oracle);
        bytes memory signature = sign(ORACLE_KEY, digest);
        vm.prank(caller);
        escrow.markShippedFor(terms, signature);
        assertStatus(terms, IDeliveryVsPayment.Status.Shipped);
    }

    function test_withAnOracleThatIsAParty_payeeAndOperatorShip() public {
        address[4] memory parties = [payee, operator, arbiter, offRamp];
        for (uint256 i = 0; i < 4; i++) {
            IDeliveryVsPayment.Terms memory terms = _oracleTerms(parties[i]);
            fund(terms);
            bytes memory signature = sign(ORACLE_KEY, shipmentDigest(escrow, terms));
            vm.expectRevert(
                abi.encodeWithSelector(
                    IDeliveryVsPayment.RoleNotAllowed.selector,
                    bytes32("deliveryOracle"),
                    parties[i]
                )
            );
            escrow.markShippedFor(terms, signature);
            vm.prank(i % 2 == 0 ? payee : operator);
            escrow.markShipped(terms);
        }
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

    function _oracleTerms(address oracle_) private returns (IDeliveryVsPayment.Terms memory terms) {
        terms = newTerms();
        terms.deliveryOracle = oracle_;
    }
}
