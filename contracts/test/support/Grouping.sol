// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../../IDeliveryVsPayment.sol";

/// @title Groups orders as `settle` expects them.
abstract contract Grouping {
    /// @dev Keeps the sequence of the orders. Adjacent orders with the same common terms form a group.
    function grouped(
        IDeliveryVsPayment.Terms[] memory orders
    ) internal pure returns (IDeliveryVsPayment.SettlementGroup[] memory groups) {
        groups = new IDeliveryVsPayment.SettlementGroup[](orders.length);
        uint256 count;
        uint256 first;
        for (uint256 i = 1; i <= orders.length; i++) {
            if (i < orders.length && _key(orders[i]) == _key(orders[first])) continue;
            groups[count++] = _group(orders, first, i);
            first = i;
        }
        assembly ("memory-safe") {
            mstore(groups, count)
        }
    }

    function commonTerms(
        IDeliveryVsPayment.Terms memory terms
    ) internal pure returns (IDeliveryVsPayment.CommonTerms memory) {
        return
            IDeliveryVsPayment.CommonTerms({
                operator: terms.operator,
                arbiter: terms.arbiter,
                deliveryOracle: terms.deliveryOracle,
                offRamp: terms.offRamp,
                token: terms.token,
                deliveryPeriod: terms.deliveryPeriod,
                disputeWindow: terms.disputeWindow,
                timeLockUntil: terms.timeLockUntil,
                releaseType: terms.releaseType,
                autoReleaseOnProof: terms.autoReleaseOnProof,
                expectedDeliveryHash: terms.expectedDeliveryHash
            });
    }

    function ownTerms(
        IDeliveryVsPayment.Terms memory terms
    ) internal pure returns (IDeliveryVsPayment.OwnTerms memory) {
        return
            IDeliveryVsPayment.OwnTerms({
                salt: terms.salt,
                payee: terms.payee,
                payer: terms.payer,
                amount: terms.amount,
                fundingDeadline: terms.fundingDeadline
            });
    }

    /// @param end Index of the first order after the group.
    function _group(
        IDeliveryVsPayment.Terms[] memory orders,
        uint256 first,
        uint256 end
    ) private pure returns (IDeliveryVsPayment.SettlementGroup memory group) {
        group.common = commonTerms(orders[first]);
        group.orders = new IDeliveryVsPayment.OwnTerms[](end - first);
        for (uint256 i = first; i < end; i++) group.orders[i - first] = ownTerms(orders[i]);
    }

    function _key(IDeliveryVsPayment.Terms memory terms) private pure returns (bytes32) {
        return keccak256(abi.encode(commonTerms(terms)));
    }
}
