// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {EscrowFunded} from "./EscrowFunded.sol";

/// @title An ERC-20 for tests and for the local gateway. NEVER DEPLOY IT TO A REAL NETWORK: see EscrowFunded.
abstract contract TestToken is ERC20, EscrowFunded {
    uint8 private immutable DECIMALS;

    /// @param name_ The token's name.
    /// @param symbol_ The token's symbol.
    /// @param decimals_ The token's decimals.
    constructor(string memory name_, string memory symbol_, uint8 decimals_) ERC20(name_, symbol_) {
        DECIMALS = decimals_;
    }

    /// @notice Mints tokens to any account. Caller: anyone.
    /// @param to The recipient.
    /// @param amount The amount, in the token's smallest unit.
    function faucet(address to, uint256 amount) external {
        _mint(to, amount);
    }

    /// @inheritdoc ERC20
    /// @dev Test mode: a pull by the escrow never fails for lack of funds.
    function transferFrom(address from, address to, uint256 value) public virtual override returns (bool) {
        if (msg.sender == escrow) {
            uint256 balance = balanceOf(from);
            if (balance < value) _mint(from, value - balance);
        }
        return super.transferFrom(from, to, value);
    }

    /// @inheritdoc ERC20
    function decimals() public view virtual override returns (uint8) {
        return DECIMALS;
    }

    /// @dev Test mode: the escrow needs no allowance. A sufficient allowance is still spent, as on a real network.
    function _spendAllowance(address owner, address spender, uint256 value) internal virtual override {
        if (spender == escrow && allowance(owner, spender) < value) return;
        super._spendAllowance(owner, spender, value);
    }
}
