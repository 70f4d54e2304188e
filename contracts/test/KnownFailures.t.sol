// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";
import {EscrowTest} from "./support/EscrowTest.sol";

import {HostileToken} from "./support/mocks/HostileToken.sol";
import {Wallet} from "./support/mocks/Wallet.sol";

/// @dev What went wrong in other escrows, each as a test.
contract KnownFailuresTest is EscrowTest {
    function test_releasedPlusWithdrawn_neverExceedsFunded() public {
        IDeliveryVsPayment.Terms memory terms = milestoneTerms();
        fund(terms);
        fund(newTerms()); // somebody else's money
        releasePart(terms, 0, AMOUNT / 2);
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
        // The inner order's payer is the token itself: its pull would be seen by the outer measurement too.
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
        escrow.settle(orders);
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

    function test_aSignature_isForOneOrder() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        bytes memory signature = sign(PAYER_KEY, paymentDigest(escrow, terms, payer));
        IDeliveryVsPayment.Terms memory other = newTerms();
        vm.expectPartialRevert(IDeliveryVsPayment.SignatureNotValid.selector);
        _createFor(other, payer, signature);
        _createFor(terms, payer, signature);
        vm.expectPartialRevert(IDeliveryVsPayment.OrderExists.selector);
        _createFor(terms, payer, signature);
    }

    function test_aSignature_isForOneChain() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        bytes memory signature = sign(PAYER_KEY, paymentDigest(escrow, terms, payer));
        bytes32 here = escrow.orderIdOf(terms);
        vm.chainId(1);
        assertTrue(escrow.orderIdOf(terms) != here, "another id");
        vm.expectPartialRevert(IDeliveryVsPayment.SignatureNotValid.selector);
        _createFor(terms, payer, signature);
    }

    function test_aSignature_isForOneContract() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        bytes memory signature = sign(PAYER_KEY, paymentDigest(escrow, terms, payer));
        bytes32 here = escrow.orderIdOf(terms);
        escrow = deployEscrow(owner, address(0x22D4));
        vm.prank(owner);
        escrow.setTokenListed(address(token), true);
        assertTrue(escrow.orderIdOf(terms) != here, "another id");
        vm.expectPartialRevert(IDeliveryVsPayment.SignatureNotValid.selector);
        _createFor(terms, payer, signature);
    }

    function test_aSignature_isForOneWalletOfAnOwner() public {
        Wallet first = new Wallet(payer);
        Wallet second = new Wallet(payer);
        IDeliveryVsPayment.Terms memory terms = newTerms();
        bytes memory signature = sign(PAYER_KEY, paymentDigest(escrow, terms, address(first)));
        vm.expectPartialRevert(IDeliveryVsPayment.SignatureNotValid.selector);
        _createFor(terms, address(second), signature);
        vm.expectPartialRevert(IDeliveryVsPayment.SignatureNotValid.selector);
        _createFor(terms, payer, signature);
    }

    function test_theArbiter_cannotBeChangedInMidDispute() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        dispute(terms);
        terms.arbiter = stranger;
        vm.expectPartialRevert(IDeliveryVsPayment.OrderNotFound.selector);
        vm.prank(stranger);
        escrow.resolveDispute(terms, AMOUNT);
    }

    function test_aSilentArbiter_locksNothing() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        dispute(terms);
        vm.warp(START + WINDOW + 1);
        escrow.resolveExpiredDispute(terms);
        assertEq(escrowed(), 0, "escrowed");
    }

    function test_aPausedContract_andADelistedToken_keepEveryExit() public {
        IDeliveryVsPayment.Terms[10] memory orders;
        for (uint256 i = 0; i < 10; i++) {
            if (i == 3) orders[i] = milestoneTerms();
            else orders[i] = i == 4 ? timeLockTerms() : newTerms();
            fund(orders[i]);
        }
        vm.startPrank(owner);
        escrow.pause();
        escrow.setTokenListed(address(token), false);
        vm.stopPrank();
        release(orders[0]);
        settle(orders[0]);
        release(orders[1]);
        withdraw(orders[1]);
        vm.prank(payee);
        escrow.refund(orders[2]);
        releasePart(orders[3], 0, AMOUNT);
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
            sign(PAYER_KEY, agreementDigest(escrow, orders[6], 0)),
            sign(PAYEE_KEY, agreementDigest(escrow, orders[6], 0))
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

    /// @dev Each of the fifteen terms changes the id: it is the hash of all of them.
    function test_terms_doNotCollide(uint256 word, uint256 bit) public {
        uint8[15] memory width = [255, 160, 160, 160, 160, 160, 160, 120, 40, 40, 40, 40, 2, 1, 255];
        word = bound(word, 0, 14);
        IDeliveryVsPayment.Terms memory terms = newTerms();
        bytes32 before = escrow.orderIdOf(terms);
        bytes memory encoded = abi.encode(terms);
        bit = word == 12 ? 1 : bound(bit, 0, width[word] - 1);
        assembly ("memory-safe") {
            let place := add(add(encoded, 0x20), mul(word, 0x20))
            mstore(place, xor(mload(place), shl(bit, 1)))
        }
        IDeliveryVsPayment.Terms memory changed = abi.decode(encoded, (IDeliveryVsPayment.Terms));
        bytes32 id = escrow.orderIdOf(changed);
        assertTrue(id != before, "another id");
        assertEq(id, keccak256(abi.encode(block.chainid, address(escrow), changed)), "id");
    }

    function test_aOneSecondDisputeWindow_isRefused() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        terms.disputeWindow = 1;
        expectRangeRefusal("disputeWindow", 1, 60, 30 days);
        fund(terms);
        terms = funded();
        expectRangeRefusal("window", 1, 1 days, 30 days);
        vm.prank(payer);
        escrow.raiseDispute(terms, payer, 1, "");
    }

    function test_aJunkProof_doesNotStopAReclaim() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        terms.expectedDeliveryHash = PROOF;
        fund(terms);
        prove(terms, bytes32("junk"));
        vm.warp(START + PERIOD + 1);
        vm.prank(payer);
        escrow.reclaim(terms);
        assertEq(escrowed(), 0, "escrowed");
    }

    function test_aProofMadeInADispute_doesNotWinTheTimeout() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        terms.expectedDeliveryHash = PROOF; // public since the order's event
        fund(terms);
        dispute(terms);
        prove(terms, PROOF);
        vm.warp(START + WINDOW + 1);
        uint256 before = token.balanceOf(payer);
        escrow.resolveExpiredDispute(terms);
        assertEq(token.balanceOf(payer) - before, AMOUNT, "payer");
    }

    function test_aLateProofOrShipment_doesNotMeetAReclaim() public {
        IDeliveryVsPayment.Terms memory terms = timeLockTerms();
        fund(terms);
        vm.warp(START + PERIOD + 1);
        vm.expectPartialRevert(IDeliveryVsPayment.OutsideTime.selector);
        prove(terms, PROOF);
        vm.expectPartialRevert(IDeliveryVsPayment.OutsideTime.selector);
        ship(terms);
        vm.prank(payer);
        escrow.reclaim(terms);
    }

    /// @dev Whatever the second: of the lock's release and the reclaim never both are possible.
    function test_anExpiredLock_andAReclaim_excludeEachOther(uint40 lock, uint40 moment, bool junkProof) public {
        IDeliveryVsPayment.Terms memory terms = timeLockTerms();
        terms.timeLockUntil = uint40(bound(lock, START, START + PERIOD));
        terms.expectedDeliveryHash = PROOF;
        fund(terms);
        ship(terms);
        if (junkProof) prove(terms, bytes32("junk"));
        vm.warp(bound(moment, START, START + 2 * PERIOD));
        uint256 before = vm.snapshotState();
        (bool released, ) = address(escrow).call(abi.encodeCall(escrow.releaseTimeLocked, (terms)));
        vm.revertToState(before);
        vm.prank(payer);
        (bool reclaimed, ) = address(escrow).call(abi.encodeCall(escrow.reclaim, (terms)));
        assertTrue(!(released && reclaimed), "never both");
        if (block.timestamp > terms.timeLockUntil) assertTrue(released, "released");
    }

    /// @dev Whatever the second, of the lock's release and a dispute exactly one is possible; and of the release and the
    /// operator's refund. A payer who could dispute what a lock has released would win by the timeout.
    function test_anExpiredLock_andADispute_excludeEachOther(uint40 lock, uint40 moment, bool delivered) public {
        IDeliveryVsPayment.Terms memory terms = timeLockTerms();
        terms.timeLockUntil = uint40(bound(lock, START, START + PERIOD));
        fund(terms);
        if (delivered) prove(terms, PROOF);
        else ship(terms);
        _assertReleaseOrDispute(terms, bound(moment, START, START + 2 * PERIOD));
        _assertReleaseOrDispute(terms, terms.timeLockUntil - 1);
        _assertReleaseOrDispute(terms, terms.timeLockUntil);
        _assertReleaseOrDispute(terms, terms.timeLockUntil + 1);
    }

    function _assertReleaseOrDispute(IDeliveryVsPayment.Terms memory terms, uint256 moment) private {
        vm.warp(moment);
        bool released = _wouldSucceed(stranger, abi.encodeCall(escrow.releaseTimeLocked, (terms)));
        bool disputed = _wouldSucceed(payer, abi.encodeCall(escrow.raiseDispute, (terms, payer, WINDOW, "")));
        bool refunded = _wouldSucceed(operator, abi.encodeCall(escrow.refund, (terms)));
        assertTrue(released == (moment >= terms.timeLockUntil), "released");
        assertTrue(disputed != released, "exactly one");
        assertTrue(!(refunded && released), "never both");
    }

    function _wouldSucceed(address caller, bytes memory data) private returns (bool success) {
        uint256 before = vm.snapshotState();
        vm.prank(caller);
        (success, ) = address(escrow).call(data);
        vm.revertToState(before);
    }

    function test_theArbiter_andTheTimeout_excludeEachOther(uint40 moment) public {
        IDeliveryVsPayment.Terms memory terms = funded();
        dispute(terms);
        vm.warp(bound(moment, START, START + 2 * WINDOW));
        uint256 before = vm.snapshotState();
        (bool expired, ) = address(escrow).call(abi.encodeCall(escrow.resolveExpiredDispute, (terms)));
        vm.revertToState(before);
        vm.prank(arbiter);
        (bool resolved, ) = address(escrow).call(abi.encodeCall(escrow.resolveDispute, (terms, 1)));
        assertTrue(expired != resolved, "exactly one");
    }

    function test_withdrawal_andFiat_neverForTheSameFunds() public {
        IDeliveryVsPayment.Terms memory terms = milestoneTerms();
        fund(terms);
        releasePart(terms, 0, 40);
        withdraw(terms);
        release(terms);
        settle(terms);
        assertEq(token.balanceOf(offRamp), 0, "never settled");
        withdraw(terms);
        assertEq(token.balanceOf(payee), AMOUNT, "withdrawn");
    }

    function test_aFrontRunPermit_hurtsNobody() public {
        vm.prank(payer);
        token.approve(address(escrow), 0);
        IDeliveryVsPayment.Terms memory terms = newTerms();
        bytes memory signature = sign(PAYER_KEY, paymentDigest(escrow, terms, payer));
        bytes32 digest = permitDigest(token.DOMAIN_SEPARATOR(), payer, address(escrow), AMOUNT, 0, START);
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(PAYER_KEY, digest);
        vm.prank(stranger);
        token.permit(payer, address(escrow), AMOUNT, START, v, r, s);
        vm.prank(operator);
        escrow.createOrderForWithPermit(
            terms,
            payer,
            true,
            signature,
            IDeliveryVsPayment.Permit(AMOUNT, START, v, r, s)
        );
        assertEq(escrowed(), AMOUNT, "escrowed");
    }

    /// @dev Who pays for somebody's terms has paid them; who changes them has another id.
    function test_anOrdersId_cannotBeSquatted() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        IDeliveryVsPayment.Terms memory forged = newTerms();
        forged.salt = terms.salt;
        forged.amount = 1;
        token.mint(stranger, 1);
        vm.startPrank(stranger);
        token.approve(address(escrow), 1);
        escrow.createOrder(forged);
        vm.stopPrank();
        fund(terms);
        assertEq(order(terms).payer, payer, "payer");
    }

    function test_statuses_leaveNoTerminalState() public {
        IDeliveryVsPayment.Terms memory cancelled = funded();
        vm.prank(payee);
        escrow.refund(cancelled);
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
            abi.encodeCall(escrow.refund, (terms)),
            abi.encodeCall(escrow.reclaim, (terms)),
            abi.encodeCall(escrow.raiseDispute, (terms, payer, WINDOW, "")),
            abi.encodeCall(escrow.resolveDispute, (terms, 1)),
            abi.encodeCall(escrow.resolveExpiredDispute, (terms))
        ];
        for (uint256 i = 0; i < calls.length; i++) {
            vm.prank(caller);
            (bool done, ) = address(escrow).call(calls[i]);
            assertTrue(!done, "refused");
        }
        vm.prank(operator);
        escrow.settle(orders);
    }

    function _createFor(IDeliveryVsPayment.Terms memory terms, address account, bytes memory signature) private {
        vm.prank(operator);
        escrow.createOrderFor(terms, account, true, signature);
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
