// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";
import {Funder} from "./invariants/Funder.sol";
import {Handler} from "./invariants/Handler.t.sol";
import {Properties} from "./invariants/Properties.sol";

/// @title The properties, and whether the calls that check them cover every operation.
contract InvariantsTest is Properties {
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
}

/// @title The properties again, with other calls: contracts run in parallel, and each checks half of the runs.
contract MoreInvariantsTest is Properties {
    /// @dev The runner draws the same calls for two contracts that differ in nothing else.
    function targetSenders() public pure returns (address[] memory senders) {
        senders = new address[](2);
        senders[0] = address(0xA11CE);
        senders[1] = address(0xB0B);
    }
}
