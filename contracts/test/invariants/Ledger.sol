// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../../IDeliveryVsPayment.sol";

/// @title The record of the orders that the invariants compare with the escrow.
/// @dev Inherited instead of deployed as a separate contract, because the runner traces each call between contracts and
/// an invariant run makes many calls.
abstract contract Ledger {
    struct Entry {
        IDeliveryVsPayment.Terms terms;
        address payer;
        uint256 released;
        uint256 refunded;
        uint256 settled;
        uint256 withdrawn;
        uint8 lastStatus;
    }

    Entry[] internal _entries;
    mapping(address token => uint256) public credits;
    mapping(address token => uint256) public owed;
    mapping(address token => uint256) public donations;

    function count() external view returns (uint256) {
        return _entries.length;
    }

    function get(uint256 index) external view returns (Entry memory) {
        return _entries[index];
    }

    function _noteCreated(IDeliveryVsPayment.Terms memory terms, address payer) internal returns (uint256 index) {
        index = _entries.length;
        Entry storage entry = _entries.push();
        entry.terms = terms;
        entry.payer = payer;
        owed[terms.token] += terms.amount;
    }

    function _noteRefunded(uint256 index, uint256 amount, bool asCredit) internal {
        Entry storage entry = _entries[index];
        entry.refunded += amount;
        owed[entry.terms.token] -= amount;
        if (asCredit) credits[entry.terms.token] += amount;
    }

    function _noteSettled(uint256 index, uint256 amount) internal {
        _entries[index].settled += amount;
        owed[_entries[index].terms.token] -= amount;
    }

    function _noteWithdrawn(uint256 index, uint256 amount) internal {
        _entries[index].withdrawn += amount;
        owed[_entries[index].terms.token] -= amount;
    }
}
