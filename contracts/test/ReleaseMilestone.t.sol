// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";
import {EscrowTest} from "./support/EscrowTest.sol";

/// @dev Branches: ReleaseMilestone.tree.
contract ReleaseMilestoneTest is EscrowTest {
    function test_whenNeverFunded_isRefused() public {
        IDeliveryVsPayment.Terms memory terms = milestoneTerms();
        vm.expectPartialRevert(IDeliveryVsPayment.OrderNotFound.selector);
        releasePart(terms, 0, 1);
        vm.expectPartialRevert(IDeliveryVsPayment.OrderNotFound.selector);
        escrow.releaseMilestoneFor(terms, 0, 1, "");
    }

    function test_anotherType_isRefused() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        vm.expectRevert(
            abi.encodeWithSelector(IDeliveryVsPayment.ReleaseTypeNotAllowed.selector, escrow.orderIdOf(terms), 0, 2)
        );
        releasePart(terms, 0, 1);
    }

    function test_whileDisputed_isRefused() public {
        IDeliveryVsPayment.Terms memory terms = _funded(false, false);
        dispute(terms);
        expectStatusRefusal(terms, IDeliveryVsPayment.Status.Disputed, 7);
        releasePart(terms, 0, 1);
    }

    function test_operator_releasesWithAutomaticReleaseOnly() public {
        IDeliveryVsPayment.Terms memory terms = _funded(false, true);
        vm.prank(operator);
        escrow.releaseMilestone(terms, 0, 1);
        terms = _funded(false, false);
        expectCallerRefusal(operator, payer, address(0));
        vm.prank(operator);
        escrow.releaseMilestone(terms, 0, 1);
    }

    function test_operator_neverReleasesInAnOraclesPlace() public {
        IDeliveryVsPayment.Terms memory terms = _funded(true, true);
        expectCallerRefusal(operator, payer, oracle);
        vm.prank(operator);
        escrow.releaseMilestone(terms, 0, 1);
    }

    function test_oracle_releasesItselfOrBySignature() public {
        IDeliveryVsPayment.Terms memory terms = _funded(true, false);
        vm.prank(oracle);
        escrow.releaseMilestone(terms, 0, 10);
        bytes memory signature = sign(ORACLE_KEY, milestoneDigest(escrow, terms, 1, 20));
        bytes32 orderId = escrow.orderIdOf(terms);
        vm.expectEmit(true, true, true, true, address(escrow));
        emit IDeliveryVsPayment.MilestoneReleased(orderId, 1, oracle, 20, false);
        vm.prank(stranger);
        escrow.releaseMilestoneFor(terms, 1, 20, signature);
        assertAmounts(terms, 30, 0);
    }

    function test_oraclesSignature_isForOneIndexAndAmount() public {
        IDeliveryVsPayment.Terms memory terms = _funded(true, false);
        bytes memory signature = sign(ORACLE_KEY, milestoneDigest(escrow, terms, 0, 20));
        vm.expectPartialRevert(IDeliveryVsPayment.SignatureNotValid.selector);
        escrow.releaseMilestoneFor(terms, 0, 21, signature);
        escrow.releaseMilestoneFor(terms, 0, 20, signature);
        expectRangeRefusal("milestoneIndex", 0, 1, 1);
        escrow.releaseMilestoneFor(terms, 0, 20, signature);
        vm.expectPartialRevert(IDeliveryVsPayment.SignatureNotValid.selector);
        escrow.releaseMilestoneFor(terms, 1, 20, signature);
        terms = _funded(false, false);
        vm.expectPartialRevert(IDeliveryVsPayment.SignatureNotValid.selector);
        escrow.releaseMilestoneFor(terms, 0, 20, new bytes(65));
    }

    function test_anyoneElse_isRefused(address caller) public {
        vm.assume(caller != payer && caller != oracle);
        IDeliveryVsPayment.Terms memory terms = _funded(true, false);
        expectCallerRefusal(caller, payer, oracle);
        vm.prank(caller);
        escrow.releaseMilestone(terms, 0, 1);
    }

    function test_afterTheDeliveryDeadline_thePayerAloneReleases() public {
        IDeliveryVsPayment.Terms memory terms = _funded(true, false);
        bytes memory signature = sign(ORACLE_KEY, milestoneDigest(escrow, terms, 1, 1));
        vm.warp(START + PERIOD);
        vm.prank(oracle);
        escrow.releaseMilestone(terms, 0, 1);
        vm.warp(START + PERIOD + 1);
        expectTimeRefusal(START + PERIOD + 1, 0, START + PERIOD);
        vm.prank(oracle);
        escrow.releaseMilestone(terms, 1, 1);
        expectTimeRefusal(START + PERIOD + 1, 0, START + PERIOD);
        escrow.releaseMilestoneFor(terms, 1, 1, signature);
        releasePart(terms, 1, 1);
    }

    function test_afterTheDeliveryDeadline_ofAProvenOrder_theOracleStillReleases() public {
        IDeliveryVsPayment.Terms memory terms = _funded(true, false);
        prove(terms, PROOF);
        vm.warp(START + PERIOD + 1);
        vm.prank(oracle);
        escrow.releaseMilestone(terms, 0, 1);
    }

    function test_index_isTheNext(uint256 index) public {
        vm.assume(index != 1);
        IDeliveryVsPayment.Terms memory terms = _funded(false, false);
        releasePart(terms, 0, 1);
        expectRangeRefusal("milestoneIndex", index, 1, 1);
        releasePart(terms, index, 1);
    }

    function test_amount_isWithinTheRest(uint256 amount) public {
        IDeliveryVsPayment.Terms memory terms = _funded(false, false);
        releasePart(terms, 0, 10);
        amount = bound(amount, AMOUNT - 9, type(uint256).max);
        expectRangeRefusal("amount", amount, 1, AMOUNT - 10);
        releasePart(terms, 1, amount);
        expectRangeRefusal("amount", 0, 1, AMOUNT - 10);
        releasePart(terms, 1, 0);
    }

    function test_otherwise_releasedGrows_andTheLastCompletes(uint120 first) public {
        first = uint120(bound(first, 1, AMOUNT - 1));
        IDeliveryVsPayment.Terms memory terms = _funded(false, false);
        releasePart(terms, 0, first);
        assertAmounts(terms, first, 0);
        assertStatus(terms, IDeliveryVsPayment.Status.Created);
        assertEq(order(terms).milestones, 1, "milestones");
        bytes32 orderId = escrow.orderIdOf(terms);
        vm.expectEmit(true, true, true, true, address(escrow));
        emit IDeliveryVsPayment.MilestoneReleased(orderId, 1, payer, AMOUNT - first, true);
        releasePart(terms, 1, AMOUNT - first);
        assertAmounts(terms, AMOUNT, 0);
        assertEq(order(terms).milestones, 2, "milestones");
        assertStatus(terms, IDeliveryVsPayment.Status.AwaitingSettlement);
    }

    function test_oneMilestone_mayBeTheWhole() public {
        IDeliveryVsPayment.Terms memory terms = _funded(false, false);
        releasePart(terms, 0, AMOUNT);
        assertStatus(terms, IDeliveryVsPayment.Status.AwaitingSettlement);
        settle(terms);
        assertAmounts(terms, AMOUNT, AMOUNT);
    }

    function _funded(bool withOracle, bool automatic) private returns (IDeliveryVsPayment.Terms memory terms) {
        terms = milestoneTerms();
        if (withOracle) terms.deliveryOracle = oracle;
        terms.autoReleaseOnProof = automatic;
        fund(terms);
    }
}
