// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../../IDeliveryVsPayment.sol";

/// @title What the invariants remember about the orders, kept beside the escrow and independently of it.
contract Ledger {
    struct Entry {
        IDeliveryVsPayment.Terms terms;
        address payer;
        uint256 released;
        uint256 refunded;
        uint256 settled;
        uint256 withdrawn;
        uint8 lastStatus;
    }

    Entry[] private _entries;
    mapping(address token => uint256) public credits;
    mapping(address token => uint256) public owed;
    mapping(address token => uint256) public donations;

    function add(IDeliveryVsPayment.Terms calldata terms, address payer) external {
        Entry storage entry = _entries.push();
        entry.terms = terms;
        entry.payer = payer;
        owed[terms.token] += terms.amount;
    }

    function released(uint256 index, uint256 amount) external {
        _entries[index].released += amount;
    }

    function refunded(uint256 index, uint256 amount, bool asCredit) external {
        Entry storage entry = _entries[index];
        entry.refunded += amount;
        owed[entry.terms.token] -= amount;
        if (asCredit) credits[entry.terms.token] += amount;
    }

    function settled(uint256 index, uint256 amount) external {
        _entries[index].settled += amount;
        owed[_entries[index].terms.token] -= amount;
    }

    function withdrawn(uint256 index, uint256 amount) external {
        _entries[index].withdrawn += amount;
        owed[_entries[index].terms.token] -= amount;
    }

    function claimed(address token, uint256 amount) external {
        credits[token] -= amount;
    }

    function donated(address token, uint256 amount) external {
        donations[token] += amount;
    }

    function setStatus(uint256 index, uint8 status) external {
        _entries[index].lastStatus = status;
    }

    function count() external view returns (uint256) {
        return _entries.length;
    }

    function get(uint256 index) external view returns (Entry memory) {
        return _entries[index];
    }
}
