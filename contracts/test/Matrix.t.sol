// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";
import {EscrowTest} from "./support/EscrowTest.sol";

/// @title Every cell of the README's matrix: release type × oracle × state × time × operation × caller.
/// @dev `_allowed` implements the matrix independently. The tests try each cell on the contract, and the results must
/// agree.
contract MatrixTest is EscrowTest {
    /// @dev Window of the disputes: a merchant's dispute must end before the lock expires.
    uint40 private constant SHORT = 2 days;

    enum State {
        Created,
        Shipped,
        DeliveredUnproven,
        DeliveredProven,
        Awaiting,
        Completed,
        Cancelled,
        PayersDispute,
        PayersDisputeProven,
        MerchantsDispute,
        MerchantsDisputeProven
    }

    /// @dev EARLY: the lock has not expired. UNLOCKED: the lock has expired and a dispute's window is over. LATE: every
    /// deadline has passed.
    enum Time {
        EARLY,
        UNLOCKED,
        LATE
    }

    enum Oracle {
        NONE,
        INDEPENDENT,
        PAYEE
    }

    enum Operation {
        CREATE,
        SHIP,
        PROVE,
        RELEASE,
        RELEASE_TIME_LOCKED,
        RELEASE_MILESTONE,
        SETTLE,
        WITHDRAW,
        REFUND,
        RECLAIM,
        DISPUTE,
        DISPUTE_SIGNED,
        RESOLVE,
        RESOLVE_EXPIRED
    }

    /// @dev The conditions that determine the cells of the matrix.
    struct Cells {
        bool open;
        bool disputed;
        bool proven;
        bool late;
        bool disputeOver;
        bool independent;
        bool merchant; // the caller is the payee or the operator
        bool locked; // TIME_LOCKED
        bool milestones; // MILESTONE_LOCKED
        bool unlocked; // shipped with an expired lock: vested in the payee, though not yet released
        bool payeesRelease;
        bool payersReclaim;
    }

    error Cell(
        IDeliveryVsPayment.ReleaseType releaseType,
        Oracle oracle,
        State state,
        Time time,
        Operation operation,
        address caller,
        bool expected
    );

    address[] private _callers;
    uint256 public cells;

    function setUp() public override {
        super.setUp();
        _callers = [payer, payee, operator, oracle, arbiter, offRamp, owner, stranger];
        for (uint256 i = 0; i < _callers.length; i++) {
            token.mint(_callers[i], AMOUNT);
            vm.prank(_callers[i]);
            token.approve(address(escrow), type(uint256).max);
        }
    }

    function test_deliveryProofWithoutOracle() public {
        _tryAll(IDeliveryVsPayment.ReleaseType.DELIVERY_PROOF, Oracle.NONE);
    }

    function test_deliveryProofWithOracle() public {
        _tryAll(IDeliveryVsPayment.ReleaseType.DELIVERY_PROOF, Oracle.INDEPENDENT);
    }

    function test_deliveryProofWithThePayeeAsOracle() public {
        _tryAll(IDeliveryVsPayment.ReleaseType.DELIVERY_PROOF, Oracle.PAYEE);
    }

    function test_timeLockedWithoutOracle() public {
        _tryAll(IDeliveryVsPayment.ReleaseType.TIME_LOCKED, Oracle.NONE);
    }

    function test_timeLockedWithOracle() public {
        _tryAll(IDeliveryVsPayment.ReleaseType.TIME_LOCKED, Oracle.INDEPENDENT);
    }

    function test_timeLockedWithThePayeeAsOracle() public {
        _tryAll(IDeliveryVsPayment.ReleaseType.TIME_LOCKED, Oracle.PAYEE);
    }

    function test_milestoneLockedWithoutOracle() public {
        _tryAll(IDeliveryVsPayment.ReleaseType.MILESTONE_LOCKED, Oracle.NONE);
    }

    function test_milestoneLockedWithOracle() public {
        _tryAll(IDeliveryVsPayment.ReleaseType.MILESTONE_LOCKED, Oracle.INDEPENDENT);
    }

    function test_milestoneLockedWithThePayeeAsOracle() public {
        _tryAll(IDeliveryVsPayment.ReleaseType.MILESTONE_LOCKED, Oracle.PAYEE);
    }

    function test_autoReleaseWithoutOracle() public {
        _tryAll(IDeliveryVsPayment.ReleaseType.AUTO_RELEASE, Oracle.NONE);
    }

    function test_autoReleaseWithOracle() public {
        _tryAll(IDeliveryVsPayment.ReleaseType.AUTO_RELEASE, Oracle.INDEPENDENT);
    }

    function test_autoReleaseWithThePayeeAsOracle() public {
        _tryAll(IDeliveryVsPayment.ReleaseType.AUTO_RELEASE, Oracle.PAYEE);
    }

    function test_immediateWithoutOracle() public {
        _tryAll(IDeliveryVsPayment.ReleaseType.IMMEDIATE, Oracle.NONE);
    }

    function test_immediateWithOracle() public {
        _tryAll(IDeliveryVsPayment.ReleaseType.IMMEDIATE, Oracle.INDEPENDENT);
    }

    function test_immediateWithThePayeeAsOracle() public {
        _tryAll(IDeliveryVsPayment.ReleaseType.IMMEDIATE, Oracle.PAYEE);
    }

    function _tryAll(IDeliveryVsPayment.ReleaseType releaseType, Oracle kind) private {
        uint256 blank = vm.snapshotState();
        for (uint256 s = 0; s <= uint256(State.MerchantsDisputeProven); s++) {
            State state = State(s);
            if (!_reachable(releaseType, kind, state)) continue;
            for (uint256 t = 0; t <= uint256(Time.LATE); t++) {
                IDeliveryVsPayment.Terms memory terms = _orderIn(releaseType, kind, state);
                Time time = Time(t);
                if (time == Time.UNLOCKED) vm.warp(START + 5 days);
                if (time == Time.LATE) vm.warp(START + PERIOD + WINDOW + LEAST_WINDOW + 1);
                _tryOperations(terms, kind, state, time);
                vm.revertToState(blank);
                blank = vm.snapshotState();
            }
        }
    }

    function _tryOperations(IDeliveryVsPayment.Terms memory terms, Oracle kind, State state, Time time) private {
        uint256 before = vm.snapshotState();
        for (uint256 o = 0; o <= uint256(Operation.RESOLVE_EXPIRED); o++) {
            for (uint256 c = 0; c < _callers.length; c++) {
                Operation operation = Operation(o);
                bool expected = _allowed(terms, kind, state, time, operation, _callers[c]);
                bytes memory data = _calldata(terms, operation);
                vm.prank(_callers[c]);
                (bool done, ) = address(escrow).call(data);
                // `settle` reports skipped orders instead of reverting, so a call counts as successful if funds left
                // the escrow.
                if (operation == Operation.SETTLE) done = token.balanceOf(offRamp) > AMOUNT;
                if (done != expected) {
                    revert Cell(terms.releaseType, kind, state, time, operation, _callers[c], expected);
                }
                if (done) {
                    vm.revertToState(before);
                    before = vm.snapshotState();
                }
            }
        }
    }

    /// @dev Implements the matrix in contracts/README.md.
    function _allowed(
        IDeliveryVsPayment.Terms memory terms,
        Oracle kind,
        State state,
        Time time,
        Operation operation,
        address caller
    ) private view returns (bool) {
        Cells memory c = _situation(terms.releaseType, kind, state, time);
        c.merchant = caller == payee || caller == operator;
        if (operation == Operation.CREATE) return false;
        if (operation == Operation.SHIP) {
            if (state != State.Created || c.late) return false;
            return c.independent ? caller == oracle : c.merchant;
        }
        if (operation == Operation.PROVE) {
            if (c.proven) return false;
            bool inTime = (c.open && !c.late) || (c.disputed && !c.disputeOver);
            if (c.independent) return caller == oracle && inTime;
            return c.open && inTime && (kind == Oracle.PAYEE ? caller == payee : c.merchant);
        }
        if (operation == Operation.RELEASE) {
            if (caller == payer) return c.open || c.disputed;
            if (caller == payee) return c.payeesRelease;
            return caller == operator && c.open && c.proven && !c.locked && !c.milestones;
        }
        if (operation == Operation.RELEASE_TIME_LOCKED) return c.unlocked;
        if (operation == Operation.RELEASE_MILESTONE) {
            if (!c.milestones || !c.open) return false;
            return caller == payer || (c.independent && caller == oracle && !c.late);
        }
        if (operation == Operation.SETTLE) return caller == operator && state == State.Awaiting;
        if (operation == Operation.WITHDRAW) return caller == payee && state == State.Awaiting;
        if (operation == Operation.REFUND) {
            if (caller == payee) return c.open || c.disputed;
            return caller == operator && c.open && !c.proven && !c.unlocked;
        }
        if (operation == Operation.RECLAIM) return caller == payer && c.payersReclaim;
        if (operation == Operation.DISPUTE || operation == Operation.DISPUTE_SIGNED) {
            if (!c.open || c.unlocked || c.payeesRelease || c.payersReclaim) return false;
            if (operation == Operation.DISPUTE_SIGNED) return caller == operator;
            return caller == payer || c.merchant;
        }
        if (operation == Operation.RESOLVE) return c.disputed && caller == arbiter && !c.disputeOver;
        return c.disputed && c.disputeOver;
    }

    function _situation(
        IDeliveryVsPayment.ReleaseType releaseType,
        Oracle kind,
        State state,
        Time time
    ) private pure returns (Cells memory c) {
        c.open = state <= State.DeliveredProven;
        c.disputed = state >= State.PayersDispute;
        c.proven = _isProven(state);
        c.late = time == Time.LATE;
        c.disputeOver = time != Time.EARLY;
        c.independent = kind == Oracle.INDEPENDENT;
        c.locked = releaseType == IDeliveryVsPayment.ReleaseType.TIME_LOCKED;
        c.milestones = releaseType == IDeliveryVsPayment.ReleaseType.MILESTONE_LOCKED;
        c.unlocked = c.locked && c.open && state != State.Created && time != Time.EARLY;
        c.payeesRelease = c.open && c.proven && !c.locked && (c.milestones || c.late);
        c.payersReclaim = c.open && !c.proven && c.late && !c.unlocked;
    }

    function _isProven(State state) private pure returns (bool) {
        if (state == State.DeliveredProven || state == State.PayersDisputeProven) return true;
        return state == State.MerchantsDisputeProven;
    }

    function _calldata(IDeliveryVsPayment.Terms memory terms, Operation operation) private view returns (bytes memory) {
        if (operation == Operation.CREATE) return abi.encodeCall(escrow.createOrder, (terms));
        if (operation == Operation.SHIP) return abi.encodeCall(escrow.markShipped, (terms));
        if (operation == Operation.PROVE) return abi.encodeCall(escrow.submitDeliveryProof, (terms, PROOF, URI));
        if (operation == Operation.RELEASE) return abi.encodeCall(escrow.release, (terms));
        if (operation == Operation.RELEASE_TIME_LOCKED) return abi.encodeCall(escrow.releaseTimeLocked, (terms));
        if (operation == Operation.RELEASE_MILESTONE) return abi.encodeCall(escrow.releaseMilestone, (terms, 1));
        if (operation == Operation.SETTLE) {
            IDeliveryVsPayment.Terms[] memory orders = new IDeliveryVsPayment.Terms[](1);
            orders[0] = terms;
            return abi.encodeCall(escrow.settle, (grouped(orders)));
        }
        if (operation == Operation.WITHDRAW) return abi.encodeCall(escrow.withdraw, (terms));
        if (operation == Operation.REFUND) return abi.encodeCall(escrow.refund, (terms, AMOUNT));
        if (operation == Operation.RECLAIM) return abi.encodeCall(escrow.reclaim, (terms));
        if (operation == Operation.DISPUTE) return abi.encodeCall(escrow.raiseDispute, (terms, SHORT, ""));
        if (operation == Operation.DISPUTE_SIGNED) {
            bytes memory signature = sign(PAYER_KEY, disputeDigest(escrow, terms, SHORT, "", type(uint256).max));
            return abi.encodeCall(escrow.raiseDisputeFor, (terms, SHORT, "", type(uint256).max, signature));
        }
        if (operation == Operation.RESOLVE) return abi.encodeCall(escrow.resolveDispute, (terms, 1));
        return abi.encodeCall(escrow.resolveExpiredDispute, (terms));
    }

    function _reachable(
        IDeliveryVsPayment.ReleaseType releaseType,
        Oracle kind,
        State state
    ) private pure returns (bool) {
        if (releaseType == IDeliveryVsPayment.ReleaseType.IMMEDIATE) {
            return state == State.Awaiting || state == State.Completed;
        }
        // An independent oracle's proof always makes the order proven. Any other proof is only evidence on TIME_LOCKED
        // and MILESTONE_LOCKED, releases an AUTO_RELEASE order immediately, and is rejected in a dispute.
        if (kind == Oracle.INDEPENDENT) {
            if (state == State.DeliveredUnproven) return false;
            bool released = releaseType == IDeliveryVsPayment.ReleaseType.AUTO_RELEASE;
            return !(released && state == State.DeliveredProven);
        }
        if (!_isProven(state)) return true;
        return releaseType == IDeliveryVsPayment.ReleaseType.DELIVERY_PROOF;
    }

    function _orderIn(
        IDeliveryVsPayment.ReleaseType releaseType,
        Oracle kind,
        State state
    ) private returns (IDeliveryVsPayment.Terms memory terms) {
        terms = newTerms(releaseType);
        if (kind != Oracle.NONE) terms.deliveryOracle = kind == Oracle.PAYEE ? payee : oracle;
        if (kind != Oracle.INDEPENDENT) terms.expectedDeliveryHash = PROOF;
        fund(terms);
        bool immediate = releaseType == IDeliveryVsPayment.ReleaseType.IMMEDIATE;
        if (state == State.Shipped) {
            vm.prank(kind == Oracle.INDEPENDENT ? oracle : payee);
            escrow.markShipped(terms);
        }
        if (state == State.DeliveredUnproven) prove(terms, bytes32("junk"));
        if (state == State.DeliveredProven) prove(terms, PROOF);
        if ((state == State.Awaiting || state == State.Completed) && !immediate) release(terms);
        if (state == State.Completed) withdraw(terms);
        if (state == State.Cancelled) refundBy(payee, terms, AMOUNT);
        if (state >= State.PayersDispute) _disputed(terms, kind, state);
    }

    /// @dev The merchant submits its proof before the dispute, an independent oracle during the dispute.
    function _disputed(IDeliveryVsPayment.Terms memory terms, Oracle kind, State state) private {
        bool proven = _isProven(state);
        if (proven && kind != Oracle.INDEPENDENT) prove(terms, PROOF);
        vm.prank(state < State.MerchantsDispute ? payer : payee);
        escrow.raiseDispute(terms, SHORT, "");
        if (proven && kind == Oracle.INDEPENDENT) prove(terms, PROOF);
    }
}
