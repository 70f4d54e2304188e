// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";
import {Orders} from "./Orders.sol";
import {OrderTerms} from "./OrderTerms.sol";

/// @title How released funds leave: to the off-ramp, to the payee, or as a credit that waited.
abstract contract Payout is Orders {
    using OrderTerms for Terms;
    using SafeERC20 for IERC20;

    /// @inheritdoc IDeliveryVsPayment
    function settle(Terms[] calldata orders) external nonReentrant {
        address token;
        address offRamp;
        uint256 total;
        for (uint256 i = 0; i < orders.length; i++) {
            Terms calldata terms = orders[i];
            // Not skipped but refused: the caller knows it from the terms, and nobody else may fill the log.
            _requireCaller(terms.operator, address(0));
            bytes32 orderId = terms.id();
            StoredOrder memory order = _orders[orderId];
            (uint256 due, Amounts memory amounts, bytes memory reason) = _due(terms, orderId, order, token, offRamp);
            if (due == 0) {
                emit SettlementSkipped(orderId, reason);
                continue;
            }
            (token, offRamp) = (terms.token, terms.offRamp);
            total += due;
            _take(terms, orderId, order, amounts);
            emit OrderSettled(orderId, offRamp, due);
        }
        if (total != 0) IERC20(token).safeTransfer(offRamp, total);
    }

    /// @inheritdoc IDeliveryVsPayment
    function withdraw(Terms calldata terms) external nonReentrant {
        (bytes32 orderId, StoredOrder memory order) = _find(terms);
        _requireCaller(terms.payee, address(0));
        Amounts memory amounts = _amounts(terms, orderId, order);
        uint256 due = amounts.released - amounts.taken;
        if (due == 0) revert NothingReleased(orderId);
        order.flags |= WITHDRAWN;
        _take(terms, orderId, order, amounts);
        emit OrderWithdrawn(orderId, terms.payee, due);
        IERC20(terms.token).safeTransfer(terms.payee, due);
    }

    /// @inheritdoc IDeliveryVsPayment
    function claimCredit(address token, address to) external nonReentrant returns (uint256 amount) {
        amount = _credits[msg.sender][token];
        if (amount == 0) revert NoCredit(msg.sender, token);
        _credits[msg.sender][token] = 0;
        emit CreditClaimed(msg.sender, token, to, amount);
        IERC20(token).safeTransfer(to, amount);
    }

    /// @inheritdoc IDeliveryVsPayment
    function creditOf(address account, address token) external view returns (uint256) {
        return _credits[account][token];
    }

    /// @dev What of the order can be settled in this batch; if nothing, then why.
    function _due(
        Terms calldata terms,
        bytes32 orderId,
        StoredOrder memory order,
        address token,
        address offRamp
    ) private view returns (uint256 due, Amounts memory amounts, bytes memory reason) {
        if (order.payer == address(0)) {
            reason = abi.encodeWithSelector(OrderNotFound.selector, orderId);
        } else if (_has(order, WITHDRAWN)) {
            reason = abi.encodeWithSelector(AlreadyWithdrawn.selector, orderId);
        } else if (token != address(0) && (terms.token != token || terms.offRamp != offRamp)) {
            reason = abi.encodeWithSelector(OtherBatch.selector, orderId, terms.token, terms.offRamp);
        } else {
            amounts = _amounts(terms, orderId, order);
            due = amounts.released - amounts.taken;
            if (due == 0) reason = abi.encodeWithSelector(NothingReleased.selector, orderId);
        }
    }

    /// @dev Writes down that all that was released has been taken.
    function _take(Terms calldata terms, bytes32 orderId, StoredOrder memory order, Amounts memory amounts) private {
        amounts.taken = amounts.released;
        if (order.status == Status.AwaitingSettlement) order.status = Status.Completed;
        _save(terms, orderId, order, amounts);
    }
}
