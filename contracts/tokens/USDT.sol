// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {EscrowFunded} from "./EscrowFunded.sol";

/// @title Test USDT: 6 decimals; transfer, transferFrom and approve return nothing, as the real one's.
/// NEVER DEPLOY IT TO A REAL NETWORK: see EscrowFunded.
contract USDT is EscrowFunded {
    // ERC-20 names these three.
    // solhint-disable const-name-snakecase
    string public constant name = "Test Tether USD";
    string public constant symbol = "USDT";
    uint8 public constant decimals = 6;
    // solhint-enable const-name-snakecase

    uint256 public totalSupply;
    mapping(address account => uint256) public balanceOf;
    mapping(address owner => mapping(address spender => uint256)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    error InsufficientBalance(address from, uint256 balance, uint256 needed);
    error InsufficientAllowance(address spender, uint256 allowed, uint256 needed);

    /// @notice Mints to anyone, for anyone.
    function faucet(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function approve(address spender, uint256 value) external {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
    }

    function transfer(address to, uint256 value) external {
        _move(msg.sender, to, value);
    }

    /// @dev Test mode: a missing allowance is waived and a missing balance minted when the escrow pulls.
    function transferFrom(address from, address to, uint256 value) external {
        bool byEscrow = msg.sender == escrow;
        uint256 allowed = allowance[from][msg.sender];
        if (allowed < value) {
            if (!byEscrow) revert InsufficientAllowance(msg.sender, allowed, value);
        } else if (allowed != type(uint256).max) {
            allowance[from][msg.sender] = allowed - value;
        }
        if (byEscrow && balanceOf[from] < value) _mint(from, value - balanceOf[from]);
        _move(from, to, value);
    }

    function _mint(address to, uint256 amount) private {
        totalSupply += amount;
        balanceOf[to] += amount;
        emit Transfer(address(0), to, amount);
    }

    function _move(address from, address to, uint256 value) private {
        uint256 balance = balanceOf[from];
        if (balance < value) revert InsufficientBalance(from, balance, value);
        balanceOf[from] = balance - value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }
}
