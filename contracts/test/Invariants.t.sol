// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";
import {Asserts} from "./support/Asserts.sol";
import {Deploying, IEscrow} from "./support/Deploying.sol";
import {Permit2Double} from "./support/mocks/Permit2Double.sol";
import {Funder} from "./invariants/Funder.sol";
import {Handler} from "./invariants/Handler.t.sol";
import {Ledger} from "./invariants/Ledger.sol";

/// @title Properties that hold after any sequence of calls by any callers.
contract InvariantsTest is Asserts, Deploying {
    IEscrow private escrow;
    Handler private handler;

    bytes4[] private _handlers;
    bytes4[] private _operations;
    string[] private _names;
    mapping(uint256 operation => uint256) private _done;
    mapping(uint256 operation => uint256) private _refused;

    constructor() {
        _pair(Funder.create.selector, IDeliveryVsPayment.createOrder.selector, "createOrder");
        _pair(Funder.createFor.selector, IDeliveryVsPayment.createOrderFor.selector, "createOrderFor");
        _pair(
            Funder.createWithPermit.selector,
            IDeliveryVsPayment.createOrderForWithPermit.selector,
            "createOrderForWithPermit"
        );
        _pair(
            Funder.createWithAuthorization.selector,
            IDeliveryVsPayment.createOrderWithAuthorization.selector,
            "createOrderWithAuthorization"
        );
        _pair(
            Funder.createWithPermit2.selector,
            IDeliveryVsPayment.createOrderWithPermit2.selector,
            "createOrderWithPermit2"
        );
        _pairOthers();
    }

    function _pairOthers() private {
        _pair(Handler.ship.selector, IDeliveryVsPayment.markShipped.selector, "markShipped");
        _pair(Handler.shipFor.selector, IDeliveryVsPayment.markShippedFor.selector, "markShippedFor");
        _pair(Handler.prove.selector, IDeliveryVsPayment.submitDeliveryProof.selector, "submitDeliveryProof");
        _pair(Handler.proveFor.selector, IDeliveryVsPayment.submitDeliveryProofFor.selector, "submitDeliveryProofFor");
        _pair(Handler.release.selector, IDeliveryVsPayment.release.selector, "release");
        _pair(Handler.releaseTimeLocked.selector, IDeliveryVsPayment.releaseTimeLocked.selector, "releaseTimeLocked");
        _pair(Handler.releaseMilestone.selector, IDeliveryVsPayment.releaseMilestone.selector, "releaseMilestone");
        _pair(
            Handler.releaseMilestoneFor.selector,
            IDeliveryVsPayment.releaseMilestoneFor.selector,
            "releaseMilestoneFor"
        );
        _pair(Handler.settle.selector, IDeliveryVsPayment.settle.selector, "settle");
        _pair(Handler.withdraw.selector, IDeliveryVsPayment.withdraw.selector, "withdraw");
        _pair(Handler.refund.selector, IDeliveryVsPayment.refund.selector, "refund");
        _pair(Handler.reclaim.selector, IDeliveryVsPayment.reclaim.selector, "reclaim");
        _pair(Handler.raiseDispute.selector, IDeliveryVsPayment.raiseDispute.selector, "raiseDispute");
        _pair(Handler.raiseDisputeFor.selector, IDeliveryVsPayment.raiseDisputeFor.selector, "raiseDisputeFor");
        _pair(Handler.resolveDispute.selector, IDeliveryVsPayment.resolveDispute.selector, "resolveDispute");
        _pair(
            Handler.resolveDisputeByAgreement.selector,
            IDeliveryVsPayment.resolveDisputeByAgreement.selector,
            "resolveDisputeByAgreement"
        );
        _pair(
            Handler.resolveExpiredDispute.selector,
            IDeliveryVsPayment.resolveExpiredDispute.selector,
            "resolveExpiredDispute"
        );
        _pair(Handler.claimCredit.selector, IDeliveryVsPayment.claimCredit.selector, "claimCredit");
        bytes4[4] memory others = [
            Handler.donate.selector,
            Handler.block_.selector,
            Handler.list.selector,
            Handler.pass.selector
        ];
        for (uint256 i = 0; i < 4; i++) _handlers.push(others[i]);
    }

    function _pair(bytes4 handlerSelector, bytes4 operation, string memory name) private {
        _handlers.push(handlerSelector);
        _operations.push(operation);
        _names.push(name);
    }

    function setUp() public {
        vm.warp(1_800_000_000);
        escrow = deployEscrow(address(this), address(new Permit2Double()));
        handler = new Handler(escrow, address(this));
        for (uint256 i = 0; i < 3; i++) escrow.setTokenListed(address(handler.tokens(i)), true);
        handler.create(2, 1000, 30 days); // MILESTONE_LOCKED, so that every run has at least one such order
    }

    /// @dev The runner calls only the handler.
    function targetContracts() public view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(handler);
    }

    /// @dev Compares all orders every 32 calls and at the end. This is sufficient, because the ledger is cumulative and
    /// an error therefore persists. `Handler._call` also compares the order that it changes.
    function invariant_everyUnitIsAccountedFor() public view {
        if (handler.calls() % 32 == 0) handler.compareAll();
    }

    /// @dev Invariants are only meaningful if the calls cover every operation: over eight runs, each operation must be
    /// both executed and rejected.
    function test_everyOperation_isDone_andIsRefused() public {
        for (uint256 world = 0; world < 8; world++) {
            setUp();
            for (uint256 i = 0; i < 500; i++) _callAnyHandler(uint256(keccak256(abi.encode(world, i))));
            for (uint256 o = 0; o < _operations.length; o++) {
                _done[o] += handler.done(_operations[o]);
                _refused[o] += handler.refused(_operations[o]);
            }
        }
        for (uint256 o = 0; o < _operations.length; o++) {
            assertTrue(_done[o] != 0, string.concat("done: ", _names[o]));
            assertTrue(_refused[o] != 0, string.concat("refused: ", _names[o]));
        }
    }

    function _callAnyHandler(uint256 seed) private {
        bytes4 selector = _handlers[seed % _handlers.length];
        uint256 first = selector == Handler.pass.selector ? uint40(seed) : uint256(keccak256(abi.encode(seed)));
        (bool success, bytes memory reason) = address(handler).call(
            abi.encodeWithSelector(selector, first, uint40(seed >> 100), uint40(seed >> 140))
        );
        if (success) return;
        assembly ("memory-safe") {
            revert(add(reason, 0x20), mload(reason))
        }
    }

    /// @dev Law 2 (exit), checked for every order at the end of each run: after enough time, the payer can end the
    /// order without help and gets every unreleased unit, unless the order is proven or is a shipped order with a lock.
    /// The funds of those orders are released to the payee.
    function afterInvariant() public {
        handler.compareAll();
        for (uint256 i = 0; i < handler.count(); i++) {
            Ledger.Entry memory entry = handler.get(i);
            IDeliveryVsPayment.Order memory order = escrow.getOrder(entry.terms);
            if (!_unreleased(order)) continue;
            vm.warp(block.timestamp + 4000 days);
            if (order.status == IDeliveryVsPayment.Status.Disputed) {
                escrow.resolveExpiredDispute(entry.terms);
                order = escrow.getOrder(entry.terms);
                if (!_unreleased(order)) continue;
            }
            bool locked = entry.terms.releaseType == IDeliveryVsPayment.ReleaseType.TIME_LOCKED;
            if (locked && order.status != IDeliveryVsPayment.Status.Created) {
                escrow.releaseTimeLocked(entry.terms);
            } else if (order.proven) {
                vm.prank(entry.terms.payee);
                escrow.release(entry.terms);
            } else {
                uint256 rest = entry.terms.amount - order.released - order.refunded;
                vm.prank(entry.payer);
                escrow.reclaim(entry.terms);
                assertEq(escrow.getOrder(entry.terms).refunded, uint256(order.refunded) + rest, "every unit");
            }
            assertTrue(!_unreleased(escrow.getOrder(entry.terms)), "ended");
        }
    }

    function _unreleased(IDeliveryVsPayment.Order memory order) private pure returns (bool) {
        return uint256(order.status) < 3 || order.status == IDeliveryVsPayment.Status.Disputed;
    }
}
