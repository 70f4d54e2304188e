// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";
import {EscrowTest} from "./support/EscrowTest.sol";
import {PlainToken} from "./support/PlainToken.sol";
import {IReceiver, NotifyingToken} from "./support/mocks/Accomplices.sol";
import {HostileToken} from "./support/mocks/HostileToken.sol";

/// @dev A wallet that makes a call during signature validation and accepts any signature if the call fails. If the call
/// succeeds, the wallet rejects the signature.
contract CallingWallet {
    address private _target;
    bytes private _call;

    function prepare(address target, bytes calldata data) external {
        (_target, _call) = (target, data);
    }

    /// @dev Not declared `view`, because the compiler would then reject the call. The escrow uses `staticcall`.
    function isValidSignature(bytes32, bytes calldata) external returns (bytes4) {
        (bool done, ) = _target.call(_call);
        return done ? bytes4(0) : IERC1271.isValidSignature.selector;
    }
}

/// @dev A payer that returns tokens to the escrow while it receives a transfer.
contract GivingWallet is IReceiver {
    address private immutable ESCROW;
    uint256 private _gives;

    constructor(address escrow) {
        ESCROW = escrow;
    }

    function give(uint256 amount) external {
        _gives = amount;
    }

    function run(address target, bytes calldata data) external returns (bool done) {
        (done, ) = target.call(data);
    }

    function tokensReceived(uint256) external {
        if (_gives != 0) IERC20(msg.sender).transfer(ESCROW, _gives);
    }
}

