// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {EscrowFunded} from "./EscrowFunded.sol";

/// @title A test token whose deployer pauses it, with the names that USDC and USDT share.
abstract contract PausableToken is EscrowFunded {
    /// @notice Whether no tokens move.
    bool public paused;

    /// @notice Nothing moves from now on.
    event Pause();
    /// @notice Tokens move again.
    event Unpause();

    /// @notice The token is paused.
    error TokenPaused();

    /// @dev Refuses what the issuer's pause stops.
    modifier whenNotPaused() {
        if (paused) revert TokenPaused();
        _;
    }

    /// @notice Stops all transfers. Caller: the deployer.
    function pause() external onlyDeployer {
        paused = true;
        emit Pause();
    }

    /// @notice Lets tokens move again. Caller: the deployer.
    function unpause() external onlyDeployer {
        paused = false;
        emit Unpause();
    }
}
