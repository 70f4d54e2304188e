// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";
import {EscrowTest} from "./support/EscrowTest.sol";

/// @title Every cell of the README's matrix: release type × oracle × state × time × operation × caller.
/// @dev `allowed` says the matrix in a form of its own. Each cell is tried on the contract and must agree.
contract MatrixTest is EscrowTest {
    enum State {
        Created,
        Shipped,
        DeliveredUnproven,
        DeliveredProven,
        Awaiting,
        Completed,
        Cancelled,
        DisputedUnproven,
        DisputedProven
    }

    /// @dev EARLY: the lock holds. UNLOCKED: the lock has expired. LATE: every deadline has passed.
    enum Time {
        EARLY,
        UNLOCKED,
        LATE
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
        DISPUTE_FOR_PAYER,
        DISPUTE_FOR_PAYEE,
        RESOLVE,
        RESOLVE_EXPIRED
    }

    error Cell(
        IDeliveryVsPayment.ReleaseType releaseType,
        bool oracle,
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
        _tryAll(IDeliveryVsPayment.ReleaseType.DELIVERY_PROOF, false);
    }

    function test_deliveryProofWithOracle() public {
        _tryAll(IDeliveryVsPayment.ReleaseType.DELIVERY_PROOF, true);
    }

    function test_timeLockedWithoutOracle() public {
        _tryAll(IDeliveryVsPayment.ReleaseType.TIME_LOCKED, false);
    }

    function test_timeLockedWithOracle() public {
        _tryAll(IDeliveryVsPayment.ReleaseType.TIME_LOCKED, true);
    }

    function test_milestoneLockedWithoutOracle() public {
        _tryAll(IDeliveryVsPayment.ReleaseType.MILESTONE_LOCKED, false);
    }

    function test_milestoneLockedWithOracle() public {
        _tryAll(IDeliveryVsPayment.ReleaseType.MILESTONE_LOCKED, true);
    }

    function test_autoReleaseWithoutOracle() public {
        _tryAll(IDeliveryVsPayment.ReleaseType.AUTO_RELEASE, false);
    }

    function test_autoReleaseWithOracle() public {
        _tryAll(IDeliveryVsPayment.ReleaseType.AUTO_RELEASE, true);
    }

    function test_immediateWithoutOracle() public {
        _tryAll(IDeliveryVsPayment.ReleaseType.IMMEDIATE, false);
    }

    function test_immediateWithOracle() public {
        _tryAll(IDeliveryVsPayment.ReleaseType.IMMEDIATE, true);
    }

    function _tryAll(IDeliveryVsPayment.ReleaseType releaseType, bool withOracle) private {
        uint256 blank = vm.snapshotState();
        for (uint256 s = 0; s <= uint256(State.DisputedProven); s++) {
            State state = State(s);
            if (!_reachable(releaseType, withOracle, state)) continue;
            for (uint256 t = 0; t <= uint256(Time.LATE); t++) {
                IDeliveryVsPayment.Terms memory terms = _orderIn(releaseType, withOracle, state);
                Time time = Time(t);
                if (time == Time.UNLOCKED) vm.warp(START + 5 days);
                if (time == Time.LATE) vm.warp(START + PERIOD + WINDOW + 1);
                _tryOperations(terms, state, time);
                vm.revertToState(blank);
                blank = vm.snapshotState();
            }
        }
    }

    function _tryOperations(IDeliveryVsPayment.Terms memory terms, State state, Time time) private {
        uint256 before = vm.snapshotState();
        for (uint256 o = 0; o <= uint256(Operation.RESOLVE_EXPIRED); o++) {
            for (uint256 c = 0; c < _callers.length; c++) {
                Operation operation = Operation(o);
                bool expected = _allowed(terms, state, time, operation, _callers[c]);
                vm.prank(_callers[c]);
                (bool done, ) = address(escrow).call(_calldata(terms, operation));
                // settle reports instead of refusing: it was done if something left.
                if (operation == Operation.SETTLE) done = token.balanceOf(offRamp) > AMOUNT;
                if (done != expected) {
                    revert Cell(
                        terms.releaseType,
                        terms.deliveryOracle != address(0),
                        state,
                        time,
                        operation,
                        _callers[c],
                        expected
                    );
                }
                if (done) {
                    vm.revertToState(before);
                    before = vm.snapshotState();
                }
            }
        }
    }

    /// @dev The matrix.
    function _allowed(
        IDeliveryVsPayment.Terms memory terms,
        State state,
        Time time,
        Operation operation,
        address caller
    ) private view returns (bool) {
        bool open = state <= State.DeliveredProven;
        bool disputed = state >= State.DisputedUnproven;
        bool proven = state == State.DeliveredProven || state == State.DisputedProven;
        bool locked = terms.releaseType == IDeliveryVsPayment.ReleaseType.TIME_LOCKED;
        // The payee's, though nobody has released it yet.
        bool unlocked = locked && state != State.Created && time != Time.EARLY;
        bool oracleSet = terms.deliveryOracle != address(0);
        if (operation == Operation.CREATE) return false;
        if (operation == Operation.SHIP) {
            return state == State.Created && time != Time.LATE && (caller == payee || caller == operator);
        }
        if (operation == Operation.PROVE) {
            if (time == Time.LATE || proven || !(open || disputed)) return false;
            return oracleSet ? caller == oracle : (caller == payee || caller == operator);
        }
        if (operation == Operation.RELEASE) {
            if (caller == payer) return open || disputed;
            bool byProof = terms.releaseType == IDeliveryVsPayment.ReleaseType.DELIVERY_PROOF;
            return caller == operator && byProof && state == State.DeliveredProven;
        }
        if (operation == Operation.RELEASE_TIME_LOCKED) {
            return open && unlocked;
        }
        if (operation == Operation.RELEASE_MILESTONE) {
            if (terms.releaseType != IDeliveryVsPayment.ReleaseType.MILESTONE_LOCKED || !open) return false;
            if (caller == payer) return true;
            return oracleSet && caller == oracle && (time != Time.LATE || proven);
        }
        if (operation == Operation.SETTLE) return caller == operator && state == State.Awaiting;
        if (operation == Operation.WITHDRAW) return caller == payee && state == State.Awaiting;
        if (operation == Operation.REFUND) {
            if (caller == payee) return open || disputed;
            return caller == operator && open && !proven && !unlocked;
        }
        if (operation == Operation.RECLAIM) {
            return caller == payer && open && !proven && time == Time.LATE && !unlocked;
        }
        if (operation == Operation.DISPUTE_FOR_PAYER || operation == Operation.DISPUTE_FOR_PAYEE) {
            address party = operation == Operation.DISPUTE_FOR_PAYER ? payer : payee;
            return open && !unlocked && (caller == party || caller == operator);
        }
        if (operation == Operation.RESOLVE) return disputed && caller == arbiter && time != Time.LATE;
        return disputed && time == Time.LATE;
    }

    function _calldata(IDeliveryVsPayment.Terms memory terms, Operation operation) private view returns (bytes memory) {
        if (operation == Operation.CREATE) return abi.encodeCall(escrow.createOrder, (terms));
        if (operation == Operation.SHIP) return abi.encodeCall(escrow.markShipped, (terms));
        if (operation == Operation.PROVE) return abi.encodeCall(escrow.submitDeliveryProof, (terms, PROOF, URI));
        if (operation == Operation.RELEASE) return abi.encodeCall(escrow.release, (terms));
        if (operation == Operation.RELEASE_TIME_LOCKED) return abi.encodeCall(escrow.releaseTimeLocked, (terms));
        if (operation == Operation.RELEASE_MILESTONE) return abi.encodeCall(escrow.releaseMilestone, (terms, 0, 1));
        if (operation == Operation.SETTLE) {
            IDeliveryVsPayment.Terms[] memory orders = new IDeliveryVsPayment.Terms[](1);
            orders[0] = terms;
            return abi.encodeCall(escrow.settle, (orders));
        }
        if (operation == Operation.WITHDRAW) return abi.encodeCall(escrow.withdraw, (terms));
        if (operation == Operation.REFUND) return abi.encodeCall(escrow.refund, (terms));
        if (operation == Operation.RECLAIM) return abi.encodeCall(escrow.reclaim, (terms));
        if (operation == Operation.DISPUTE_FOR_PAYER) {
            return abi.encodeCall(escrow.raiseDispute, (terms, payer, WINDOW, ""));
        }
        if (operation == Operation.DISPUTE_FOR_PAYEE) {
            return abi.encodeCall(escrow.raiseDispute, (terms, payee, WINDOW, ""));
        }
        if (operation == Operation.RESOLVE) return abi.encodeCall(escrow.resolveDispute, (terms, 1));
        return abi.encodeCall(escrow.resolveExpiredDispute, (terms));
    }

    function _reachable(
        IDeliveryVsPayment.ReleaseType releaseType,
        bool withOracle,
        State state
    ) private pure returns (bool) {
        if (releaseType == IDeliveryVsPayment.ReleaseType.IMMEDIATE) {
            return state == State.Awaiting || state == State.Completed;
        }
        // An oracle's proof is always valid, and a valid proof releases an AUTO_RELEASE order at once, unless it is
        // disputed; and then only an oracle's is valid.
        if (state == State.DeliveredUnproven) return !withOracle;
        if (releaseType != IDeliveryVsPayment.ReleaseType.AUTO_RELEASE) return true;
        if (state == State.DeliveredProven) return false;
        return state != State.DisputedProven || withOracle;
    }

    function _orderIn(
        IDeliveryVsPayment.ReleaseType releaseType,
        bool withOracle,
        State state
    ) private returns (IDeliveryVsPayment.Terms memory terms) {
        terms = newTerms(releaseType);
        if (withOracle) terms.deliveryOracle = oracle;
        else terms.expectedDeliveryHash = PROOF;
        fund(terms);
        bool immediate = releaseType == IDeliveryVsPayment.ReleaseType.IMMEDIATE;
        if (state == State.Shipped) ship(terms);
        if (state == State.DeliveredUnproven) prove(terms, bytes32("junk"));
        if (state == State.DeliveredProven) prove(terms, PROOF);
        if ((state == State.Awaiting || state == State.Completed) && !immediate) release(terms);
        if (state == State.Completed) withdraw(terms);
        if (state == State.Cancelled) {
            vm.prank(payee);
            escrow.refund(terms);
        }
        if (state == State.DisputedUnproven) dispute(terms);
        if (state == State.DisputedProven) {
            if (!withOracle) prove(terms, PROOF);
            dispute(terms);
            if (withOracle) prove(terms, PROOF);
        }
    }
}
