// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../../IDeliveryVsPayment.sol";
import {Asserts} from "../support/Asserts.sol";
import {Deploying, IEscrow} from "../support/Deploying.sol";
import {Permit2Double} from "../support/mocks/Permit2Double.sol";
import {Handler} from "./Handler.t.sol";
import {Ledger} from "./Ledger.sol";

/// @title Properties that hold after any sequence of calls by any callers.
abstract contract Properties is Asserts, Deploying {
    IEscrow internal escrow;
    Handler internal handler;

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
