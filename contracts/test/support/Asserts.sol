// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Vm} from "./Vm.sol";

/// @title Assertions and the address of the cheatcodes. (forge-std has no official npm package.)
abstract contract Asserts {
    Vm internal constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

    error NotEqual(string what, uint256 actual, uint256 expected);
    error NotTrue(string what);

    function assertTrue(bool condition, string memory what) internal pure {
        if (!condition) revert NotTrue(what);
    }

    function assertEq(uint256 actual, uint256 expected, string memory what) internal pure {
        if (actual != expected) revert NotEqual(what, actual, expected);
    }

    function assertEq(address actual, address expected, string memory what) internal pure {
        assertEq(uint256(uint160(actual)), uint256(uint160(expected)), what);
    }

    function assertEq(bytes32 actual, bytes32 expected, string memory what) internal pure {
        assertEq(uint256(actual), uint256(expected), what);
    }

    function assertEq(string memory actual, string memory expected) internal pure {
        if (keccak256(bytes(actual)) != keccak256(bytes(expected))) revert NotTrue(actual);
    }

    /// @dev Bounds `x` to the range from `least` to `most`, inclusive.
    function bound(uint256 x, uint256 least, uint256 most) internal pure returns (uint256) {
        if (x >= least && x <= most) return x;
        uint256 size = most - least + 1;
        return size == 0 ? x : least + (x % size);
    }
}
