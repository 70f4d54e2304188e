// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";
import {Asserts} from "./support/Asserts.sol";
import {Deploying, IEscrow} from "./support/Deploying.sol";
import {HostileToken} from "./support/mocks/HostileToken.sol";
import {Handler} from "./invariants/Handler.t.sol";
import {Ledger} from "./invariants/Ledger.sol";

/// @title What holds whatever anybody does, in whatever order.
contract InvariantsTest is Asserts, Deploying {
    IEscrow private escrow;
    Handler private handler;
    Ledger private ledger;

    function setUp() public {
        vm.warp(1_800_000_000);
        escrow = deployEscrow(address(this), address(0x22D4));
        handler = new Handler(escrow, address(this));
        ledger = handler.ledger();
        for (uint256 i = 0; i < 3; i++) escrow.setTokenListed(address(handler.tokens(i)), true);
        handler.create(2, 1000, 30 days); // MILESTONE_LOCKED, so that every run has one at least
    }

    /// @dev The runner calls the handler alone.
    function targetContracts() public view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(handler);
    }

    /// @dev Per token: what is here is what is owed, to the unit. The whole ledger is compared every sixteenth call, and
    /// at the end; the order that a call was about, each time (Handler).
    function invariant_everyUnitIsAccountedFor() public view {
        if (handler.calls() % 16 == 0) _compareAll();
        for (uint256 t = 0; t < 3; t++) {
            address token = address(handler.tokens(t));
            uint256 held = handler.tokens(t).balanceOf(address(escrow));
            assertEq(held, ledger.owed(token) + ledger.credits(token), "solvent, and no surplus");
        }
    }

    function _compareAll() private view {
        for (uint256 i = 0; i < ledger.count(); i++) handler.compare(i);
    }

    /// @dev From every state that is not terminal the payer gets out: by waiting, and a dispute if need be. Tried at
    /// the end of each run, after which the rest of what is here belongs to payees and to credits.
    function afterInvariant() public {
        _compareAll();
        for (uint256 i = 0; i < ledger.count(); i++) {
            Ledger.Entry memory entry = ledger.get(i);
            IDeliveryVsPayment.Order memory order = escrow.getOrder(entry.terms);
            bool unreleased = uint256(order.status) < 3 || order.status == IDeliveryVsPayment.Status.Disputed;
            if (!unreleased) continue;
            vm.warp(block.timestamp + 4000 days);
            if (order.status != IDeliveryVsPayment.Status.Disputed) {
                vm.prank(entry.payer);
                escrow.raiseDispute(entry.terms, entry.payer, 1 days, "");
                vm.warp(block.timestamp + 1 days + 1);
            }
            escrow.resolveExpiredDispute(entry.terms);
            uint256 status = uint256(escrow.getOrder(entry.terms).status);
            assertTrue(status == 3 || status == 5, "out");
        }
    }
}
