// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";
import {EscrowTest} from "./support/EscrowTest.sol";

/// @dev Tests the branches in ReleaseMilestone.tree.
contract ReleaseMilestoneTest is EscrowTest {
    function test_whenNeverFunded_isRefused() public {
        IDeliveryVsPayment.Terms memory terms = milestoneTerms();
        vm.expectPartialRevert(IDeliveryVsPayment.OrderNotFound.selector);
        releaseUpTo(terms, 1);
        vm.expectPartialRevert(IDeliveryVsPayment.OrderNotFound.selector);
        escrow.releaseMilestoneFor(terms, 1, "");
    }

    function test_anotherType_isRefused() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        vm.expectRevert(
            abi.encodeWithSelector(IDeliveryVsPayment.ReleaseTypeNotAllowed.selector, escrow.orderIdOf(terms), 0, 2)
        );
        releaseUpTo(terms, 1);
    }

    function test_whileDisputed_isRefused() public {
        IDeliveryVsPayment.Terms memory terms = _funded(oracle, false);
        dispute(terms);
        expectStatusRefusal(terms, IDeliveryVsPayment.Status.Disputed, 7);
        releaseUpTo(terms, 1);
        expectStatusRefusal(terms, IDeliveryVsPayment.Status.Disputed, 7);
        _releaseBy(oracle, terms, 1);
    }

    function test_operator_releasesWithAutomaticReleaseOnly() public {
        IDeliveryVsPayment.Terms memory terms = _funded(address(0), true);
        _releaseBy(operator, terms, 1);
        terms = _funded(address(0), false);
        expectCallerRefusal(operator, payer, address(0));
        _releaseBy(operator, terms, 1);
    }

    function test_operator_neverReleasesInAnOraclesPlace() public {
        IDeliveryVsPayment.Terms memory terms = _funded(oracle, true);
        expectCallerRefusal(operator, oracle, address(0));
        _releaseBy(operator, terms, 1);
    }

    /// @dev F9: otherwise, an oracle that is a party could release every milestone to itself.
    function test_anOracleThatIsAParty_releasesNothing() public {
        address[4] memory parties = [payee, operator, arbiter, offRamp];
        for (uint256 i = 0; i < 4; i++) {
            IDeliveryVsPayment.Terms memory terms = _funded(parties[i], true);
            bytes memory refusal = abi.encodeWithSelector(
                IDeliveryVsPayment.RoleNotAllowed.selector,
                bytes32("deliveryOracle"),
                parties[i]
            );
            vm.expectRevert(refusal);
            _releaseBy(parties[i], terms, 1);
            bytes memory signature = sign(PAYEE_KEY, milestoneDigest(escrow, terms, 1));
            vm.expectRevert(refusal);
            escrow.releaseMilestoneFor(terms, 1, signature);
            releaseUpTo(terms, 1);
        }
    }

    function test_oracle_releasesItselfOrBySignature() public {
        IDeliveryVsPayment.Terms memory terms = _funded(oracle, false);
        _releaseBy(oracle, terms, 10);
        bytes memory signature = sign(ORACLE_KEY, milestoneDigest(escrow, terms, 30));
        bytes32 orderId = escrow.orderIdOf(terms);
        vm.expectEmit(true, true, true, true, address(escrow));
        emit IDeliveryVsPayment.MilestoneReleased(orderId, oracle, 20, 30, false);
        vm.prank(stranger);
        escrow.releaseMilestoneFor(terms, 30, signature);
        assertAmounts(terms, 30, 0);
    }

    function test_oraclesSignature_isForOneTotal_andSpentByIt() public {
        IDeliveryVsPayment.Terms memory terms = _funded(oracle, false);
        bytes memory signature = sign(ORACLE_KEY, milestoneDigest(escrow, terms, 20));
        vm.expectPartialRevert(IDeliveryVsPayment.SignatureNotValid.selector);
        escrow.releaseMilestoneFor(terms, 21, signature);
        escrow.releaseMilestoneFor(terms, 20, signature);
        _expectNothing(terms, 20, 20);
        escrow.releaseMilestoneFor(terms, 20, signature);
    }

    /// @dev F6: the payer cannot void a release signed by the oracle by releasing a unit first.
    function test_aSmallerRelease_doesNotVoidTheOraclesSignature() public {
        IDeliveryVsPayment.Terms memory terms = _funded(oracle, false);
        bytes memory signature = sign(ORACLE_KEY, milestoneDigest(escrow, terms, 1000));
        releaseUpTo(terms, 1);
        escrow.releaseMilestoneFor(terms, 1000, signature);
        assertAmounts(terms, 1000, 0);
    }

    function test_anyoneElse_isRefused(address caller) public {
        vm.assume(caller != payer && caller != oracle);
        IDeliveryVsPayment.Terms memory terms = _funded(oracle, false);
        expectCallerRefusal(caller, oracle, address(0));
        _releaseBy(caller, terms, 1);
    }

    function test_afterTheDeliveryDeadline_thePayerAloneReleases() public {
        IDeliveryVsPayment.Terms memory terms = _funded(oracle, false);
        bytes memory signature = sign(ORACLE_KEY, milestoneDigest(escrow, terms, 2));
        vm.warp(START + PERIOD);
        _releaseBy(oracle, terms, 1);
        vm.warp(START + PERIOD + 1);
        expectTimeRefusal(START + PERIOD + 1, 0, START + PERIOD);
        _releaseBy(oracle, terms, 2);
        expectTimeRefusal(START + PERIOD + 1, 0, START + PERIOD);
        escrow.releaseMilestoneFor(terms, 2, signature);
        releaseUpTo(terms, 2);
    }

    function test_nothingMore_isRefused(uint256 total) public {
        IDeliveryVsPayment.Terms memory terms = _funded(address(0), false);
        releaseUpTo(terms, 10);
        total = bound(total, 0, 10);
        _expectNothing(terms, total, 10);
        releaseUpTo(terms, total);
    }

    function test_moreThanTheAmount_isTheAmount(uint256 total) public {
        IDeliveryVsPayment.Terms memory terms = _funded(address(0), false);
        total = bound(total, AMOUNT, type(uint256).max);
        releaseUpTo(terms, total);
        assertAmounts(terms, AMOUNT, 0);
        assertStatus(terms, IDeliveryVsPayment.Status.AwaitingSettlement);
        settle(terms);
        assertAmounts(terms, AMOUNT, AMOUNT);
    }

    /// @dev Refunds reduce the total that milestones can release.
    function test_afterARefund_theRestIsAllThereIs(uint120 refunded) public {
        refunded = uint120(bound(refunded, 1, AMOUNT - 11));
        IDeliveryVsPayment.Terms memory terms = _funded(address(0), false);
        releaseUpTo(terms, 10);
        refundBy(payee, terms, refunded);
        releaseUpTo(terms, AMOUNT);
        assertAmounts(terms, AMOUNT - refunded, 0);
        assertEq(order(terms).refunded, refunded, "refunded");
        assertStatus(terms, IDeliveryVsPayment.Status.AwaitingSettlement);
        settle(terms);
        assertEq(escrowed(), 0, "escrowed");
    }

    function test_otherwise_releasedGrows_andTheLastCompletes(uint120 first) public {
        first = uint120(bound(first, 1, AMOUNT - 1));
        IDeliveryVsPayment.Terms memory terms = _funded(address(0), false);
        releaseUpTo(terms, first);
        assertAmounts(terms, first, 0);
        assertStatus(terms, IDeliveryVsPayment.Status.Created);
        bytes32 orderId = escrow.orderIdOf(terms);
        vm.expectEmit(true, true, true, true, address(escrow));
        emit IDeliveryVsPayment.MilestoneReleased(orderId, payer, AMOUNT - first, AMOUNT, true);
        releaseUpTo(terms, AMOUNT);
        assertAmounts(terms, AMOUNT, 0);
        assertStatus(terms, IDeliveryVsPayment.Status.AwaitingSettlement);
    }

    function _funded(address oracle_, bool automatic) private returns (IDeliveryVsPayment.Terms memory terms) {
        terms = milestoneTerms();
        terms.deliveryOracle = oracle_;
        terms.autoReleaseOnProof = automatic;
        fund(terms);
    }

    function _releaseBy(address caller, IDeliveryVsPayment.Terms memory terms, uint256 total) private {
        vm.prank(caller);
        escrow.releaseMilestone(terms, total);
    }

    function _expectNothing(IDeliveryVsPayment.Terms memory terms, uint256 total, uint256 released) private {
        vm.expectRevert(
            abi.encodeWithSelector(
                IDeliveryVsPayment.NothingToRelease.selector,
                escrow.orderIdOf(terms),
                total,
                released
            )
        );
    }
}
