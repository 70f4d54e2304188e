// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../../IDeliveryVsPayment.sol";
import {IPermit2} from "../../interfaces/IPermit2.sol";
import {IEscrow} from "../support/Deploying.sol";
import {HostileToken} from "../support/mocks/HostileToken.sol";
import {Permit2Double} from "../support/mocks/Permit2Double.sol";
import {World} from "./World.sol";

/// @title The five ways to fund an order. Each must succeed if and only if the plan expects it.
abstract contract Funder is World {
    /// @dev A new order that `_plan` derives from a seed.
    struct Plan {
        IDeliveryVsPayment.Terms terms;
        address payer;
        address caller;
        uint256 signer;
        bool expected;
    }

    uint256 public calls;
    mapping(bytes4 operation => uint256) public done;
    mapping(bytes4 operation => uint256) public refused;

    constructor(IEscrow escrow_, address owner_) World(escrow_, owner_) {}

    function create(uint256 seed, uint120 amount, uint40 period) external {
        if (_entries.length >= MAX_ORDERS) return;
        Plan memory plan = _plan(seed, amount, period);
        plan.caller = plan.payer;
        plan.expected = _open(plan);
        _create(plan, abi.encodeCall(escrow.createOrder, (plan.terms)));
    }

    function createFor(uint256 seed, uint120 amount, uint40 period) external {
        if (_entries.length >= MAX_ORDERS) return;
        Plan memory plan = _plan(seed, amount, period);
        (bool named, bytes memory signature) = _signed(plan, seed);
        _create(plan, abi.encodeCall(escrow.createOrderFor, (plan.terms, plan.payer, named, signature)));
    }

    /// @dev Either the allowance is insufficient and the permit is valid, or the allowance suffices and the permit is
    /// invalid.
    function createWithPermit(uint256 seed, uint120 amount, uint40 period) external {
        if (_entries.length >= MAX_ORDERS) return;
        Plan memory plan = _plan(seed, amount, period);
        (bool named, bytes memory signature) = _signed(plan, seed);
        IDeliveryVsPayment.Permit memory permit;
        HostileToken token = HostileToken(plan.terms.token);
        if (seed & 0x100000 == 0) {
            permit.value = plan.terms.amount;
            bytes32 digest = keccak256(abi.encode(plan.payer, address(escrow), permit.value, 0));
            (permit.v, permit.r, permit.s) = vm.sign(plan.signer, digest);
            vm.prank(plan.payer);
            token.approve(address(escrow), plan.terms.amount - 1);
        }
        _create(
            plan,
            abi.encodeCall(escrow.createOrderForWithPermit, (plan.terms, plan.payer, named, signature, permit))
        );
        vm.prank(plan.payer);
        token.approve(address(escrow), type(uint256).max);
    }

    function createWithAuthorization(uint256 seed, uint120 amount, uint40 period) external {
        if (_entries.length >= MAX_ORDERS) return;
        Plan memory plan = _plan(seed, amount, period);
        bytes32 orderId = escrow.orderIdOf(plan.terms);
        bytes32 digest = keccak256(abi.encode(plan.payer, address(escrow), plan.terms.amount, 0, 1, orderId));
        bytes memory signature = sign(plan.signer, digest);
        _create(plan, abi.encodeCall(escrow.createOrderWithAuthorization, (plan.terms, plan.payer, 0, 1, signature)));
    }

    function createWithPermit2(uint256 seed, uint120 amount, uint40 period) external {
        if (_entries.length >= MAX_ORDERS) return;
        Plan memory plan = _plan(seed, amount, period);
        bytes32 digest = Permit2Double(escrow.PERMIT2()).digestOf(
            IPermit2.PermitTransferFrom(
                IPermit2.TokenPermissions(plan.terms.token, plan.terms.amount),
                _salt,
                type(uint256).max
            ),
            address(escrow),
            permit2Witness(escrow.orderIdOf(plan.terms), plan.payer),
            PERMIT2_WITNESS_TYPE
        );
        bytes memory signature = sign(plan.signer, digest);
        _create(
            plan,
            abi.encodeCall(escrow.createOrderWithPermit2, (plan.terms, plan.payer, _salt, type(uint256).max, signature))
        );
    }

    function _count(bytes4 operation, bool success) internal {
        calls++;
        if (success) done[operation]++;
        else refused[operation]++;
    }

    /// @dev One caller in eight is not the operator, and one signer in eight is not the payer.
    function _plan(uint256 seed, uint120 amount, uint40 period) private returns (Plan memory plan) {
        IDeliveryVsPayment.ReleaseType releaseType = IDeliveryVsPayment.ReleaseType(seed % 5);
        bool locked = releaseType == IDeliveryVsPayment.ReleaseType.TIME_LOCKED;
        period = uint40(bound(period, 1 days, 60 days));
        plan.terms = IDeliveryVsPayment.Terms({
            salt: bytes32(++_salt),
            operator: operator,
            arbiter: arbiter,
            deliveryOracle: _oracleFor(seed),
            payee: _person(seed >> 16),
            payer: seed & 0x100 == 0 ? address(0) : _person(seed >> 32),
            offRamp: offRamp,
            token: address(tokens[(seed >> 24) % tokens.length]),
            amount: uint120(bound(amount, 1, 1e12)),
            fundingDeadline: type(uint40).max,
            deliveryPeriod: period,
            disputeWindow: 1 days,
            timeLockUntil: locked ? uint40(block.timestamp + period / 2) : 0,
            releaseType: releaseType,
            autoReleaseOnProof: seed & 0x2000 == 0,
            expectedDeliveryHash: seed & 0x800 == 0 ? bytes32(0) : bytes32("proof")
        });
        // If the terms name a payer, one payer in eight is a different account.
        plan.payer = _person((seed >> 37) % 8 == 0 ? seed >> 72 : seed >> 32);
        plan.caller = (seed >> 40) % 8 == 0 ? _person(seed >> 48) : operator;
        plan.signer = _keys[(seed >> 56) % 8 == 0 ? _person(seed >> 64) : plan.payer];
        plan.expected = _open(plan) && plan.caller == operator && plan.signer == _keys[plan.payer];
    }

    /// @dev Returns no oracle, an independent oracle, or the operator, which then counts as the merchant.
    function _oracleFor(uint256 seed) private view returns (address) {
        if (seed & 0x600 == 0) return address(0);
        return seed & 0x600 == 0x600 ? operator : oracle;
    }

    /// @dev Returns whether the planned payer could fund the order with a call of its own.
    function _open(Plan memory plan) private view returns (bool) {
        address token = plan.terms.token;
        bool named = plan.terms.payer == address(0) || plan.terms.payer == plan.payer;
        return named && escrow.isTokenListed(token) && !HostileToken(token).blocked(plan.payer);
    }

    function _signed(Plan memory plan, uint256 seed) private view returns (bool named, bytes memory signature) {
        named = seed & 0x1000 == 0;
        bool immediate = plan.terms.releaseType == IDeliveryVsPayment.ReleaseType.IMMEDIATE;
        bytes32 digest =
            immediate
                ? intentDigest(escrow, plan.terms)
                : paymentDigest(escrow, plan.terms, named ? plan.payer : address(0));
        signature = sign(plan.signer, digest);
    }

    function _create(Plan memory plan, bytes memory data) private {
        vm.prank(plan.caller);
        (bool success, ) = address(escrow).call(data);
        _count(bytes4(data), success);
        assertTrue(success == plan.expected, "funded unless closed, or by another's word");
        if (!success) return;
        uint256 index = _noteCreated(plan.terms, plan.payer);
        if (plan.terms.releaseType != IDeliveryVsPayment.ReleaseType.IMMEDIATE) return;
        _entries[index].released = plan.terms.amount;
        _entries[index].lastStatus = uint8(IDeliveryVsPayment.Status.AwaitingSettlement);
    }
}
