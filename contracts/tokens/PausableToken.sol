// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {EscrowFunded} from "./EscrowFunded.sol";

/// @title A test token that its deployer can pause, with the names that USDC and USDT share.
abstract contract PausableToken is EscrowFunded {
    /// @notice Whether all transfers are paused.
    bool public paused;

    /// @notice Emitted when transfers are paused.
    event Pause();
    /// @notice Emitted when transfers are unpaused.
    event Unpause();

    /// @notice The token is paused.
    error TokenPaused();

    /// @dev Reverts while the token is paused.
    modifier whenNotPaused() {
        if (paused) revert TokenPaused();
        _;
    }

    /// @notice Pauses all transfers. Caller: the deployer.
    function pause() external onlyDeployer {
        paused = true;
        emit Pause();
    }

    /// @notice Unpauses transfers. Caller: the deployer.
    function unpause() external onlyDeployer {
        paused = false;
        emit Unpause();
    }
}