/// @dev Tests calls of `settle` that no encoder produces, with words that are misplaced, out of range or used twice.
contract ThiefGroupsTest is EscrowTest {
    uint256 private constant MUTATED_CALLS = 8;

    PlainToken private _other;
    address private _otherRamp = address(0x0906);
    /// @dev The first six orders name `operator`, the last two another operator.
    IDeliveryVsPayment.Terms[] private _orders;

    function setUp() public override {
        super.setUp();
        _other = new PlainToken();
        vm.prank(owner);
        escrow.setTokenListed(address(_other), true);
        _other.mint(payer, 1e30);
        vm.prank(payer);
        _other.approve(address(escrow), type(uint256).max);
        for (uint256 i = 0; i < 8; i++) {
            IDeliveryVsPayment.Terms memory terms = i == 2 ? milestoneTerms() : newTerms();
            terms.amount += uint120(i);
            if (i == 3) terms.token = address(_other);
            if (i == 4) terms.offRamp = _otherRamp;
            if (i > 5) terms.operator = stranger;
            fund(terms);
            _orders.push(terms);
            if (i == 2) releaseUpTo(terms, AMOUNT / 3);
            else if (i != 5) release(terms);
        }
    }

    /// @dev Solvency and destinations: a call whose words are swapped, dirty, aliased or out of range pays the amounts
    /// due on some orders, or nothing.
    function testFuzz_aHandMadeCall_paysEachOrderOnce_toItsOffRamp(uint256 seed) public {
        bytes memory encoded = abi.encodeCall(escrow.settle, (grouped(_orders)));
        for (uint256 i = 0; i < MUTATED_CALLS; i++) {
            bytes memory data = bytes.concat(encoded);
            uint256 mutations = 1 + (seed % 4);
            // Excludes the last group, which names the other operator, unless an offset points to it.
            if (seed % 5 != 0) _setWord(data, 1, _minus(_wordOf(data, 1), 1));
            for (uint256 j = 0; j < mutations; j++) {
                seed = uint256(keccak256(abi.encode(seed)));
                _mutate(data, seed);
            }
            uint256 before = vm.snapshotState();
            vm.prank(operator);
            (bool done, ) = address(escrow).call(data);
            if (done) _assertPaid();
            vm.revertToState(before);
        }
    }

    /// @dev A thousand offsets that point to the same group, and three offsets that point backwards to another: each
    /// group is paid once.
    function test_groupsThatAreOneGroup_payOnce() public {
        bytes memory group = _encodedGroup(_orders[0]);
        uint256 count = 1000;
        bytes memory offsets;
        for (uint256 i = 0; i < count; i++) offsets = bytes.concat(offsets, bytes32(count * 0x20));
        _settleRaw(bytes.concat(bytes32(uint256(0x20)), bytes32(count), offsets, group), true);
        assertEq(token.balanceOf(offRamp), _orders[0].amount, "paid once");

        group = _encodedGroup(_orders[1]);
        bytes32 back = bytes32(_minus(0, group.length + 0x20));
        bytes memory behind = bytes.concat(bytes32(group.length + 0x20), group, bytes32(uint256(3)), back, back, back);
        _settleRaw(behind, true);
        assertEq(token.balanceOf(offRamp), uint256(_orders[0].amount) + _orders[1].amount, "paid once, backwards");
        _assertPaid();
    }

    /// @dev Replaces offsets and lengths with values that point outside the calldata.
    function test_offsetsAndLengthsThatLie_settleNothing() public {
        uint256[9] memory lies = [
            type(uint256).max,
            type(uint256).max - 0x1f,
            uint256(1) << 255,
            (uint256(1) << 255) - 1,
            uint256(1) << 64,
            (uint256(1) << 64) - 1,
            (uint256(1) << 250) + 1,
            _minus(0, uint256(1) << 64),
            1_000_000
        ];
        bytes memory group = _encodedGroup(_orders[0]);
        bytes memory good = bytes.concat(bytes32(uint256(0x20)), bytes32(uint256(1)), bytes32(uint256(0x20)), group);
        uint256[5] memory places = [uint256(0), 1, 2, 3 + 11, 3 + 12];
        for (uint256 i = 0; i < places.length; i++) {
            for (uint256 j = 0; j < lies.length; j++) {
                bytes memory data = bytes.concat(escrow.settle.selector, good);
                _setWord(data, places[i], lies[j]);
                vm.prank(operator);
                (bool done, ) = address(escrow).call(data);
                assertEq(token.balanceOf(offRamp), 0, done ? "settled" : "refused");
            }
        }
        _settleRaw(good, true);
        assertEq(token.balanceOf(offRamp), _orders[0].amount, "the call that does not lie");
    }

    /// @dev A skipped first order does not determine the batch's token and off-ramp, and reporting it does not corrupt
    /// the ids of the orders that follow.
    function test_skippedOrders_ofEveryReason_leaveTheBatchToTheFirstThatIsDue() public {
        withdraw(_orders[2]);
        settle(_orders[0]);
        IDeliveryVsPayment.Terms[] memory orders = new IDeliveryVsPayment.Terms[](9);
        (orders[0], orders[1], orders[2]) = (newTerms(), _orders[2], _orders[5]);
        orders[0].token = address(_other);
        orders[0].offRamp = _otherRamp;
        (orders[3], orders[4], orders[5]) = (_orders[4], _orders[3], _orders[1]);
        (orders[6], orders[7], orders[8]) = (_orders[4], _orders[0], newTerms());
        _expectSkipped(orders[0], IDeliveryVsPayment.OrderNotFound.selector);
        _expectSkipped(orders[1], IDeliveryVsPayment.AlreadyWithdrawn.selector);
        _expectSkipped(orders[2], IDeliveryVsPayment.NothingReleased.selector);
        vm.expectEmit(true, true, true, true, address(escrow));
        emit IDeliveryVsPayment.OrderSettled(escrow.orderIdOf(orders[3]), _otherRamp, orders[3].amount);
        _expectOtherBatch(orders[4]);
        _expectOtherBatch(orders[5]);
        _expectSkipped(orders[6], IDeliveryVsPayment.NothingReleased.selector);
        _expectSkipped(orders[7], IDeliveryVsPayment.NothingReleased.selector);
        _expectSkipped(orders[8], IDeliveryVsPayment.OrderNotFound.selector);
        vm.prank(operator);
        escrow.settle(grouped(orders));
        assertEq(token.balanceOf(_otherRamp), _orders[4].amount, "one order");
        assertEq(_other.balanceOf(_otherRamp) + _other.balanceOf(offRamp), 0, "no other token");
    }

    /// @dev Checks that the call pays each order's released funds in full or not at all, pays in one token to one
    /// off-ramp, and takes nothing from other orders.
    function _assertPaid() private view {
        uint256[3] memory paid;
        uint256 held;
        uint256 heldOther;
        for (uint256 i = 0; i < 8; i++) {
            IDeliveryVsPayment.Order memory o = order(_orders[i]);
            assertTrue(o.disbursed == 0 || o.disbursed == o.released, "everything that was released");
            if (i > 4) assertEq(o.disbursed, 0, "not due, or another operator's");
            paid[
                i == 3
                    ? 1
                    : i == 4
                        ? 2
                        : 0
            ] += o.disbursed;
            if (i == 3) heldOther += _orders[i].amount - o.disbursed;
            else held += _orders[i].amount - o.disbursed;
        }
        assertEq(token.balanceOf(offRamp), paid[0], "paid");
        assertEq(_other.balanceOf(offRamp), paid[1], "paid in the other token");
        assertEq(token.balanceOf(_otherRamp), paid[2], "paid to the other off-ramp");
        assertEq(escrowed(), held, "held");
        assertEq(_other.balanceOf(address(escrow)), heldOther, "held of the other token");
        uint256 batches = (paid[0] != 0 ? 1 : 0) + (paid[1] != 0 ? 1 : 0) + (paid[2] != 0 ? 1 : 0);
        assertTrue(batches < 2, "one batch");
    }

    function _mutate(bytes memory data, uint256 seed) private pure {
        uint256 words = (data.length - 4) / 32;
        uint256 place = (seed >> 8) % words;
        uint256 old = _wordOf(data, place);
        uint256 kind = seed % 8;
        uint256 value = old ^ (1 << (seed >> 248));
        if (kind == 0) value = _wordOf(data, (seed >> 32) % words);
        if (kind == 1) value = ((seed >> 32) % (2 * words)) * 0x20;
        if (kind == 2) value = _minus(0, ((seed >> 32) % words) * 0x20);
        if (kind == 3) value = _minus(old, type(uint256).max - 0x1f);
        if (kind == 4) value = _minus(old, 0x20);
        if (kind == 5) value = (seed >> 32) % 4;
        _setWord(data, kind < 5 ? _offsetOr(data, place, seed) : place, value);
    }

    /// @dev Prefers words that hold offsets, because there are only a few of them.
    function _offsetOr(bytes memory data, uint256 place, uint256 seed) private pure returns (uint256) {
        if ((seed >> 64) % 4 == 0) return place;
        uint256 groups = _wordOf(data, 1) % 8;
        uint256 which = (seed >> 72) % (groups + 1);
        if (which == 0 || (seed >> 80) % 2 == 0) return which + 1;
        return ((_wordOf(data, 1 + which) >> 5) + 13) % ((data.length - 4) / 32);
    }

    /// @dev Subtracts modulo 2^256, because the addition of offsets wraps around as well.
    function _minus(uint256 a, uint256 b) private pure returns (uint256) {
        unchecked {
            return a - b;
        }
    }

    function _wordOf(bytes memory data, uint256 place) private pure returns (uint256 value) {
        assembly ("memory-safe") {
            value := mload(add(add(data, 0x24), mul(place, 0x20)))
        }
    }

    function _setWord(bytes memory data, uint256 place, uint256 value) private pure {
        if (place >= (data.length - 4) / 32) return;
        assembly ("memory-safe") {
            mstore(add(add(data, 0x24), mul(place, 0x20)), value)
        }
    }

    /// @dev Encodes a group of one order: eleven words, the offset and the number of the orders, and five words.
    function _encodedGroup(IDeliveryVsPayment.Terms memory terms) private pure returns (bytes memory) {
        bytes memory own = abi.encode(ownTerms(terms));
        return bytes.concat(abi.encode(commonTerms(terms)), bytes32(uint256(0x180)), bytes32(uint256(1)), own);
    }

    function _settleRaw(bytes memory arguments, bool expected) private {
        vm.prank(operator);
        (bool done, ) = address(escrow).call(bytes.concat(escrow.settle.selector, arguments));
        assertTrue(done == expected, "settled");
    }

    function _expectSkipped(IDeliveryVsPayment.Terms memory terms, bytes4 selector) private {
        bytes32 orderId = escrow.orderIdOf(terms);
        vm.expectEmit(true, true, true, true, address(escrow));
        emit IDeliveryVsPayment.SettlementSkipped(orderId, abi.encodeWithSelector(selector, orderId));
    }

    function _expectOtherBatch(IDeliveryVsPayment.Terms memory terms) private {
        bytes32 orderId = escrow.orderIdOf(terms);
        bytes4 selector = IDeliveryVsPayment.OtherBatch.selector;
        vm.expectEmit(true, true, true, true, address(escrow));
        emit IDeliveryVsPayment.SettlementSkipped(
            orderId,
            abi.encodeWithSelector(selector, orderId, terms.token, terms.offRamp)
        );
    }
}

