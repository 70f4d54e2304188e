// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {TestToken} from "./TestToken.sol";

/// @title Test DAI: 18 decimals, ERC-2612. NEVER DEPLOY IT TO A REAL NETWORK: see EscrowFunded.
contract DAI is TestToken {
    constructor() TestToken("Test Dai Stablecoin", "DAI", 18) {}
}
