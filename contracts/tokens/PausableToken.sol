// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {EscrowFunded} from "./EscrowFunded.sol";

/// @title A test token whose deployer pauses it, with the names that USDC and USDT share.
abstract contract PausableToken is EscrowFunded {
    bool public paused;

    event Pause();
    event Unpause();

    error TokenPaused();

    modifier whenNotPaused() {
        if (paused) revert TokenPaused();
        _;
    }

    function pause() external onlyDeployer {
        paused = true;
        emit Pause();
    }

    function unpause() external onlyDeployer {
        paused = false;
        emit Unpause();
    }
}
