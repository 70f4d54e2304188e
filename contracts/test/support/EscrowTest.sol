// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../../IDeliveryVsPayment.sol";
import {Asserts} from "./Asserts.sol";
import {Deploying, IEscrow} from "./Deploying.sol";
import {Grouping} from "./Grouping.sol";
import {PlainToken} from "./PlainToken.sol";
import {Signing} from "./Signing.sol";
import {Vm} from "./Vm.sol";

/// @title Fixture with one escrow, one plain token and one account per role, and helpers to bring an order into any
/// state.
abstract contract EscrowTest is Asserts, Deploying, Grouping, Signing {
    uint256 internal constant PAYER_KEY = 0xA11CE;
    uint256 internal constant PAYEE_KEY = 0xB0B;
    uint256 internal constant ORACLE_KEY = 0x0AC1E;
    uint120 internal constant AMOUNT = 123_456_789;
    uint40 internal constant START = 1_800_000_000;
    uint40 internal constant PERIOD = 30 days;
    uint40 internal constant WINDOW = 7 days;
    /// @dev The dispute window of the terms: the minimum length of a dispute, and the minimum time that remains after
    /// it.
    uint40 internal constant LEAST_WINDOW = 1 days;
    bytes32 internal constant PROOF = keccak256("proof");
    string internal constant URI = "ipfs://proof";

    address internal payer = vm.addr(PAYER_KEY);
    address internal payee = vm.addr(PAYEE_KEY);
    address internal oracle = vm.addr(ORACLE_KEY);
    address internal operator = address(0x0901);
    address internal arbiter = address(0x0902);
    address internal offRamp = address(0x0903);
    address internal owner = address(0x0904);
    address internal stranger = address(0x0905);

    IEscrow internal escrow;
    PlainToken internal token;
    uint256 private _salt;

    function setUp() public virtual {
        vm.warp(START);
        escrow = deployEscrow(owner, address(0x22D4));
        token = new PlainToken();
        vm.prank(owner);
        escrow.setTokenListed(address(token), true);
        token.mint(payer, 1e30);
        vm.prank(payer);
        token.approve(address(escrow), type(uint256).max);
    }

    /// @dev Returns new terms without an oracle, an expected hash or automatic release.
    function newTerms(IDeliveryVsPayment.ReleaseType releaseType) internal returns (IDeliveryVsPayment.Terms memory) {
        return
            IDeliveryVsPayment.Terms({
                salt: bytes32(++_salt),
                operator: operator,
                arbiter: arbiter,
                deliveryOracle: address(0),
                payee: payee,
                payer: address(0),
                offRamp: offRamp,
                token: address(token),
                amount: AMOUNT,
                fundingDeadline: START + 365 days,
                deliveryPeriod: PERIOD,
                disputeWindow: LEAST_WINDOW,
                timeLockUntil: releaseType == IDeliveryVsPayment.ReleaseType.TIME_LOCKED ? START + 5 days : 0,
                releaseType: releaseType,
                autoReleaseOnProof: false,
                expectedDeliveryHash: bytes32(0)
            });
    }

    function newTerms() internal returns (IDeliveryVsPayment.Terms memory) {
        return newTerms(IDeliveryVsPayment.ReleaseType.DELIVERY_PROOF);
    }

    function milestoneTerms() internal returns (IDeliveryVsPayment.Terms memory) {
        return newTerms(IDeliveryVsPayment.ReleaseType.MILESTONE_LOCKED);
    }

    function timeLockTerms() internal returns (IDeliveryVsPayment.Terms memory) {
        return newTerms(IDeliveryVsPayment.ReleaseType.TIME_LOCKED);
    }

    function fund(IDeliveryVsPayment.Terms memory terms) internal returns (bytes32 orderId) {
        vm.prank(payer);
        return escrow.createOrder(terms);
    }

    function funded() internal returns (IDeliveryVsPayment.Terms memory terms) {
        terms = newTerms();
        fund(terms);
    }

    function ship(IDeliveryVsPayment.Terms memory terms) internal {
        vm.prank(payee);
        escrow.markShipped(terms);
    }

    /// @dev Submits the proof as the oracle or, if the terms name none, as the payee.
    function prove(IDeliveryVsPayment.Terms memory terms, bytes32 proofHash) internal {
        vm.prank(terms.deliveryOracle == address(0) ? terms.payee : terms.deliveryOracle);
        escrow.submitDeliveryProof(terms, proofHash, URI);
    }

    function release(IDeliveryVsPayment.Terms memory terms) internal {
        vm.prank(payer);
        escrow.release(terms);
    }

    /// @dev Releases milestones up to `total` as the payer.
    function releaseUpTo(IDeliveryVsPayment.Terms memory terms, uint256 total) internal {
        vm.prank(payer);
        escrow.releaseMilestone(terms, total);
    }

    /// @dev Raises a dispute as the payer.
    function dispute(IDeliveryVsPayment.Terms memory terms) internal {
        disputeBy(payer, terms);
    }

    function disputeBy(address caller, IDeliveryVsPayment.Terms memory terms) internal {
        vm.prank(caller);
        escrow.raiseDispute(terms, WINDOW, "not delivered");
    }

    /// @dev Resolves the dispute one second after its deadline. Any account can do so.
    function expireDispute(IDeliveryVsPayment.Terms memory terms) internal {
        vm.warp(uint256(order(terms).disputeDeadline) + 1);
        escrow.resolveExpiredDispute(terms);
    }

    function refundBy(address caller, IDeliveryVsPayment.Terms memory terms, uint256 amount) internal {
        vm.prank(caller);
        escrow.refund(terms, amount);
    }

    function reclaim(IDeliveryVsPayment.Terms memory terms) internal {
        vm.prank(payer);
        escrow.reclaim(terms);
    }

    function settle(IDeliveryVsPayment.Terms memory terms) internal {
        IDeliveryVsPayment.Terms[] memory orders = new IDeliveryVsPayment.Terms[](1);
        orders[0] = terms;
        vm.prank(operator);
        escrow.settle(grouped(orders));
    }

    function withdraw(IDeliveryVsPayment.Terms memory terms) internal {
        vm.prank(payee);
        escrow.withdraw(terms);
    }

    function order(IDeliveryVsPayment.Terms memory terms) internal view returns (IDeliveryVsPayment.Order memory) {
        return escrow.getOrder(terms);
    }

    function assertStatus(IDeliveryVsPayment.Terms memory terms, IDeliveryVsPayment.Status expected) internal view {
        assertEq(uint256(escrow.getOrder(terms).status), uint256(expected), "status");
    }

    function assertAmounts(IDeliveryVsPayment.Terms memory terms, uint256 released, uint256 disbursed) internal view {
        IDeliveryVsPayment.Order memory o = escrow.getOrder(terms);
        assertEq(o.released, released, "released");
        assertEq(o.disbursed, disbursed, "disbursed");
    }

    function escrowed() internal view returns (uint256) {
        return token.balanceOf(address(escrow));
    }

    /// @dev Expects the next call to revert because of the order's status.
    function expectStatusRefusal(
        IDeliveryVsPayment.Terms memory terms,
        IDeliveryVsPayment.Status status,
        uint256 allowed
    ) internal {
        vm.expectRevert(
            abi.encodeWithSelector(
                IDeliveryVsPayment.StatusNotAllowed.selector,
                escrow.orderIdOf(terms),
                status,
                allowed
            )
        );
    }

    function expectCallerRefusal(address caller, address allowed, address alsoAllowed) internal {
        vm.expectRevert(
            abi.encodeWithSelector(IDeliveryVsPayment.CallerNotAllowed.selector, caller, allowed, alsoAllowed)
        );
    }

    function expectTimeRefusal(uint256 timestamp, uint256 earliest, uint256 latest) internal {
        vm.expectRevert(abi.encodeWithSelector(IDeliveryVsPayment.OutsideTime.selector, timestamp, earliest, latest));
    }

    function expectRangeRefusal(bytes32 field, uint256 value, uint256 least, uint256 most) internal {
        vm.expectRevert(abi.encodeWithSelector(IDeliveryVsPayment.OutOfRange.selector, field, value, least, most));
    }

    /// @dev Returns the number of events that the escrow has emitted since `vm.recordLogs`.
    function countEvents() internal returns (uint256 own) {
        Vm.Log[] memory logs = vm.getRecordedLogs();
        for (uint256 i = 0; i < logs.length; i++) if (logs[i].emitter == address(escrow)) own++;
    }
}
