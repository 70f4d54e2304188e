// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";
import {IEscrow} from "./support/Deploying.sol";
import {EscrowTest} from "./support/EscrowTest.sol";
import {EventReader} from "./support/EventReader.sol";
import {NotifyingToken, ReactingWallet} from "./support/mocks/Accomplices.sol";
import {HostileToken} from "./support/mocks/HostileToken.sol";
import {Vm} from "./support/Vm.sol";

/// @dev Attacks that the contract withstands.
contract ThiefTest is EscrowTest {
    HostileToken private hostile;

    function setUp() public override {
        super.setUp();
        hostile = new HostileToken();
        vm.prank(owner);
        escrow.setTokenListed(address(hostile), true);
        hostile.setBalance(payer, 1e30);
        vm.prank(payer);
        hostile.approve(address(escrow), type(uint256).max);
    }

    /// @dev For any callers and calls, an indexer that reads only events knows every field that getOrder returns, and
    /// the amounts add up.
    function test_eventsAlone_giveEveryFieldOfAnyOrder(uint256 seed) public {
        IDeliveryVsPayment.Terms memory terms = newTerms(IDeliveryVsPayment.ReleaseType(seed % 5));
        terms.token = address(hostile);
        terms.autoReleaseOnProof = (seed >> 8) % 2 == 0;
        if ((seed >> 9) % 2 == 0) terms.deliveryOracle = oracle;
        if ((seed >> 10) % 4 == 0) terms.expectedDeliveryHash = PROOF;
        if ((seed >> 12) % 8 == 0) terms.payee = operator;
        vm.recordLogs();
        fund(terms);
        IDeliveryVsPayment.Order memory known;
        for (uint256 step = 0; step < 20; step++) {
            seed = uint256(keccak256(abi.encode(seed, step)));
            if (seed % 3 == 0) _leap(terms, seed >> 200);
            if (seed % 7 == 0) hostile.setBlocked(payer, !hostile.blocked(payer));
            bytes memory call = _something(terms, seed >> 16);
            // Tries callers until one is allowed to make the call.
            for (uint256 i = 0; i < 6 && !_try(_somebody(terms, (seed >> 8) + i), call); i++) {}
            Vm.Log[] memory logs = vm.getRecordedLogs();
            for (uint256 i = 0; i < logs.length; i++) {
                if (logs[i].emitter == address(escrow)) EventReader.read(known, logs[i]);
            }
            assertEq(keccak256(abi.encode(known)), keccak256(abi.encode(order(terms))), "as events say");
            assertTrue(uint256(known.released) + known.refunded <= AMOUNT, "no more than was funded");
            uint256 owed = AMOUNT - known.disbursed - known.refunded + escrow.creditOf(payer, address(hostile));
            assertEq(hostile.balanceOf(address(escrow)), owed, "what is owed is there");
        }
    }

    function test_aSignature_fitsNoOrderThatDiffersInOneTerm() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        bytes memory signature = sign(PAYER_KEY, paymentDigest(escrow, terms, payer));
        bytes memory encoded = abi.encode(terms);
        for (uint256 word = 0; word < 16; word++) {
            bytes memory changed = bytes.concat(encoded);
            changed[32 * word + 31] ^= 0x01;
            IDeliveryVsPayment.Terms memory other = abi.decode(changed, (IDeliveryVsPayment.Terms));
            assertTrue(escrow.orderIdOf(other) != escrow.orderIdOf(terms), "another order");
            vm.prank(other.operator);
            vm.expectPartialRevert(IDeliveryVsPayment.SignatureNotValid.selector);
            escrow.createOrderFor(other, payer, true, signature);
        }
        assertTrue(_try(operator, abi.encodeCall(escrow.createOrderFor, (terms, payer, true, signature))), "funded");
        assertTrue(!_try(operator, abi.encodeCall(escrow.createOrderFor, (terms, payer, true, signature))), "once");
    }

    function test_aSignature_countsOnNoOtherChainOrContract_andAForkLocksNothing() public {
        IDeliveryVsPayment.Terms memory terms = milestoneTerms();
        terms.deliveryOracle = oracle;
        fund(terms);
        bytes memory there = sign(ORACLE_KEY, milestoneDigest(escrow, terms, 1));
        IEscrow twin = deployEscrow(owner, address(0));
        bytes memory atTwin = sign(ORACLE_KEY, milestoneDigest(twin, terms, 1));
        assertTrue(
            !_try(stranger, abi.encodeCall(escrow.releaseMilestoneFor, (terms, 1, atTwin))),
            "another contract's"
        );
        vm.chainId(block.chainid + 1);
        assertTrue(!_try(stranger, abi.encodeCall(escrow.releaseMilestoneFor, (terms, 1, there))), "another chain's");
        bytes memory here = sign(ORACLE_KEY, milestoneDigest(escrow, terms, 1));
        assertTrue(_try(stranger, abi.encodeCall(escrow.releaseMilestoneFor, (terms, 1, here))), "this chain's");
        vm.warp(START + PERIOD + 1);
        reclaim(terms);
        assertAmounts(terms, 1, 0);
    }

    function test_anOracleSignature_isReplayedToNoGain() public {
        IDeliveryVsPayment.Terms memory terms = milestoneTerms();
        terms.deliveryOracle = oracle;
        fund(terms);
        bytes memory signature = sign(ORACLE_KEY, milestoneDigest(escrow, terms, 100));
        bytes memory relayed = abi.encodeCall(escrow.releaseMilestoneFor, (terms, 100, signature));
        releaseUpTo(terms, 1); // the payer front-runs the relayed signature
        assertTrue(_try(payee, relayed), "the rest of it");
        settle(terms);
        refundBy(payee, terms, AMOUNT - 200);
        assertTrue(!_try(payee, relayed), "replayed");
        dispute(terms);
        expireDispute(terms);
        assertTrue(!_try(payee, relayed), "replayed after the dispute");
        assertAmounts(terms, 100, 100);
    }

    function test_aWalletThatChangesItsMind_voidsOnlyWhatIsNotUsed() public {
        ReactingWallet wallet = new ReactingWallet(payer);
        token.mint(address(wallet), 2 * AMOUNT);
        wallet.run(address(token), abi.encodeCall(token.approve, (address(escrow), 2 * AMOUNT)));
        IDeliveryVsPayment.Terms memory first = newTerms();
        IDeliveryVsPayment.Terms memory second = newTerms();
        _fundSigned(first, wallet, true);
        wallet.setDenies(true);
        _fundSigned(second, wallet, false);
        prove(first, PROOF);
        vm.warp(START + PERIOD + 1);
        vm.prank(payee);
        escrow.release(first);
    }

    function test_aTermWithBitsOutsideItsType_isNoOrder() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        bytes memory call = abi.encodeCall(escrow.createOrder, (terms));
        for (uint256 word = 1; word < 15; word++) {
            bytes memory dirty = bytes.concat(call);
            dirty[4 + 32 * word] = 0x01;
            assertTrue(!_try(payer, dirty), "refused");
        }
        fund(terms);
    }

    /// @dev Exit, one second before, at and after the deadline: exactly one of dispute and reclaim is possible, and no
    /// proof is possible when a reclaim is.
    function test_aroundTheDeliveryDeadline_proofAndReclaimNeverMeet() public {
        for (uint256 t = START + PERIOD - 1; t <= START + PERIOD + 1; t++) {
            IDeliveryVsPayment.Terms memory terms = newTerms();
            vm.warp(START);
            fund(terms);
            vm.warp(t);
            bool late = t > START + PERIOD;
            uint256 snapshot = vm.snapshotState();
            assertTrue(_try(payer, abi.encodeCall(escrow.reclaim, (terms))) == late, "reclaim");
            vm.revertToState(snapshot);
            snapshot = vm.snapshotState();
            assertTrue(_try(payee, abi.encodeCall(escrow.submitDeliveryProof, (terms, PROOF, ""))) != late, "proof");
            vm.revertToState(snapshot);
            snapshot = vm.snapshotState();
            assertTrue(_try(payee, abi.encodeCall(escrow.markShipped, (terms))) != late, "shipment");
            vm.revertToState(snapshot);
            assertTrue(_try(payee, abi.encodeCall(escrow.raiseDispute, (terms, WINDOW, ""))) != late, "dispute");
        }
    }

    function test_aroundTheDisputeDeadline_arbiterProofAndTimeoutNeverMeet() public {
        for (uint256 t = START + WINDOW - 1; t <= START + WINDOW + 1; t++) {
            IDeliveryVsPayment.Terms memory terms = newTerms();
            terms.deliveryOracle = oracle;
            vm.warp(START);
            fund(terms);
            dispute(terms);
            vm.warp(t);
            bool over = t > START + WINDOW;
            uint256 snapshot = vm.snapshotState();
            assertTrue(_try(arbiter, abi.encodeCall(escrow.resolveDispute, (terms, 1))) != over, "arbiter");
            vm.revertToState(snapshot);
            snapshot = vm.snapshotState();
            assertTrue(_try(oracle, abi.encodeCall(escrow.submitDeliveryProof, (terms, PROOF, ""))) != over, "proof");
            vm.revertToState(snapshot);
            assertTrue(_try(stranger, abi.encodeCall(escrow.resolveExpiredDispute, (terms))) == over, "timeout");
        }
    }

    function test_fromTheLocksSecondOn_nothingButTheRelease() public {
        for (uint256 t = START + 5 days - 1; t <= START + 5 days + 1; t++) {
            IDeliveryVsPayment.Terms memory terms = timeLockTerms();
            vm.warp(START);
            fund(terms);
            ship(terms);
            vm.warp(t);
            bool open = t >= START + 5 days;
            uint256 snapshot = vm.snapshotState();
            assertTrue(_try(payer, abi.encodeCall(escrow.raiseDispute, (terms, WINDOW, ""))) != open, "dispute");
            vm.revertToState(snapshot);
            snapshot = vm.snapshotState();
            assertTrue(_try(operator, abi.encodeCall(escrow.refund, (terms, 1))) != open, "refund");
            vm.revertToState(snapshot);
            assertTrue(_try(stranger, abi.encodeCall(escrow.releaseTimeLocked, (terms))) == open, "release");
        }
    }

    /// @dev Own word: the payee's proof, the operator's shortest dispute and the silence of the others release neither
    /// a running lock nor milestones.
    function test_ownWordAndSilence_releaseNeitherALockNorAMilestone() public {
        for (uint256 i = 1; i <= 2; i++) {
            IDeliveryVsPayment.Terms memory terms = newTerms(IDeliveryVsPayment.ReleaseType(i));
            terms.disputeWindow = 1 minutes;
            terms.autoReleaseOnProof = i == 1;
            vm.warp(START);
            fund(terms);
            prove(terms, PROOF);
            vm.prank(operator);
            escrow.raiseDispute(terms, 1 minutes, "");
            expireDispute(terms);
            assertTrue(!_try(payee, abi.encodeCall(escrow.raiseDispute, (terms, 1 minutes, ""))), "second dispute");
            assertTrue(!_try(operator, abi.encodeCall(escrow.release, (terms))), "operator's release");
            assertTrue(!_try(payee, abi.encodeCall(escrow.release, (terms))), "payee's release");
            assertTrue(!_try(operator, abi.encodeCall(escrow.releaseMilestone, (terms, AMOUNT))), "milestone");
            assertTrue(!_try(stranger, abi.encodeCall(escrow.releaseTimeLocked, (terms))), "lock");
            dispute(terms); // the payer's own right is not used up
        }
    }

    /// @dev Own word: an oracle that is a party releases no milestone, and its proof is only evidence.
    function test_anOracleThatIsAParty_isNoOracle() public {
        address[5] memory parties = [payer, payee, operator, arbiter, offRamp];
        for (uint256 i = 0; i < parties.length; i++) {
            IDeliveryVsPayment.Terms memory terms = milestoneTerms();
            terms.deliveryOracle = parties[i];
            terms.autoReleaseOnProof = true;
            fund(terms);
            if (parties[i] != payer) {
                assertTrue(!_try(parties[i], abi.encodeCall(escrow.releaseMilestone, (terms, 1))), "milestone");
            }
            prove(terms, PROOF);
            assertTrue(!order(terms).proven, "evidence");
            assertTrue(!_try(payee, abi.encodeCall(escrow.release, (terms))), "release");
        }
    }

    function test_anOperatorWhoPays_spendsThePayersDisputeAlone() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        terms.operator = payer;
        fund(terms);
        dispute(terms);
        assertTrue(order(terms).disputedByPayer && !order(terms).disputedByMerchant, "the payer's");
        expireDispute(terms);
        assertStatus(terms, IDeliveryVsPayment.Status.Cancelled);
    }

    /// @dev Own rights: an agreement signed for the payer's dispute is invalid in the merchant's dispute.
    function test_anAgreement_endsNoOtherDispute_andRacesNoTimeoutUntilTheDeadline() public {
        IDeliveryVsPayment.Terms memory terms = milestoneTerms();
        fund(terms);
        bytes memory call = _agreement(terms, IDeliveryVsPayment.Side.PAYER, AMOUNT);
        assertTrue(!_try(payee, call), "before any dispute");
        dispute(terms);
        expireDispute(terms);
        disputeBy(payee, terms);
        assertTrue(!_try(payee, call), "in the other's dispute");
        call = _agreement(terms, IDeliveryVsPayment.Side.MERCHANT, AMOUNT / 2);
        vm.warp(order(terms).disputeDeadline);
        assertTrue(!_try(payer, abi.encodeCall(escrow.resolveExpiredDispute, (terms))), "front-run by the timeout");
        assertTrue(_try(stranger, call), "agreed");
        assertAmounts(terms, AMOUNT / 2, 0);
    }

    function test_aPayersDisputeSignature_isTheOperatorsOnceAndAsSigned() public {
        IDeliveryVsPayment.Terms memory terms = milestoneTerms();
        fund(terms);
        bytes memory s = sign(PAYER_KEY, disputeDigest(escrow, terms, WINDOW, "broken", START + 9));
        assertTrue(
            !_try(payee, abi.encodeCall(escrow.raiseDisputeFor, (terms, WINDOW, "broken", START + 9, s))),
            "payee"
        );
        bytes memory longer = abi.encodeCall(escrow.raiseDisputeFor, (terms, WINDOW + 1, "broken", START + 9, s));
        assertTrue(!_try(operator, longer), "another window");
        bytes memory call = abi.encodeCall(escrow.raiseDisputeFor, (terms, WINDOW, "broken", START + 9, s));
        vm.warp(START + 10);
        assertTrue(!_try(operator, call), "expired");
        vm.warp(START + 9);
        assertTrue(_try(operator, call), "in its last second");
        assertTrue(order(terms).disputedByPayer && !order(terms).disputedByMerchant, "the payer's");
    }

    function test_aBatch_paysDuplicatesOnceAndSkipsStrangeOrders() public {
        IDeliveryVsPayment.Terms[] memory orders = new IDeliveryVsPayment.Terms[](5);
        orders[0] = newTerms(); // never funded
        orders[1] = orders[2] = funded();
        orders[3] = newTerms();
        orders[3].token = address(hostile);
        orders[4] = milestoneTerms();
        fund(orders[3]);
        fund(orders[4]);
        release(orders[1]);
        release(orders[3]);
        releaseUpTo(orders[4], 1);
        withdraw(orders[4]);
        releaseUpTo(orders[4], 2);
        assertTrue(!_try(payee, abi.encodeCall(escrow.settle, (grouped(orders)))), "not the operator");
        vm.prank(operator);
        escrow.settle(grouped(orders));
        assertEq(token.balanceOf(offRamp), AMOUNT, "once");
        assertEq(hostile.balanceOf(offRamp), 0, "another token's");
    }

    function test_aTokenThatCallsBack_settlesNothingTwice() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        terms.token = address(hostile);
        terms.payee = terms.operator = address(hostile);
        fund(terms);
        release(terms);
        IDeliveryVsPayment.Terms[] memory orders = new IDeliveryVsPayment.Terms[](1);
        orders[0] = terms;
        hostile.reenter(address(escrow), abi.encodeCall(escrow.withdraw, (terms)));
        vm.prank(address(hostile));
        escrow.settle(grouped(orders));
        assertTrue(hostile.reentered() && !hostile.reentrySucceeded(), "refused");
        assertEq(bytes4(hostile.reentryResult()), bytes4(keccak256("Reentered()")), "Reentered");
        assertAmounts(terms, AMOUNT, AMOUNT);
    }

    /// @dev Solvency: a token that misbehaves in outgoing transfers costs no more than the order's own amount and does
    /// not affect orders in other tokens.
    function test_aTokenThatTurns_costsNoOtherTokensOrders() public {
        IDeliveryVsPayment.Terms memory honest = funded();
        for (uint256 mode = 0; mode <= uint256(HostileToken.Mode.SENDER_FEE); mode++) {
            IDeliveryVsPayment.Terms memory terms = newTerms();
            terms.token = address(hostile);
            hostile.setMode(HostileToken.Mode.HONEST);
            fund(terms);
            uint256 held = hostile.balanceOf(address(escrow));
            hostile.setMode(HostileToken.Mode(mode));
            _try(payee, abi.encodeCall(escrow.refund, (terms, AMOUNT)));
            _try(payee, abi.encodeCall(escrow.refund, (terms, AMOUNT)));
            assertTrue(held - hostile.balanceOf(address(escrow)) <= AMOUNT, "no more than its order");
        }
        assertEq(escrowed(), AMOUNT, "the other token's");
        refundBy(payee, honest, AMOUNT);
        assertEq(escrowed(), 0, "returned");
    }

    /// @dev Gas: a payer whose hook burns all forwarded gas, or reverts with 300 kB of data, gets a credit within the
    /// gas cap of a transaction.
    function test_aPayerThatBurnsGas_blocksNoArbiter() public {
        NotifyingToken notifying = new NotifyingToken();
        vm.prank(owner);
        escrow.setTokenListed(address(notifying), true);
        for (uint256 reaction = 2; reaction <= 3; reaction++) {
            ReactingWallet wallet = new ReactingWallet(payer);
            notifying.mint(address(wallet), AMOUNT);
            wallet.run(address(notifying), abi.encodeCall(notifying.register, ()));
            wallet.run(address(notifying), abi.encodeCall(notifying.approve, (address(escrow), AMOUNT)));
            IDeliveryVsPayment.Terms memory terms = newTerms();
            terms.token = address(notifying);
            wallet.run(address(escrow), abi.encodeCall(escrow.createOrder, (terms)));
            wallet.run(address(escrow), abi.encodeCall(escrow.raiseDispute, (terms, WINDOW, "")));
            wallet.setReaction(ReactingWallet.Reaction(reaction));
            vm.prank(arbiter);
            escrow.resolveDispute{gas: 1 << 24}(terms, AMOUNT / 2);
            assertEq(escrow.creditOf(address(wallet), address(notifying)), AMOUNT - AMOUNT / 2, "credit");
        }
    }

    function test_theLargestOrder_keepsEveryFieldApart() public {
        IDeliveryVsPayment.Terms memory terms = milestoneTerms();
        terms.amount = type(uint120).max;
        terms.deliveryPeriod = uint40(escrow.MAX_DELIVERY_PERIOD());
        token.mint(payer, terms.amount);
        fund(terms);
        releaseUpTo(terms, type(uint120).max - 2);
        refundBy(payee, terms, 1);
        vm.warp(START + terms.deliveryPeriod);
        vm.prank(payer);
        escrow.raiseDispute(terms, 30 days, "");
        vm.warp(START + terms.deliveryPeriod + 30 days);
        assertTrue(!_try(payee, abi.encodeCall(escrow.refund, (terms, 2))), "more than the rest");
        vm.prank(arbiter);
        escrow.resolveDispute(terms, type(uint256).max);
        IDeliveryVsPayment.Order memory o = order(terms);
        assertEq(o.payer, payer, "payer");
        assertEq(o.deliveryDeadline, START + terms.deliveryPeriod + 30 days + terms.disputeWindow, "delivery deadline");
        assertEq(o.disputeDeadline, START + terms.deliveryPeriod + 30 days, "dispute deadline");
        assertEq(o.released, type(uint120).max - 1, "released");
        assertEq(o.refunded, 1, "refunded");
        assertTrue(o.disputedByPayer && !o.disputedByMerchant && !o.proven && !o.withdrawn, "flags");
        settle(terms);
        assertEq(escrowed(), 0, "all of it left");
    }

    /// @dev This violates no law, but is a nuisance for the operator: if the payee first refunds one unit, the
    /// operator's refund of the full amount fails.
    function test_aPayeesUnitRefund_makesTheOperatorsFullRefundFail() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        refundBy(payee, terms, 1);
        assertTrue(!_try(operator, abi.encodeCall(escrow.refund, (terms, AMOUNT))), "refused");
        refundBy(operator, terms, AMOUNT - 1);
        assertStatus(terms, IDeliveryVsPayment.Status.Cancelled);
    }

    function _try(address caller, bytes memory data) private returns (bool done) {
        vm.prank(caller);
        (done, ) = address(escrow).call(data);
    }

    function _fundSigned(IDeliveryVsPayment.Terms memory terms, ReactingWallet wallet, bool accepted) private {
        bytes memory signature = sign(PAYER_KEY, paymentDigest(escrow, terms, address(wallet)));
        bytes memory call = abi.encodeCall(escrow.createOrderFor, (terms, address(wallet), true, signature));
        assertTrue(_try(operator, call) == accepted, "as the wallet says");
    }

    function _agreement(
        IDeliveryVsPayment.Terms memory terms,
        IDeliveryVsPayment.Side side,
        uint256 payeeAmount
    ) private view returns (bytes memory) {
        bytes32 digest = agreementDigest(escrow, terms, side, payeeAmount, START + 365 days);
        bytes memory byPayer = sign(PAYER_KEY, digest);
        bytes memory byPayee = sign(PAYEE_KEY, digest);
        return
            abi.encodeCall(escrow.resolveDisputeByAgreement, (terms, payeeAmount, START + 365 days, byPayer, byPayee));
    }

    /// @dev Warps to a random time boundary, unless the boundary is in the past.
    function _leap(IDeliveryVsPayment.Terms memory terms, uint256 draw) private {
        IDeliveryVsPayment.Order memory o = order(terms);
        uint256[6] memory moments = [
            block.timestamp,
            block.timestamp,
            block.timestamp + 1 days,
            terms.timeLockUntil,
            o.disputeDeadline,
            o.deliveryDeadline
        ];
        uint256 to = moments[draw % 6] + ((draw >> 8) % 2);
        if (to > block.timestamp) vm.warp(to);
    }

    function _somebody(IDeliveryVsPayment.Terms memory terms, uint256 draw) private view returns (address) {
        address[6] memory people = [payer, terms.payee, operator, oracle, arbiter, stranger];
        return people[draw % 6];
    }

    function _something(IDeliveryVsPayment.Terms memory terms, uint256 draw) private view returns (bytes memory) {
        uint256 amount = [uint256(1), AMOUNT / 2, AMOUNT, type(uint256).max][(draw >> 8) % 4];
        draw = draw % 13;
        if (draw == 0) return abi.encodeCall(escrow.markShipped, (terms));
        if (draw == 1) return abi.encodeCall(escrow.submitDeliveryProof, (terms, PROOF, URI));
        if (draw == 2) return abi.encodeCall(escrow.submitDeliveryProof, (terms, ~PROOF, URI));
        if (draw == 3) return abi.encodeCall(escrow.release, (terms));
        if (draw == 4) return abi.encodeCall(escrow.releaseTimeLocked, (terms));
        if (draw == 5) return abi.encodeCall(escrow.releaseMilestone, (terms, amount));
        if (draw == 6) return abi.encodeCall(escrow.withdraw, (terms));
        if (draw == 7) return abi.encodeCall(escrow.refund, (terms, amount));
        if (draw == 8) return abi.encodeCall(escrow.reclaim, (terms));
        if (draw == 9) return abi.encodeCall(escrow.raiseDispute, (terms, WINDOW, "reason"));
        if (draw == 10) return abi.encodeCall(escrow.resolveDispute, (terms, amount));
        if (draw == 11) return abi.encodeCall(escrow.resolveExpiredDispute, (terms));
        IDeliveryVsPayment.Terms[] memory orders = new IDeliveryVsPayment.Terms[](2);
        (orders[0], orders[1]) = (terms, terms);
        return abi.encodeCall(escrow.settle, (grouped(orders)));
    }
}
