// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";
import {Orders} from "./Orders.sol";
import {OrderSlot, SPLIT, WITHDRAWN} from "./OrderSlot.sol";
import {newOrderTemplate, OrderTemplate} from "./OrderTemplate.sol";
import {AMOUNT, OFF_RAMP, TOKEN} from "./OrderTerms.sol";

/// @title Transfers of released funds: to the off-ramp, to the payee, or as a claimed credit.
abstract contract Settlement is Orders {
    /// @dev The orders being settled; the first one determines the token and the off-ramp.
    struct Batch {
        address token; // zero until an order is settled
        address offRamp; // zero until an order is settled
        uint256 total; // the amount of the single transfer, in the token's smallest unit
    }

    /// @inheritdoc IDeliveryVsPayment
    function settle(SettlementGroup[] calldata groups) external nonReentrant {
        OrderTemplate template = newOrderTemplate(CHAIN_ID);
        Batch memory batch;
        for (uint256 i = 0; i < groups.length; i++) {
            SettlementGroup calldata group = groups[i];
            // Reverts instead of skipping: the caller knows the operator from the terms.
            _requireCaller(group.common.operator, address(0));
            template.setCommonTerms(group.common);
            _settleGroup(batch, template, group.orders);
        }
        if (batch.total != 0) _send(batch.token, batch.offRamp, batch.total);
    }

    /// @inheritdoc IDeliveryVsPayment
    function withdraw(Terms calldata terms) external nonReentrant {
        (bytes32 orderId, OrderSlot slot) = _find(terms);
        _requireCaller(terms.payee, address(0));
        uint256 due = _due(terms.amount, orderId, slot);
        if (due == 0) revert NothingReleased(orderId);
        _disburse(orderId, slot.withFlag(WITHDRAWN));
        emit OrderWithdrawn(orderId, terms.payee, due);
        _send(terms.token, terms.payee, due);
    }

    /// @inheritdoc IDeliveryVsPayment
    function claimCredit(address token) external nonReentrant returns (uint256 amount) {
        amount = _credits[msg.sender][token];
        if (amount == 0) revert NoCredit(msg.sender, token);
        _credits[msg.sender][token] = 0;
        emit CreditClaimed(msg.sender, token, amount);
        _send(token, msg.sender, amount);
    }

    /// @inheritdoc IDeliveryVsPayment
    function creditOf(address account, address token) external view returns (uint256) {
        return _credits[account][token];
    }

    /// @param template Holds the terms that the group's orders share.
    function _settleGroup(Batch memory batch, OrderTemplate template, OwnTerms[] calldata orders) private {
        address token = address(uint160(template.word(TOKEN)));
        address offRamp = address(uint160(template.word(OFF_RAMP)));
        for (uint256 i = 0; i < orders.length; i++) {
            bytes32 orderId = template.setOwnTerms(orders[i]);
            OrderSlot slot = _orders[orderId];
            uint256 due = _due(template.word(AMOUNT), orderId, slot);
            if (due == 0 || slot.has(WITHDRAWN)) {
                emit SettlementSkipped(orderId, _whyNotDue(orderId, slot));
            } else if (batch.total != 0 && (token != batch.token || offRamp != batch.offRamp)) {
                bytes memory reason = abi.encodeWithSelector(OtherBatch.selector, orderId, token, offRamp);
                emit SettlementSkipped(orderId, reason);
            } else {
                (batch.token, batch.offRamp) = (token, offRamp);
                batch.total += due;
                _disburse(orderId, slot);
                emit OrderSettled(orderId, offRamp, due);
            }
        }
    }

    /// @dev Records that all funds released so far have left the escrow.
    function _disburse(bytes32 orderId, OrderSlot slot) private {
        if (slot.has(SPLIT)) _amounts[orderId].disbursed = _amounts[orderId].released;
        _orders[orderId] = slot.isIn(AWAITING) ? slot.withStatus(Status.Completed) : slot;
    }

    function _whyNotDue(bytes32 orderId, OrderSlot slot) private pure returns (bytes memory) {
        bytes4 selector = NothingReleased.selector;
        if (slot.payer() == address(0)) selector = OrderNotFound.selector;
        else if (slot.has(WITHDRAWN)) selector = AlreadyWithdrawn.selector;
        return abi.encodeWithSelector(selector, orderId);
    }
}
