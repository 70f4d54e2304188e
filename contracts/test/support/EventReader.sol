// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../../IDeliveryVsPayment.sol";
import {Vm} from "./Vm.sol";

/// @title Reconstructs an order from its events alone, as an indexer does.
library EventReader {
    error UnknownEvent(bytes32 selector);

    /// @dev Applies one event to `o`.
    function read(IDeliveryVsPayment.Order memory o, Vm.Log memory log) internal pure {
        bytes32 selector = log.topics[0];
        if (selector == IDeliveryVsPayment.OrderCreated.selector) {
            o.payer = address(uint160(uint256(log.topics[2])));
            (o.deliveryDeadline, ) = abi.decode(log.data, (uint40, IDeliveryVsPayment.Terms));
        } else if (selector == IDeliveryVsPayment.OrderShipped.selector) {
            o.status = IDeliveryVsPayment.Status.Shipped;
        } else if (selector == IDeliveryVsPayment.DeliveryProofSubmitted.selector) {
            (, , bool proven) = abi.decode(log.data, (bytes32, string, bool));
            o.proven = o.proven || proven;
            if (o.status != IDeliveryVsPayment.Status.Disputed) o.status = IDeliveryVsPayment.Status.Delivered;
        } else if (selector == IDeliveryVsPayment.FundsReleased.selector) {
            (, uint256 amount) = abi.decode(log.data, (IDeliveryVsPayment.Cause, uint256));
            o.released += uint120(amount);
            o.status = IDeliveryVsPayment.Status.AwaitingSettlement;
        } else if (selector == IDeliveryVsPayment.MilestoneReleased.selector) {
            (uint256 amount, , bool complete) = abi.decode(log.data, (uint256, uint256, bool));
            o.released += uint120(amount);
            if (complete) o.status = IDeliveryVsPayment.Status.AwaitingSettlement;
        } else {
            _readRest(o, log, selector);
        }
    }

    function _readRest(IDeliveryVsPayment.Order memory o, Vm.Log memory log, bytes32 selector) private pure {
        if (selector == IDeliveryVsPayment.OrderSettled.selector) {
            _leave(o, abi.decode(log.data, (uint256)));
        } else if (selector == IDeliveryVsPayment.OrderWithdrawn.selector) {
            o.withdrawn = true;
            _leave(o, abi.decode(log.data, (uint256)));
        } else if (selector == IDeliveryVsPayment.OrderRefunded.selector) {
            (, uint256 amount, bool complete) = abi.decode(log.data, (IDeliveryVsPayment.Cause, uint256, bool));
            o.refunded += uint120(amount);
            if (complete) o.status = IDeliveryVsPayment.Status.Cancelled;
        } else if (selector == IDeliveryVsPayment.DisputeRaised.selector) {
            o.disputeSide = IDeliveryVsPayment.Side(uint256(log.topics[3]));
            o.statusBeforeDispute = o.status;
            o.status = IDeliveryVsPayment.Status.Disputed;
            (o.disputeDeadline, o.deliveryDeadline, ) = abi.decode(log.data, (uint40, uint40, string));
            if (o.disputeSide == IDeliveryVsPayment.Side.PAYER) o.disputedByPayer = true;
            else o.disputedByMerchant = true;
        } else if (selector == IDeliveryVsPayment.DisputeResolved.selector) {
            (, uint256 payeeAmount, uint256 payerAmount) = abi.decode(
                log.data,
                (IDeliveryVsPayment.Cause, uint256, uint256)
            );
            o.released += uint120(payeeAmount);
            o.refunded += uint120(payerAmount);
            o.status =
                payeeAmount == 0 ? IDeliveryVsPayment.Status.Cancelled : IDeliveryVsPayment.Status.AwaitingSettlement;
        } else if (selector == IDeliveryVsPayment.OrderResumed.selector) {
            o.status = abi.decode(log.data, (IDeliveryVsPayment.Status));
        } else if (
            selector != IDeliveryVsPayment.CreditAdded.selector &&
            selector != IDeliveryVsPayment.CreditClaimed.selector &&
            selector != IDeliveryVsPayment.SettlementSkipped.selector
        ) {
            revert UnknownEvent(selector);
        }
    }

    function _leave(IDeliveryVsPayment.Order memory o, uint256 amount) private pure {
        o.disbursed += uint120(amount);
        if (o.status == IDeliveryVsPayment.Status.AwaitingSettlement) o.status = IDeliveryVsPayment.Status.Completed;
    }
}
