// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../../IDeliveryVsPayment.sol";
import {IEscrow} from "../support/Deploying.sol";
import {Grouping} from "../support/Grouping.sol";
import {HostileToken} from "../support/mocks/HostileToken.sol";
import {Funder} from "./Funder.sol";
import {Ledger} from "./Ledger.sol";

/// @title Calls every operation of the escrow with any caller, order and arguments.
/// @dev A call that the escrow rejects changes nothing. The ledger takes the amounts of refunds, withdrawals and
/// claimed credits from balances. It takes released amounts and statuses from the escrow, and compares settled amounts
/// with the off-ramp's balance.
contract Handler is Funder, Grouping {
    struct Balances {
        uint256 credit;
        uint256 receiver;
        uint256 escrow;
    }

    constructor(IEscrow escrow_, address owner_) Funder(escrow_, owner_) {}

    function ship(uint256 seed) external {
        (uint256 index, Ledger.Entry memory entry) = _pick(seed);
        _call(index, entry, _caller(entry, seed), abi.encodeCall(escrow.markShipped, (entry.terms)));
    }

    function shipFor(uint256 seed) external {
        (uint256 index, Ledger.Entry memory entry) = _pick(seed);
        bytes memory signature = sign(_oracleKey(seed), shipmentDigest(escrow, entry.terms));
        bytes memory data = abi.encodeCall(escrow.markShippedFor, (entry.terms, signature));
        _call(index, entry, _caller(entry, seed), data);
    }

    function prove(uint256 seed) external {
        (uint256 index, Ledger.Entry memory entry) = _pick(seed);
        bytes32 hash = seed & 0x10000 == 0 ? bytes32("proof") : bytes32("junk");
        bytes memory data = abi.encodeCall(escrow.submitDeliveryProof, (entry.terms, hash, ""));
        _call(index, entry, _caller(entry, seed), data);
    }

    function proveFor(uint256 seed) external {
        (uint256 index, Ledger.Entry memory entry) = _pick(seed);
        bytes memory signature = sign(_oracleKey(seed), proofDigest(escrow, entry.terms, "proof", ""));
        bytes memory data = abi.encodeCall(escrow.submitDeliveryProofFor, (entry.terms, "proof", "", signature));
        _call(index, entry, _caller(entry, seed), data);
    }

    function release(uint256 seed) external {
        (uint256 index, Ledger.Entry memory entry) = _pick(seed);
        _call(index, entry, _caller(entry, seed), abi.encodeCall(escrow.release, (entry.terms)));
    }

    function releaseTimeLocked(uint256 seed) external {
        (uint256 index, Ledger.Entry memory entry) = _pick(seed);
        _call(index, entry, _caller(entry, seed), abi.encodeCall(escrow.releaseTimeLocked, (entry.terms)));
    }

    function releaseMilestone(uint256 seed, uint120 amount) external {
        (uint256 index, Ledger.Entry memory entry) = _pick(seed);
        amount = uint120(bound(amount, 1, entry.terms.amount));
        bytes memory data = abi.encodeCall(escrow.releaseMilestone, (entry.terms, amount));
        _call(index, entry, _caller(entry, seed), data);
    }

    function releaseMilestoneFor(uint256 seed, uint120 amount) external {
        (uint256 index, Ledger.Entry memory entry) = _pick(seed);
        amount = uint120(bound(amount, 1, entry.terms.amount));
        bytes memory signature = sign(_oracleKey(seed), milestoneDigest(escrow, entry.terms, amount));
        bytes memory data = abi.encodeCall(escrow.releaseMilestoneFor, (entry.terms, amount, signature));
        _call(index, entry, _caller(entry, seed), data);
    }

    function settle(uint256 first, uint256 second, uint256 third) external {
        uint256[3] memory seeds = [first, second, third];
        IDeliveryVsPayment.Terms[] memory orders = new IDeliveryVsPayment.Terms[](3);
        uint256[3] memory indices;
        for (uint256 i = 0; i < 3; i++) {
            Ledger.Entry memory entry;
            (indices[i], entry) = _pick(seeds[i]);
            orders[i] = entry.terms;
        }
        uint256 held = _offRampBalances();
        vm.prank(first % 8 == 0 ? _person(second) : operator);
        (bool success, ) = address(escrow).call(abi.encodeCall(escrow.settle, (grouped(orders))));
        _count(escrow.settle.selector, success);
        if (!success) return;
        uint256 moved;
        for (uint256 i = 0; i < 3; i++) {
            IDeliveryVsPayment.Order memory order = _order(orders[i]);
            uint256 booked = _entries[indices[i]].settled + _entries[indices[i]].withdrawn;
            if (order.disbursed > booked) {
                _noteSettled(indices[i], order.disbursed - booked);
                moved += order.disbursed - booked;
            }
            _noteStatus(indices[i], order);
        }
        assertEq(_offRampBalances() - held, moved, "settled what left");
    }

    function withdraw(uint256 seed) external {
        (uint256 index, Ledger.Entry memory entry) = _pick(seed);
        _call(index, entry, _caller(entry, seed), abi.encodeCall(escrow.withdraw, (entry.terms)));
    }

    /// @dev Half of the refunds are for the full remainder, which ends the order.
    function refund(uint256 seed, uint120 amount) external {
        (uint256 index, Ledger.Entry memory entry) = _pick(seed);
        uint256 rest = _rest(entry);
        amount = uint120(seed & 0x10000 == 0 ? rest : bound(amount, 1, entry.terms.amount));
        _call(index, entry, _caller(entry, seed), abi.encodeCall(escrow.refund, (entry.terms, amount)));
    }

    function reclaim(uint256 seed) external {
        (uint256 index, Ledger.Entry memory entry) = _pick(seed);
        _call(index, entry, _caller(entry, seed), abi.encodeCall(escrow.reclaim, (entry.terms)));
    }

    function raiseDispute(uint256 seed, uint40 window) external {
        (uint256 index, Ledger.Entry memory entry) = _pick(seed);
        window = uint40(bound(window, 1 days, 30 days));
        bytes memory data = abi.encodeCall(escrow.raiseDispute, (entry.terms, window, ""));
        _call(index, entry, _caller(entry, seed), data);
    }

    /// @dev In one of four calls, a random person signs instead of the payer.
    function raiseDisputeFor(uint256 seed, uint40 window) external {
        (uint256 index, Ledger.Entry memory entry) = _pick(seed);
        window = uint40(bound(window, 1 days, 30 days));
        uint256 key = _keys[seed & 0x30000 == 0 ? _person(seed >> 20) : entry.payer];
        bytes memory signature = sign(key, disputeDigest(escrow, entry.terms, window, "", type(uint256).max));
        bytes memory data = abi.encodeCall(
            escrow.raiseDisputeFor,
            (entry.terms, window, "", type(uint256).max, signature)
        );
        _call(index, entry, seed & 0x40000 == 0 ? _caller(entry, seed) : operator, data);
    }

    function resolveDispute(uint256 seed, uint120 payeeAmount) external {
        (uint256 index, Ledger.Entry memory entry) = _pick(seed);
        payeeAmount = uint120(bound(payeeAmount, 0, _rest(entry)));
        bytes memory data = abi.encodeCall(escrow.resolveDispute, (entry.terms, payeeAmount));
        _call(index, entry, seed & 0x10000 == 0 ? arbiter : _caller(entry, seed), data);
    }

    /// @dev In one of four calls, the payee signs a different amount than the payer.
    function resolveDisputeByAgreement(uint256 seed, uint120 payeeAmount) external {
        (uint256 index, Ledger.Entry memory entry) = _pick(seed);
        payeeAmount = uint120(bound(payeeAmount, 0, _rest(entry)));
        IDeliveryVsPayment.Side side = _order(entry.terms).disputeSide;
        uint256 end = type(uint256).max;
        uint256 other = payeeAmount + (seed & 0x30000 == 0 ? 1 : 0);
        bytes memory byPayer = sign(_keys[entry.payer], agreementDigest(escrow, entry.terms, side, payeeAmount, end));
        bytes memory byPayee = sign(_keys[entry.terms.payee], agreementDigest(escrow, entry.terms, side, other, end));
        bytes memory data = abi.encodeCall(
            escrow.resolveDisputeByAgreement,
            (entry.terms, payeeAmount, end, byPayer, byPayee)
        );
        _call(index, entry, _caller(entry, seed), data);
    }

    function resolveExpiredDispute(uint256 seed) external {
        (uint256 index, Ledger.Entry memory entry) = _pick(seed);
        _call(index, entry, _caller(entry, seed), abi.encodeCall(escrow.resolveExpiredDispute, (entry.terms)));
    }

    function claimCredit(uint256 seed) external {
        address account = _person(seed);
        HostileToken token = tokens[(seed >> 8) % tokens.length];
        uint256 before = token.balanceOf(account);
        vm.prank(account);
        (bool success, ) = address(escrow).call(abi.encodeCall(escrow.claimCredit, (address(token))));
        _count(escrow.claimCredit.selector, success);
        if (success) credits[address(token)] -= token.balanceOf(account) - before;
    }

    /// @dev Tokens sent without an order stay in the escrow and belong to no one.
    function donate(uint256 seed, uint40 amount) external {
        HostileToken token = tokens[seed % tokens.length];
        token.setBalance(address(escrow), token.balanceOf(address(escrow)) + amount);
        donations[address(token)] += amount;
    }

    function block_(uint256 seed) external {
        HostileToken token = tokens[(seed >> 8) % tokens.length];
        address account = (seed >> 16) % 8 == 0 ? offRamp : _person(seed);
        token.setBlocked(account, !token.blocked(account));
    }

    /// @dev Lists the token in three of four calls and delists it in the fourth; otherwise no order could be funded for
    /// most of a run.
    function list(uint256 seed) external {
        vm.prank(owner);
        escrow.setTokenListed(address(tokens[(seed >> 8) % tokens.length]), seed % 4 != 0);
    }

    function pass(uint40 time) external {
        vm.warp(block.timestamp + bound(time, 1 hours, 10 days));
    }

    /// @dev Returns the amount that is neither released nor refunded.
    function _rest(Ledger.Entry memory entry) private pure returns (uint256) {
        return entry.terms.amount - entry.released - entry.refunded;
    }

    function _oracleKey(uint256 seed) private view returns (uint256) {
        return seed & 0x30000 == 0 ? _keys[_person(seed)] : ORACLE_KEY;
    }

    function _pick(uint256 seed) private view returns (uint256 index, Ledger.Entry memory entry) {
        index = (seed >> 128) % _entries.length;
        entry = _entries[index];
    }

    /// @dev Makes one call on one order and measures the transfer by the balances of the escrow and the recipient.
    function _call(uint256 index, Ledger.Entry memory entry, address caller, bytes memory data) private {
        bool toPayee = bytes4(data) == escrow.withdraw.selector;
        Balances memory before = _balances(entry, toPayee);
        uint256 released = _entries[index].released;
        vm.prank(caller);
        (bool success, ) = address(escrow).call(data);
        _count(bytes4(data), success);
        if (!success) return;
        Balances memory afterwards = _balances(entry, toPayee);
        IDeliveryVsPayment.Order memory order = _order(entry.terms);
        assertTrue(order.released >= released, "released grows");
        _entries[index].released = order.released;
        if (afterwards.credit != before.credit) _noteRefunded(index, afterwards.credit - before.credit, true);
        uint256 left = before.escrow - afterwards.escrow;
        if (toPayee) _noteWithdrawn(index, left);
        else if (left != 0) _noteRefunded(index, left, false);
        assertEq(afterwards.receiver - before.receiver, left, "went where it may");
        _noteStatus(index, order);
        _compare(index, order);
    }

    /// @notice Compares every order with the ledger, and checks for each token that the escrow holds exactly what it
    /// owes plus the donations.
    function compareAll() external view {
        for (uint256 i = 0; i < _entries.length; i++) _compare(i, _order(_entries[i].terms));
        for (uint256 t = 0; t < tokens.length; t++) {
            address token = address(tokens[t]);
            uint256 expected = owed[token] + credits[token] + donations[token];
            assertEq(tokens[t].balanceOf(address(escrow)), expected, "solvent, and no surplus");
        }
    }

    /// @dev Checks that unreleased + released + refunded = funded, that settled + withdrawn = disbursed <= released,
    /// and that payer, withdrawal and status match the ledger. Together, these checks detect every unexpected change of
    /// an order.
    function _compare(uint256 index, IDeliveryVsPayment.Order memory order) private view {
        Ledger.Entry storage entry = _entries[index];
        uint256 amount = entry.terms.amount;
        uint256 status = uint256(order.status);
        assertEq(order.released, entry.released, "released");
        assertEq(order.disbursed, entry.settled + entry.withdrawn, "disbursed");
        assertTrue(order.disbursed <= order.released, "disbursed <= released");
        bool over = status == 3 || status == 4 || status == 5;
        uint256 unreleased = over ? 0 : amount - order.released - order.refunded;
        assertEq(unreleased + order.released + entry.refunded, amount, "funded");
        assertEq(order.refunded, entry.refunded, "refunded");
        if (!over) assertTrue(unreleased != 0, "open orders have something to release");
        if (status == 4) assertEq(order.disbursed, order.released, "completed is disbursed");
        assertEq(order.payer, entry.payer, "payer");
        assertTrue((entry.withdrawn != 0) == order.withdrawn, "withdrawn");
        assertEq(status, entry.lastStatus, "status");
    }

    function _balances(Ledger.Entry memory entry, bool toPayee) private view returns (Balances memory) {
        HostileToken token = HostileToken(entry.terms.token);
        return
            Balances({
                credit: escrow.creditOf(entry.payer, address(token)),
                receiver: token.balanceOf(toPayee ? entry.terms.payee : entry.payer),
                escrow: token.balanceOf(address(escrow))
            });
    }

    /// @dev Checks that a terminal status does not change and that a released order can only become Completed.
    function _noteStatus(uint256 index, IDeliveryVsPayment.Order memory order) private {
        uint8 last = _entries[index].lastStatus;
        uint8 status = uint8(order.status);
        if (last == 4 || last == 5) assertEq(status, last, "terminal states stay");
        if (last == 3) assertTrue(status == 3 || status == 4, "released stays released");
        _entries[index].lastStatus = status;
    }

    function _offRampBalances() private view returns (uint256 sum) {
        for (uint256 i = 0; i < tokens.length; i++) sum += tokens[i].balanceOf(offRamp);
    }
}
