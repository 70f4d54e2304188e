// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title Reentrancy guard across all guarded operations.
/// @dev Like OpenZeppelin's ReentrancyGuardTransient (5.7.0), which costs 111 gas more on createOrder, and 30 more
/// where the guard is only read.
abstract contract Guard {
    /// @dev 1 while an operation that calls a token is running, else 0. Transient: cleared with the transaction
    /// (EIP-1153).
    uint256 private transient _entered;

    /// @notice The call was made from within an operation that calls a token.
    error Reentered();

    /// @dev For operations that call a token.
    modifier nonReentrant() {
        if (_entered != 0) revert Reentered();
        _entered = 1;
        _;
        _entered = 0;
    }

    /// @dev For operations that make no external calls, or only `staticcall`s, which cannot reenter to change state.
    modifier notEntered() {
        if (_entered != 0) revert Reentered();
        _;
    }
}