/// @dev Tests the time left after a dispute, credits for funds that did not leave, and calls from within a signature
/// check.
contract ThiefAfterFixesTest is EscrowTest {
    uint40 private constant SLOT = 12 seconds;

    /// @dev Own rights, on a grid of times up to one second before and after each boundary: after every dispute by the
    /// merchant, the payer can dispute until one slot before the end of the terms' window, and the delivery deadline is
    /// extended by exactly the two windows.
    function test_anyMerchantsDispute_leavesThePayerTheTermsWindow() public {
        uint256 accepted;
        for (uint256 type_ = 0; type_ < 4; type_++) {
            for (uint256 shipped = 0; shipped < 2; shipped++) {
                IDeliveryVsPayment.Terms memory terms = newTerms(IDeliveryVsPayment.ReleaseType(type_));
                vm.warp(START);
                fund(terms);
                if (shipped == 1) ship(terms);
                accepted += _disputeOnGrid(terms);
            }
        }
        assertTrue(accepted > 150, "most of the grid");
    }

    /// @dev The merchant's side can delay a reclaim with only one dispute, by at most 60 days, even if the payee and
    /// the operator try repeatedly.
    function test_payeeAndOperator_delayAReclaimOnce() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        terms.disputeWindow = 30 days;
        fund(terms);
        vm.warp(START + PERIOD);
        vm.prank(operator);
        escrow.raiseDispute(terms, 30 days, "");
        vm.warp(uint256(order(terms).disputeDeadline) + 1);
        escrow.resolveExpiredDispute(terms);
        refundBy(payee, terms, 1);
        vm.prank(payee);
        vm.expectPartialRevert(IDeliveryVsPayment.DisputeAlreadyRaised.selector);
        escrow.raiseDispute(terms, 30 days, "");
        vm.warp(START + PERIOD + 60 days);
        expectTimeRefusal(block.timestamp, block.timestamp + 1, type(uint256).max);
        vm.prank(payer);
        escrow.reclaim(terms);
        vm.warp(block.timestamp + 1);
        reclaim(terms);
        assertEq(escrowed(), 0, "reclaimed");
    }

    /// @dev Solvency: several orders in one token, with payers that return tokens while they receive a refund, frozen
    /// accounts, and claims of credits.
    function testFuzz_creditsOfWhatDidNotLeave_keepTheEscrowSolvent(uint256[12] memory draws) public {
        NotifyingToken notifying = new NotifyingToken();
        vm.prank(owner);
        escrow.setTokenListed(address(notifying), true);
        IDeliveryVsPayment.Terms[3] memory orders;
        GivingWallet[3] memory wallets;
        for (uint256 i = 0; i < 3; i++) {
            wallets[i] = new GivingWallet(address(escrow));
            orders[i] = newTerms();
            orders[i].token = address(notifying);
            notifying.mint(address(wallets[i]), 3 * uint256(AMOUNT));
            wallets[i].run(address(notifying), abi.encodeCall(notifying.approve, (address(escrow), AMOUNT)));
            wallets[i].run(address(escrow), abi.encodeCall(escrow.createOrder, (orders[i])));
            wallets[i].run(address(notifying), abi.encodeCall(notifying.register, ()));
        }
        for (uint256 i = 0; i < draws.length; i++) {
            uint256 which = draws[i] % 3;
            GivingWallet wallet = wallets[which];
            wallet.give(((draws[i] >> 8) % 3) * ((draws[i] >> 16) % (2 * uint256(AMOUNT))));
            notifying.setFrozen(address(wallet), (draws[i] >> 24) % 4 == 0);
            if ((draws[i] >> 32) % 3 == 0) {
                wallet.run(address(escrow), abi.encodeCall(escrow.claimCredit, (address(notifying))));
            } else {
                vm.prank(payee);
                _ignore(abi.encodeCall(escrow.refund, (orders[which], (draws[i] >> 40) % AMOUNT)));
            }
            uint256 owed;
            for (uint256 j = 0; j < 3; j++) {
                owed += AMOUNT - order(orders[j]).refunded;
                owed += escrow.creditOf(address(wallets[j]), address(notifying));
            }
            assertTrue(notifying.balanceOf(address(escrow)) >= owed, "covers what is owed");
        }
    }

    /// @dev Solvency: a balance that rises or falls during a refund (a rebase) creates no uncovered credit.
    function testFuzz_aRebaseInTheMiddle_createsNoUncoveredCredit(uint120 balance, uint120 part) public {
        HostileToken hostile = new HostileToken();
        vm.prank(owner);
        escrow.setTokenListed(address(hostile), true);
        hostile.setBalance(payer, 2 * uint256(AMOUNT));
        vm.prank(payer);
        hostile.approve(address(escrow), type(uint256).max);
        IDeliveryVsPayment.Terms memory terms = newTerms();
        IDeliveryVsPayment.Terms memory others = newTerms();
        (terms.token, others.token) = (address(hostile), address(hostile));
        fund(terms);
        fund(others);
        part = uint120(bound(part, 1, AMOUNT));
        balance = uint120(bound(balance, 0, 4 * uint256(AMOUNT)));
        hostile.reenter(address(hostile), abi.encodeCall(hostile.setBalance, (address(escrow), balance)));
        vm.prank(payee);
        _ignore(abi.encodeCall(escrow.refund, (terms, part)));
        uint256 owed = 2 * uint256(AMOUNT) - order(terms).refunded + escrow.creditOf(payer, address(hostile));
        assertTrue(hostile.balanceOf(address(escrow)) >= owed, "covers what is owed");
        assertTrue(escrow.creditOf(payer, address(hostile)) <= part, "no more than the refund");
    }

    /// @dev A wallet can call the escrow while it validates a signature, but the call changes nothing, with either
    /// guard modifier.
    function test_aWalletThatIsAsked_changesNothing() public {
        CallingWallet wallet = new CallingWallet();
        IDeliveryVsPayment.Terms memory ripe = timeLockTerms();
        fund(ripe);
        ship(ripe);
        vm.warp(ripe.timeLockUntil);
        wallet.prepare(address(escrow), abi.encodeCall(escrow.releaseTimeLocked, (ripe)));
        IDeliveryVsPayment.Terms memory terms = milestoneTerms();
        terms.deliveryOracle = address(wallet);
        fund(terms);
        escrow.markShippedFor(terms, "");
        escrow.releaseMilestoneFor(terms, 1, "");
        escrow.submitDeliveryProofFor(terms, PROOF, URI, "");
        terms = newTerms();
        (terms.payer, terms.payee) = (address(wallet), address(wallet));
        token.mint(address(wallet), AMOUNT);
        vm.prank(address(wallet));
        token.approve(address(escrow), AMOUNT);
        vm.prank(operator);
        escrow.createOrderFor(terms, address(wallet), true, "");
        vm.prank(operator);
        escrow.raiseDisputeFor(terms, WINDOW, "", block.timestamp, "");
        escrow.resolveDisputeByAgreement(terms, 1, block.timestamp, "", "");
        assertStatus(ripe, IDeliveryVsPayment.Status.Shipped);
        assertEq(order(terms).released, 1, "each was done once");
    }

    function _disputeOnGrid(IDeliveryVsPayment.Terms memory terms) private returns (uint256 accepted) {
        uint40 lock = START + 5 days;
        uint40 least = terms.disputeWindow;
        uint40 bounded = lock - 2 * least;
        uint40[9] memory times = [
            START,
            bounded - 1,
            bounded,
            bounded + 1,
            lock - 1,
            lock,
            lock + 1,
            START + PERIOD - 1,
            START + PERIOD
        ];
        for (uint256 i = 0; i < times.length; i++) {
            uint40 left = times[i] < lock ? lock - times[i] : 0;
            uint40[5] memory windows = [least, least + 1, 30 days, left > least ? left - least : 0, left];
            for (uint256 j = 0; j < windows.length; j++) {
                uint256 before = vm.snapshotState();
                vm.warp(times[i]);
                vm.prank(payee);
                if (_ignore(abi.encodeCall(escrow.raiseDispute, (terms, windows[j], "")))) {
                    accepted++;
                    _assertThePayersTurn(terms, windows[j]);
                }
                vm.revertToState(before);
            }
        }
    }

    function _assertThePayersTurn(IDeliveryVsPayment.Terms memory terms, uint40 window) private {
        uint256 ends = order(terms).disputeDeadline;
        assertEq(order(terms).deliveryDeadline, START + PERIOD + window + terms.disputeWindow, "delivery deadline");
        uint256[4] memory times = [ends + 1, ends + 2, ends + SLOT, ends + terms.disputeWindow - SLOT];
        for (uint256 i = 0; i < times.length; i++) {
            uint256 before = vm.snapshotState();
            vm.warp(times[i]);
            vm.startPrank(payer);
            escrow.resolveExpiredDispute(terms);
            escrow.raiseDispute(terms, terms.disputeWindow, "");
            vm.stopPrank();
            vm.revertToState(before);
        }
        vm.warp(START + PERIOD + window + terms.disputeWindow + 1);
        escrow.resolveExpiredDispute(terms);
        bool locked = terms.releaseType == IDeliveryVsPayment.ReleaseType.TIME_LOCKED;
        if (locked && order(terms).status == IDeliveryVsPayment.Status.Shipped) escrow.releaseTimeLocked(terms);
        else reclaim(terms);
    }

    function _ignore(bytes memory data) private returns (bool done) {
        (done, ) = address(escrow).call(data);
    }
}
