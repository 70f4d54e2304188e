// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";
import {Orders} from "./Orders.sol";
import {OrderSlot, SPLIT, WITHDRAWN} from "./OrderSlot.sol";

/// @title How released funds leave: to the off-ramp, to the payee, or as a credit that waited.
abstract contract Settlement is Orders {
    /// @inheritdoc IDeliveryVsPayment
    function settle(Terms[] calldata orders) external nonReentrant {
        address token;
        address offRamp;
        uint256 total;
        for (uint256 i = 0; i < orders.length; i++) {
            Terms calldata terms = orders[i];
            // Not skipped but refused: the caller knows it from the terms, and nobody else may fill the log.
            _requireCaller(terms.operator, address(0));
            bytes32 orderId = _orderId(terms);
            OrderSlot slot = _orders[orderId];
            uint256 due = _due(terms, orderId, slot);
            if (due == 0 || slot.has(WITHDRAWN)) {
                emit SettlementSkipped(orderId, _whyNotDue(orderId, slot));
            } else if (total != 0 && (terms.token != token || terms.offRamp != offRamp)) {
                bytes memory reason = abi.encodeWithSelector(OtherBatch.selector, orderId, terms.token, terms.offRamp);
                emit SettlementSkipped(orderId, reason);
            } else {
                (token, offRamp) = (terms.token, terms.offRamp);
                total += due;
                _disburse(orderId, slot);
                emit OrderSettled(orderId, offRamp, due);
            }
        }
        if (total != 0) _send(token, offRamp, total);
    }

    /// @inheritdoc IDeliveryVsPayment
    function withdraw(Terms calldata terms) external nonReentrant {
        (bytes32 orderId, OrderSlot slot) = _find(terms);
        _requireCaller(terms.payee, address(0));
        uint256 due = _due(terms, orderId, slot);
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

    /// @dev Records that everything released so far has left.
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
