// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";
import {EscrowTest} from "./support/EscrowTest.sol";
import {Wallet} from "./support/mocks/Wallet.sol";

/// @dev Tests the branches in RaiseDispute.tree.
contract RaiseDisputeTest is EscrowTest {
    function test_raise_byNobodyElse(address caller) public {
        vm.assume(caller != payer && caller != payee && caller != operator);
        IDeliveryVsPayment.Terms memory terms = funded();
        expectCallerRefusal(caller, payee, operator);
        disputeBy(caller, terms);
    }

    function test_raise_whenNeverFunded_isRefused() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        vm.expectPartialRevert(IDeliveryVsPayment.OrderNotFound.selector);
        dispute(terms);
        vm.expectPartialRevert(IDeliveryVsPayment.OrderNotFound.selector);
        vm.prank(operator);
        escrow.raiseDisputeFor(terms, WINDOW, "", START, "");
    }

    function test_raise_onceASide() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        terms.deliveryOracle = oracle;
        terms.deliveryPeriod = 100 days;
        fund(terms);
        disputeBy(operator, terms);
        expectStatusRefusal(terms, IDeliveryVsPayment.Status.Disputed, 7);
        dispute(terms);
        expireDispute(terms);
        _expectAlreadyRaised(terms, IDeliveryVsPayment.Side.MERCHANT);
        disputeBy(payee, terms);
        dispute(terms);
        assertEq(uint256(order(terms).disputeSide), uint256(IDeliveryVsPayment.Side.PAYER), "side");
        expireDispute(terms);
        assertStatus(terms, IDeliveryVsPayment.Status.Created);
        _expectAlreadyRaised(terms, IDeliveryVsPayment.Side.PAYER);
        dispute(terms);
        _expectAlreadyRaised(terms, IDeliveryVsPayment.Side.MERCHANT);
        disputeBy(operator, terms);
        assertTrue(order(terms).disputedByPayer && order(terms).disputedByMerchant, "both");
    }

    function test_raise_whenReleased_isRefused() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        release(terms);
        expectStatusRefusal(terms, IDeliveryVsPayment.Status.AwaitingSettlement, 7);
        dispute(terms);
    }

    function test_raise_whenReclaimIsOpen_isRefused() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        vm.warp(START + PERIOD + 1);
        address[3] memory callers = [payer, payee, operator];
        for (uint256 i = 0; i < 3; i++) {
            _expectVested(terms, payer);
            disputeBy(callers[i], terms);
        }
        vm.warp(START + PERIOD);
        disputeBy(payee, terms);
    }

    function test_raise_whenALockHasExpired_isRefused() public {
        IDeliveryVsPayment.Terms memory terms = timeLockTerms();
        fund(terms);
        ship(terms);
        vm.warp(terms.timeLockUntil);
        _expectVested(terms, payee);
        dispute(terms);
        vm.warp(START + PERIOD + 1);
        _expectVested(terms, payee);
        dispute(terms);
    }

    function test_raise_whenProvenMilestonesAreThePayees_isRefused() public {
        IDeliveryVsPayment.Terms memory terms = milestoneTerms();
        terms.deliveryOracle = oracle;
        fund(terms);
        prove(terms, PROOF);
        _expectVested(terms, payee);
        dispute(terms);
    }

    function test_raise_ofAProvenOrder_untilItsDeadline() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        prove(terms, PROOF);
        vm.warp(START + PERIOD + 1);
        _expectVested(terms, payee);
        dispute(terms);
        vm.warp(START + PERIOD);
        dispute(terms);
    }

    function test_raise_windowIsWithinItsRange(uint40 window) public {
        IDeliveryVsPayment.Terms memory terms = funded();
        if (window < 1 days || window > 30 days) expectRangeRefusal("window", window, 1 days, 30 days);
        _raise(terms, window);
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

    function test_raise_isThePayersOrTheMerchants() public {
        address[3] memory callers = [payer, payee, operator];
        for (uint256 i = 0; i < 3; i++) {
            IDeliveryVsPayment.Terms memory terms = funded();
            IDeliveryVsPayment.Side side = i == 0 ? IDeliveryVsPayment.Side.PAYER : IDeliveryVsPayment.Side.MERCHANT;
            _expectRaised(terms, callers[i], side, "not delivered");
            disputeBy(callers[i], terms);
            IDeliveryVsPayment.Order memory o = order(terms);
            assertStatus(terms, IDeliveryVsPayment.Status.Disputed);
            assertEq(o.disputeDeadline, START + WINDOW, "dispute deadline");
            assertEq(o.deliveryDeadline, START + PERIOD + WINDOW + LEAST_WINDOW, "delivery deadline");
            assertEq(o.payer, payer, "payer");
            assertEq(uint256(o.disputeSide), uint256(side), "side");
            assertTrue(o.disputedByPayer == (i == 0) && o.disputedByMerchant == (i != 0), "sides");
            assertEq(uint256(o.statusBeforeDispute), 0, "status before");
        }
    }

    function test_raise_keepsStatusAndFlags() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        prove(terms, PROOF);
        dispute(terms);
        assertTrue(order(terms).proven, "proven");
        assertEq(uint256(order(terms).statusBeforeDispute), uint256(IDeliveryVsPayment.Status.Delivered), "before");
    }

    function test_raiseFor_isTheOperatorsAlone(address caller) public {
        vm.assume(caller != operator);
        IDeliveryVsPayment.Terms memory terms = funded();
        bytes memory signature = _sign(PAYER_KEY, terms, WINDOW, "late", START);
        expectCallerRefusal(caller, operator, address(0));
        vm.prank(caller);
        escrow.raiseDisputeFor(terms, WINDOW, "late", START, signature);
    }

    function test_raiseFor_needsThePayersSignatureOverExactlyThis() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        _refuseSigned(terms, _sign(PAYEE_KEY, terms, WINDOW, "late", START));
        _refuseSigned(terms, _sign(PAYER_KEY, funded(), WINDOW, "late", START));
        _refuseSigned(terms, _sign(PAYER_KEY, terms, WINDOW + 1, "late", START));
        _refuseSigned(terms, _sign(PAYER_KEY, terms, WINDOW, "early", START));
        _refuseSigned(terms, _sign(PAYER_KEY, terms, WINDOW, "late", START + 1));
    }

    function test_raiseFor_expires() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        bytes memory signature = _sign(PAYER_KEY, terms, WINDOW, "late", START);
        vm.warp(START + 1);
        expectTimeRefusal(START + 1, 0, START);
        vm.prank(operator);
        escrow.raiseDisputeFor(terms, WINDOW, "late", START, signature);
        vm.warp(START);
        vm.prank(operator);
        escrow.raiseDisputeFor(terms, WINDOW, "late", START, signature);
    }

    function test_raiseFor_isThePayersOwn_ofASmartWalletToo() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        bytes memory signature = _sign(PAYER_KEY, terms, WINDOW, "late", START);
        _expectRaised(terms, payer, IDeliveryVsPayment.Side.PAYER, "late");
        vm.prank(operator);
        escrow.raiseDisputeFor(terms, WINDOW, "late", START, signature);
        assertTrue(order(terms).disputedByPayer && !order(terms).disputedByMerchant, "the payer's");

        Wallet wallet = new Wallet(payer);
        token.mint(address(wallet), AMOUNT);
        wallet.run(address(token), abi.encodeCall(token.approve, (address(escrow), AMOUNT)));
        terms = newTerms();
        wallet.run(address(escrow), abi.encodeCall(escrow.createOrder, (terms)));
        signature = _sign(PAYER_KEY, terms, WINDOW, "late", START);
        vm.prank(operator);
        escrow.raiseDisputeFor(terms, WINDOW, "late", START, signature);
        assertStatus(terms, IDeliveryVsPayment.Status.Disputed);
    }

    function _raise(IDeliveryVsPayment.Terms memory terms, uint40 window) private {
        vm.prank(payer);
        escrow.raiseDispute(terms, window, "");
    }

    function _expectRaised(
        IDeliveryVsPayment.Terms memory terms,
        address actor,
        IDeliveryVsPayment.Side side,
        string memory reason
    ) private {
        bytes32 orderId = escrow.orderIdOf(terms);
        vm.expectEmit(true, true, true, true, address(escrow));
        emit IDeliveryVsPayment.DisputeRaised(
            orderId,
            actor,
            side,
            START + WINDOW,
            START + PERIOD + WINDOW + LEAST_WINDOW,
            reason
        );
    }

    function _expectAlreadyRaised(IDeliveryVsPayment.Terms memory terms, IDeliveryVsPayment.Side side) private {
        vm.expectRevert(
            abi.encodeWithSelector(IDeliveryVsPayment.DisputeAlreadyRaised.selector, escrow.orderIdOf(terms), side)
        );
    }

    function _expectVested(IDeliveryVsPayment.Terms memory terms, address party) private {
        vm.expectRevert(abi.encodeWithSelector(IDeliveryVsPayment.ExitVested.selector, escrow.orderIdOf(terms), party));
    }

    function _sign(
        uint256 key,
        IDeliveryVsPayment.Terms memory terms,
        uint256 window,
        string memory reason,
        uint256 deadline
    ) private view returns (bytes memory) {
        return sign(key, disputeDigest(escrow, terms, window, reason, deadline));
    }

    function _refuseSigned(IDeliveryVsPayment.Terms memory terms, bytes memory signature) private {
        bytes32 digest = disputeDigest(escrow, terms, WINDOW, "late", START);
        vm.expectRevert(abi.encodeWithSelector(IDeliveryVsPayment.SignatureNotValid.selector, payer, digest));
        vm.prank(operator);
        escrow.raiseDisputeFor(terms, WINDOW, "late", START, signature);
    }
}
