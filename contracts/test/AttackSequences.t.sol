// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";
import {EscrowTest} from "./support/EscrowTest.sol";

/// @dev Regression tests for sequences of allowed calls by which one role could take what belonged to another,
/// including sequences that the search of the operation table found. Each sequence now ends as the laws require
/// (contracts/README.md). F1 to F13 are the findings of an audit, listed in test/escrow-model/fixes.ts and
/// test/proof/model/fixes.ts.
contract AttackSequencesTest is EscrowTest {
    uint40 private constant TEN_YEARS = 3650 days;

    /// @dev F1: the merchant submits a proof, raises a dispute, waits for its timeout, and settles.
    function test_F1_aTenYearLock_isNotEndedByTheMerchantsOwnWord() public {
        address[2] memory merchants = [payee, operator];
        for (uint256 i = 0; i < 2; i++) {
            vm.warp(START);
            IDeliveryVsPayment.Terms memory terms = timeLockTerms();
            (terms.deliveryPeriod, terms.timeLockUntil) = (TEN_YEARS, START + TEN_YEARS);
            terms.expectedDeliveryHash = PROOF;
            fund(terms);
            _proveBy(merchants[i], terms);
            disputeBy(merchants[i], terms);
            expireDispute(terms);
            _assertNothingToSettle(terms, IDeliveryVsPayment.Status.Delivered);
            vm.expectPartialRevert(IDeliveryVsPayment.OutsideTime.selector);
            escrow.releaseTimeLocked(terms);
        }
    }

    /// @dev F1 for milestones, with and without an expected hash, which is public.
    function test_F1_milestones_areNotReleasedByTheMerchantsOwnWord() public {
        address[2] memory merchants = [payee, operator];
        for (uint256 i = 0; i < 4; i++) {
            vm.warp(START);
            IDeliveryVsPayment.Terms memory terms = milestoneTerms();
            if (i >= 2) terms.expectedDeliveryHash = PROOF;
            fund(terms);
            _proveBy(merchants[i % 2], terms);
            disputeBy(merchants[i % 2], terms);
            expireDispute(terms);
            _assertNothingToSettle(terms, IDeliveryVsPayment.Status.Delivered);
            vm.expectPartialRevert(IDeliveryVsPayment.ProofMissing.selector);
            vm.prank(merchants[i % 2]);
            escrow.release(terms);
            vm.warp(uint256(order(terms).deliveryDeadline) + 1);
            reclaim(terms);
        }
        assertEq(escrowed(), 0, "every payer has it back");
    }

    /// @dev F3: the operator calls markShipped, releaseTimeLocked and settle in one transaction, although an oracle is
    /// set.
    function test_F3_aLockWithAnOracle_isNotShippedByTheOperator() public {
        IDeliveryVsPayment.Terms memory terms = timeLockTerms();
        terms.deliveryOracle = oracle;
        fund(terms);
        vm.warp(terms.timeLockUntil);
        expectCallerRefusal(operator, oracle, address(0));
        vm.prank(operator);
        escrow.markShipped(terms);
        expectStatusRefusal(terms, IDeliveryVsPayment.Status.Created, 6);
        escrow.releaseTimeLocked(terms);
    }

    /// @dev F4: the oracle's late proof raced the timeout, and the transaction mined first determined who received
    /// everything.
    function test_F4_aLateProof_doesNotRaceTheTimeout() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        terms.deliveryOracle = oracle;
        fund(terms);
        dispute(terms);
        vm.warp(START + WINDOW + 1);
        vm.expectPartialRevert(IDeliveryVsPayment.OutsideTime.selector);
        prove(terms, PROOF);
        escrow.resolveExpiredDispute(terms);
        assertStatus(terms, IDeliveryVsPayment.Status.Created);
        prove(terms, PROOF);
        assertTrue(order(terms).proven, "in the time that the dispute did not consume");
    }

    /// @dev F5: a dispute does not prevent a reclaim that is already possible.
    function test_F5_aReclaim_isNotTakenAwayByADispute() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        vm.warp(START + PERIOD + 1);
        address[2] memory merchants = [payee, operator];
        for (uint256 i = 0; i < 2; i++) {
            vm.expectPartialRevert(IDeliveryVsPayment.ExitVested.selector);
            disputeBy(merchants[i], terms);
        }
        reclaim(terms);
        assertEq(escrowed(), 0, "escrowed");
    }

    /// @dev F6: the payer could release one unit before each release by the oracle, which voided the oracle's
    /// signature, and then reclaim the remainder.
    function test_F6_anOraclesReleases_areNotVoidedByThePayers() public {
        IDeliveryVsPayment.Terms memory terms = milestoneTerms();
        terms.deliveryOracle = oracle;
        fund(terms);
        uint256 part = AMOUNT / 4;
        for (uint256 i = 1; i <= 4; i++) {
            uint256 total = i == 4 ? AMOUNT : i * part;
            bytes memory signature = sign(ORACLE_KEY, milestoneDigest(escrow, terms, total));
            releaseUpTo(terms, (i - 1) * part + 1);
            escrow.releaseMilestoneFor(terms, total, signature);
        }
        assertAmounts(terms, AMOUNT, 0);
    }

    /// @dev F8: a frozen payer's credit can only go to that payer.
    function test_F8_aCredit_hasNoOtherDestination() public view {
        // The function signature shows that claimCredit has no parameter for a recipient.
        assertEq(
            bytes32(escrow.claimCredit.selector),
            bytes32(bytes4(keccak256("claimCredit(address)"))),
            "claimCredit"
        );
    }

    /// @dev F11: an agreement signed before a dispute names another dispute or none, so it is invalid. Agreements also
    /// expire.
    function test_F11_anAgreementBeforeADispute_isNoOption() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        IDeliveryVsPayment.Side side = IDeliveryVsPayment.Side.MERCHANT;
        bytes memory byPayer = sign(PAYER_KEY, agreementDigest(escrow, terms, side, 5, START + 1));
        bytes memory byPayee = sign(PAYEE_KEY, agreementDigest(escrow, terms, side, 5, START + 1));
        dispute(terms);
        vm.expectPartialRevert(IDeliveryVsPayment.SignatureNotValid.selector);
        escrow.resolveDisputeByAgreement(terms, 5, START + 1, byPayer, byPayee);
        vm.warp(START + 2);
        vm.expectPartialRevert(IDeliveryVsPayment.OutsideTime.selector);
        escrow.resolveDisputeByAgreement(terms, 5, START + 1, byPayer, byPayee);
    }

    /// @dev Own dispute: a timeout cannot bypass a manual release (DELIVERY_PROOF without autoReleaseOnProof).
    function test_ownDispute_doesNotSkipAManualRelease() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        _proveBy(payee, terms);
        disputeBy(payee, terms);
        expireDispute(terms);
        _assertNothingToSettle(terms, IDeliveryVsPayment.Status.Delivered);
    }

    /// @dev Own dispute of the payer: with an independent oracle, the timeout refunds nothing, because the oracle can
    /// still prove delivery. The delivery period continues as if there had been no dispute.
    function test_ownDispute_ofThePayer_doesNotEndWhatAnOracleDecides() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        terms.deliveryOracle = oracle;
        fund(terms);
        dispute(terms);
        expireDispute(terms);
        assertStatus(terms, IDeliveryVsPayment.Status.Created);
        vm.warp(START + PERIOD + WINDOW + LEAST_WINDOW);
        prove(terms, PROOF);
        assertTrue(order(terms).proven, "proven");
    }

    /// @dev Found by the search: the merchant ships and raises a dispute that outlasts the lock. The payer could not
    /// dispute in the meantime, and afterwards the funds were vested in the payee.
    function test_theMerchantsDispute_doesNotOutlastALock() public {
        IDeliveryVsPayment.Terms memory terms = timeLockTerms();
        fund(terms);
        ship(terms);
        uint40 longest = terms.timeLockUntil - START - terms.disputeWindow;
        expectRangeRefusal("window", longest + 1, 1 days, longest);
        vm.prank(payee);
        escrow.raiseDispute(terms, longest + 1, "");
        vm.prank(operator);
        escrow.raiseDispute(terms, longest, "");
        expireDispute(terms);
        dispute(terms);
        assertStatus(terms, IDeliveryVsPayment.Status.Disputed);
    }

    /// @dev Just before a lock expires, the merchant can no longer dispute, but the payer can.
    function test_theMerchantsDispute_isRefusedJustBeforeALockEnds() public {
        IDeliveryVsPayment.Terms memory terms = timeLockTerms();
        fund(terms);
        ship(terms);
        vm.warp(terms.timeLockUntil - terms.disputeWindow);
        expectRangeRefusal("window", WINDOW, 1 days, 0);
        disputeBy(payee, terms);
        dispute(terms);
    }

    /// @dev The payee can release proven funds if a hostile operator does not.
    function test_provenFunds_areNotStuckWithAnOperatorWhoDoesNothing() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        _proveBy(payee, terms);
        vm.warp(START + PERIOD + 1);
        vm.prank(payee);
        escrow.release(terms);
        withdraw(terms);
        assertEq(token.balanceOf(payee), AMOUNT, "withdrawn");
    }

    /// @dev A dispute by one side does not remove the other side's open exit.
    function test_anOpenExit_isNotRemovedByTheOtherSidesDispute() public {
        IDeliveryVsPayment.Terms memory proven = funded();
        _proveBy(payee, proven);
        IDeliveryVsPayment.Terms memory locked = timeLockTerms();
        fund(locked);
        ship(locked);
        vm.warp(START + PERIOD + 1);
        vm.expectPartialRevert(IDeliveryVsPayment.ExitVested.selector);
        dispute(proven);
        vm.expectPartialRevert(IDeliveryVsPayment.ExitVested.selector);
        dispute(locked);
    }

    /// @dev A dispute by the merchant's side does not use up the payer's dispute.
    function test_theMerchantsDispute_leavesThePayersOwn() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        disputeBy(operator, terms);
        expireDispute(terms);
        uint256 before = token.balanceOf(payer);
        dispute(terms);
        expireDispute(terms);
        assertEq(token.balanceOf(payer) - before, AMOUNT, "payer");
    }

    /// @dev The operator cannot decide a dispute, not even if the terms name the operator as the arbiter.
    function test_theOperator_isNoArbiter() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        terms.arbiter = operator;
        vm.expectPartialRevert(IDeliveryVsPayment.RoleNotAllowed.selector);
        fund(terms);
    }

    function _proveBy(address caller, IDeliveryVsPayment.Terms memory terms) private {
        vm.prank(caller);
        escrow.submitDeliveryProof(terms, PROOF, URI);
    }

    function _assertNothingToSettle(IDeliveryVsPayment.Terms memory terms, IDeliveryVsPayment.Status status) private {
        assertStatus(terms, status);
        settle(terms);
        vm.expectPartialRevert(IDeliveryVsPayment.NothingReleased.selector);
        withdraw(terms);
        assertEq(token.balanceOf(offRamp), 0, "settled");
    }
}
