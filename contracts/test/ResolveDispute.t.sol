// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";
import {EscrowTest} from "./support/EscrowTest.sol";
import {Wallet} from "./support/mocks/Wallet.sol";

/// @dev Tests the branches in ResolveDispute.tree.
contract ResolveDisputeTest is EscrowTest {
    /// @dev Deadline of the agreements, long after the dispute's deadline.
    uint256 private constant LATER = START + 400 days;

    function test_whenNeverFunded_allAreRefused() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        vm.expectPartialRevert(IDeliveryVsPayment.OrderNotFound.selector);
        dispute(terms);
        vm.expectPartialRevert(IDeliveryVsPayment.OrderNotFound.selector);
        _resolve(terms, 0);
        vm.expectPartialRevert(IDeliveryVsPayment.OrderNotFound.selector);
        escrow.resolveDisputeByAgreement(terms, 0, START, "", "");
        vm.expectPartialRevert(IDeliveryVsPayment.OrderNotFound.selector);
        escrow.resolveExpiredDispute(terms);
    }

    function test_resolve_isTheArbitersAlone(address caller) public {
        vm.assume(caller != arbiter);
        IDeliveryVsPayment.Terms memory terms = _disputed();
        expectCallerRefusal(caller, arbiter, address(0));
        vm.prank(caller);
        escrow.resolveDispute(terms, 0);
    }

    function test_resolve_whenNotDisputed_isRefused() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        expectStatusRefusal(terms, IDeliveryVsPayment.Status.Created, 64);
        _resolve(terms, 0);
    }

    function test_resolve_atTheDeadline_aSecondLaterNoMore() public {
        IDeliveryVsPayment.Terms memory terms = _disputed();
        vm.warp(START + WINDOW + 1);
        expectTimeRefusal(START + WINDOW + 1, 0, START + WINDOW);
        _resolve(terms, 0);
        vm.warp(START + WINDOW);
        _resolve(terms, 0);
    }

    function test_resolve_moreThanTheRest_isTheRest(uint256 amount) public {
        IDeliveryVsPayment.Terms memory terms = milestoneTerms();
        fund(terms);
        releaseUpTo(terms, 10);
        refundBy(payee, terms, 5);
        dispute(terms);
        amount = bound(amount, AMOUNT - 15, type(uint256).max);
        bytes32 orderId = escrow.orderIdOf(terms);
        vm.expectEmit(true, true, true, true, address(escrow));
        emit IDeliveryVsPayment.DisputeResolved(orderId, arbiter, IDeliveryVsPayment.Cause.ARBITER, AMOUNT - 15, 0);
        _resolve(terms, amount);
        assertAmounts(terms, AMOUNT - 5, 0);
        assertEq(order(terms).refunded, 5, "refunded");
    }

    function test_resolve_allForThePayee() public {
        IDeliveryVsPayment.Terms memory terms = _disputed();
        uint256 before = token.balanceOf(payer);
        _resolve(terms, AMOUNT);
        assertStatus(terms, IDeliveryVsPayment.Status.AwaitingSettlement);
        assertAmounts(terms, AMOUNT, 0);
        assertEq(token.balanceOf(payer), before, "payer");
        settle(terms);
        assertStatus(terms, IDeliveryVsPayment.Status.Completed);
        assertEq(token.balanceOf(offRamp), AMOUNT, "settled");
    }

    function test_resolve_nothingForThePayee() public {
        IDeliveryVsPayment.Terms memory terms = _disputed();
        uint256 before = token.balanceOf(payer);
        _resolve(terms, 0);
        assertStatus(terms, IDeliveryVsPayment.Status.Cancelled);
        assertAmounts(terms, 0, 0);
        assertEq(token.balanceOf(payer) - before, AMOUNT, "payer");
    }

    function test_resolve_splits_afterMilestonesToo(uint120 milestone, uint120 payeeAmount) public {
        milestone = uint120(bound(milestone, 0, AMOUNT - 2));
        payeeAmount = uint120(bound(payeeAmount, 0, AMOUNT - milestone));
        IDeliveryVsPayment.Terms memory terms = milestoneTerms();
        bytes32 orderId = fund(terms);
        if (milestone != 0) releaseUpTo(terms, milestone);
        dispute(terms);
        uint256 before = token.balanceOf(payer);
        uint256 payerAmount = AMOUNT - milestone - payeeAmount;
        vm.expectEmit(true, true, true, true, address(escrow));
        emit IDeliveryVsPayment.DisputeResolved(
            orderId,
            arbiter,
            IDeliveryVsPayment.Cause.ARBITER,
            payeeAmount,
            payerAmount
        );
        _resolve(terms, payeeAmount);
        assertEq(token.balanceOf(payer) - before, payerAmount, "payer");
        assertAmounts(terms, uint256(milestone) + payeeAmount, 0);
        assertEq(order(terms).refunded, payerAmount, "refunded");
        settle(terms);
        assertEq(token.balanceOf(offRamp), uint256(milestone) + payeeAmount, "settled");
        assertAmounts(terms, uint256(milestone) + payeeAmount, uint256(milestone) + payeeAmount);
        assertEq(escrowed(), 0, "escrowed");
        assertStatus(
            terms,
            payeeAmount == 0 ? IDeliveryVsPayment.Status.Cancelled : IDeliveryVsPayment.Status.Completed
        );
    }

    function test_agreement_whenNotDisputed_isRefused() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        bytes memory payerSignature = _sign(PAYER_KEY, terms, 1);
        bytes memory payeeSignature = _sign(PAYEE_KEY, terms, 1);
        expectStatusRefusal(terms, IDeliveryVsPayment.Status.Created, 64);
        escrow.resolveDisputeByAgreement(terms, 1, LATER, payerSignature, payeeSignature);
    }

    function test_agreement_needsBothOverTheSame(uint120 amount) public {
        amount = uint120(bound(amount, 0, AMOUNT - 1));
        IDeliveryVsPayment.Terms memory terms = _disputed();
        IDeliveryVsPayment.Terms memory other = _disputed();
        bytes32 digest = agreementDigest(escrow, terms, IDeliveryVsPayment.Side.PAYER, amount, LATER);
        _refuse(terms, amount, _sign(PAYEE_KEY, terms, amount), _sign(PAYEE_KEY, terms, amount), payer, digest);
        _refuse(terms, amount, _sign(PAYER_KEY, terms, amount), _sign(PAYER_KEY, terms, amount), payee, digest);
        _refuse(terms, amount, _sign(PAYER_KEY, terms, amount + 1), _sign(PAYEE_KEY, terms, amount), payer, digest);
        _refuse(terms, amount, _sign(PAYER_KEY, terms, amount), _sign(PAYEE_KEY, other, amount), payee, digest);
        _refuse(terms, amount, "", _sign(PAYEE_KEY, terms, amount), payer, digest);
    }

    /// @dev An agreement signed in one dispute is invalid in the next, so the counterparty cannot use an old offer as
    /// an option.
    function test_agreement_isForOneDispute() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        terms.deliveryOracle = oracle;
        fund(terms);
        disputeBy(payee, terms);
        bytes memory payerSignature = _sign(PAYER_KEY, terms, 5, IDeliveryVsPayment.Side.MERCHANT, LATER);
        bytes memory payeeSignature = _sign(PAYEE_KEY, terms, 5, IDeliveryVsPayment.Side.MERCHANT, LATER);
        expireDispute(terms);
        dispute(terms);
        bytes32 digest = agreementDigest(escrow, terms, IDeliveryVsPayment.Side.PAYER, 5, LATER);
        _refuse(terms, 5, payerSignature, payeeSignature, payer, digest);
    }

    function test_agreement_expires() public {
        IDeliveryVsPayment.Terms memory terms = _disputed();
        bytes memory payerSignature = _sign(PAYER_KEY, terms, 1);
        bytes memory payeeSignature = _sign(PAYEE_KEY, terms, 1);
        vm.warp(LATER + 1);
        expectTimeRefusal(LATER + 1, 0, LATER);
        escrow.resolveDisputeByAgreement(terms, 1, LATER, payerSignature, payeeSignature);
        vm.warp(LATER);
        escrow.resolveDisputeByAgreement(terms, 1, LATER, payerSignature, payeeSignature);
    }

    function test_agreement_splits_forAnyCaller_atAnyTime(uint120 amount, address caller) public {
        amount = uint120(bound(amount, 0, AMOUNT));
        IDeliveryVsPayment.Terms memory terms = _disputed();
        vm.warp(LATER);
        uint256 before = token.balanceOf(payer);
        bytes memory payerSignature = _sign(PAYER_KEY, terms, amount);
        bytes memory payeeSignature = _sign(PAYEE_KEY, terms, amount);
        bytes32 orderId = escrow.orderIdOf(terms);
        vm.expectEmit(true, true, true, true, address(escrow));
        emit IDeliveryVsPayment.DisputeResolved(
            orderId,
            caller,
            IDeliveryVsPayment.Cause.AGREEMENT,
            amount,
            AMOUNT - amount
        );
        vm.prank(caller);
        escrow.resolveDisputeByAgreement(terms, amount, LATER, payerSignature, payeeSignature);
        assertEq(token.balanceOf(payer) - before, AMOUNT - amount, "payer");
        assertAmounts(terms, amount, 0);
    }

    function test_agreement_ofASmartWallet() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        terms.payee = address(new Wallet(payee));
        fund(terms);
        dispute(terms);
        escrow.resolveDisputeByAgreement(terms, 5, LATER, _sign(PAYER_KEY, terms, 5), _sign(PAYEE_KEY, terms, 5));
        assertAmounts(terms, 5, 0);
    }

    function test_expired_whenNotDisputed_isRefused() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        expectStatusRefusal(terms, IDeliveryVsPayment.Status.Created, 64);
        escrow.resolveExpiredDispute(terms);
    }

    function test_expired_atTheDeadline_isRefused_aSecondLaterTaken(address caller) public {
        IDeliveryVsPayment.Terms memory terms = _disputed();
        vm.warp(START + WINDOW);
        expectTimeRefusal(START + WINDOW, START + WINDOW + 1, type(uint256).max);
        escrow.resolveExpiredDispute(terms);
        vm.warp(START + WINDOW + 1);
        uint256 before = token.balanceOf(payer);
        bytes32 orderId = escrow.orderIdOf(terms);
        vm.expectEmit(true, true, true, true, address(escrow));
        emit IDeliveryVsPayment.DisputeResolved(orderId, caller, IDeliveryVsPayment.Cause.DISPUTE_TIMEOUT, 0, AMOUNT);
        vm.prank(caller);
        escrow.resolveExpiredDispute(terms);
        assertEq(token.balanceOf(payer) - before, AMOUNT, "payer");
        assertStatus(terms, IDeliveryVsPayment.Status.Cancelled);
    }

    function test_expired_thePayersOfAProvenOrder_isThePayees(uint120 milestone) public {
        IDeliveryVsPayment.Terms memory terms = funded();
        prove(terms, PROOF);
        dispute(terms);
        expireDispute(terms);
        assertAmounts(terms, AMOUNT, 0);
        assertStatus(terms, IDeliveryVsPayment.Status.AwaitingSettlement);

        vm.warp(START);
        milestone = uint120(bound(milestone, 0, AMOUNT - 1));
        terms = milestoneTerms();
        terms.deliveryOracle = oracle;
        fund(terms);
        if (milestone != 0) releaseUpTo(terms, milestone);
        dispute(terms);
        prove(terms, PROOF);
        expireDispute(terms);
        assertAmounts(terms, AMOUNT, 0);
        assertStatus(terms, IDeliveryVsPayment.Status.AwaitingSettlement);
    }

    function test_expired_thePayers_isThePayersWhereTheMerchantProves(uint8 releaseType) public {
        IDeliveryVsPayment.Terms memory terms = newTerms(IDeliveryVsPayment.ReleaseType(releaseType % 2 == 0 ? 0 : 3));
        terms.deliveryOracle = releaseType % 3 == 0 ? payee : address(0);
        fund(terms);
        dispute(terms);
        uint256 before = token.balanceOf(payer);
        expireDispute(terms);
        assertEq(token.balanceOf(payer) - before, AMOUNT, "payer");
    }

    function test_expired_thePayers_resumesWithAnIndependentOracle() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        terms.deliveryOracle = oracle;
        fund(terms);
        vm.prank(oracle);
        escrow.markShipped(terms);
        dispute(terms);
        _expectResumed(terms, IDeliveryVsPayment.Status.Shipped);
        prove(terms, PROOF);
        assertTrue(order(terms).proven, "the oracle still proves");
    }

    function test_expired_thePayers_resumesMilestones() public {
        IDeliveryVsPayment.Terms memory terms = milestoneTerms();
        fund(terms);
        releaseUpTo(terms, 10);
        prove(terms, PROOF); // only evidence
        dispute(terms);
        _expectResumed(terms, IDeliveryVsPayment.Status.Delivered);
        assertAmounts(terms, 10, 0);
    }

    function test_expired_ofATimeLock_resumes_provenOrNot() public {
        for (uint256 i = 0; i < 4; i++) {
            vm.warp(START);
            IDeliveryVsPayment.Terms memory terms = timeLockTerms();
            terms.timeLockUntil = START + PERIOD;
            if (i % 2 == 1) terms.deliveryOracle = oracle;
            fund(terms);
            disputeBy(i < 2 ? payer : payee, terms);
            if (i % 2 == 1) prove(terms, PROOF);
            _expectResumed(terms, i % 2 == 1 ? IDeliveryVsPayment.Status.Delivered : IDeliveryVsPayment.Status.Created);
            assertEq(
                order(terms).deliveryDeadline,
                START + PERIOD + WINDOW + LEAST_WINDOW,
                "nobody's time is consumed"
            );
        }
    }

    function test_expired_theMerchants_resumes() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        prove(terms, PROOF);
        disputeBy(payee, terms);
        _expectResumed(terms, IDeliveryVsPayment.Status.Delivered);

        vm.warp(START);
        terms = newTerms(IDeliveryVsPayment.ReleaseType.AUTO_RELEASE);
        terms.deliveryOracle = oracle;
        fund(terms);
        disputeBy(operator, terms);
        prove(terms, PROOF);
        _expectResumed(terms, IDeliveryVsPayment.Status.Delivered);
        vm.prank(operator);
        escrow.release(terms);
        assertAmounts(terms, AMOUNT, 0);
    }

    function _expectResumed(IDeliveryVsPayment.Terms memory terms, IDeliveryVsPayment.Status status) private {
        bytes32 orderId = escrow.orderIdOf(terms);
        vm.warp(uint256(order(terms).disputeDeadline) + 1);
        vm.expectEmit(true, true, true, true, address(escrow));
        emit IDeliveryVsPayment.OrderResumed(orderId, stranger, status);
        vm.prank(stranger);
        escrow.resolveExpiredDispute(terms);
        assertStatus(terms, status);
    }

    function _disputed() private returns (IDeliveryVsPayment.Terms memory terms) {
        terms = funded();
        dispute(terms);
    }

    function _resolve(IDeliveryVsPayment.Terms memory terms, uint256 amount) private {
        vm.prank(arbiter);
        escrow.resolveDispute(terms, amount);
    }

    function _sign(
        uint256 key,
        IDeliveryVsPayment.Terms memory terms,
        uint256 amount
    ) private view returns (bytes memory) {
        return _sign(key, terms, amount, IDeliveryVsPayment.Side.PAYER, LATER);
    }

    function _sign(
        uint256 key,
        IDeliveryVsPayment.Terms memory terms,
        uint256 amount,
        IDeliveryVsPayment.Side side,
        uint256 deadline
    ) private view returns (bytes memory) {
        return sign(key, agreementDigest(escrow, terms, side, amount, deadline));
    }

    function _refuse(
        IDeliveryVsPayment.Terms memory terms,
        uint256 amount,
        bytes memory payerSignature,
        bytes memory payeeSignature,
        address signer,
        bytes32 digest
    ) private {
        vm.expectRevert(abi.encodeWithSelector(IDeliveryVsPayment.SignatureNotValid.selector, signer, digest));
        escrow.resolveDisputeByAgreement(terms, amount, LATER, payerSignature, payeeSignature);
    }
}
