// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {PausableToken} from "./PausableToken.sol";

/// @title Test USDT: 6 decimals; like the real token, transfer, transferFrom and approve return nothing.
/// NEVER DEPLOY IT TO A REAL NETWORK: see EscrowFunded.
/// @dev The deployer has the powers of TetherToken's owner: pause, fee, blacklist, destruction of blacklisted funds. As
/// in TetherToken, only the sender of a transfer is checked: a blacklisted account can still receive.
contract USDT is PausableToken {
    // ERC-20 requires these three names.
    // solhint-disable const-name-snakecase
    /// @notice The token's name.
    string public constant name = "Test Tether USD";
    /// @notice The token's symbol.
    string public constant symbol = "USDT";
    /// @notice The token's decimals.
    uint8 public constant decimals = 6;
    // solhint-enable const-name-snakecase

    /// @notice The total supply, in the smallest unit.
    uint256 public totalSupply;
    /// @notice The fee in basis points of a transfer's amount.
    uint256 public basisPointsRate;
    /// @notice The maximum fee of a transfer, in the smallest unit.
    uint256 public maximumFee;
    /// @notice Whether an account is blacklisted and cannot send.
    mapping(address account => bool) public isBlackListed;
    /// @notice An account's balance, in the smallest unit.
    mapping(address account => uint256) public balanceOf;
    /// @notice The allowance of a spender, in the smallest unit; `type(uint256).max` is unlimited.
    mapping(address owner => mapping(address spender => uint256)) public allowance;

    /// @notice Emitted when tokens move.
    /// @param from The sender; zero when minted.
    /// @param to The recipient.
    /// @param value The amount received, in the smallest unit, excluding the fee.
    event Transfer(address indexed from, address indexed to, uint256 value);
    /// @notice Emitted when an allowance is set.
    /// @param owner The account whose tokens can be spent.
    /// @param spender The account that can spend them.
    /// @param value The allowance, in the smallest unit.
    event Approval(address indexed owner, address indexed spender, uint256 value);

    /// @notice Emitted when an account is blacklisted.
    /// @param account The account.
    event AddedBlackList(address account);
    /// @notice Emitted when an account is removed from the blacklist.
    /// @param account The account.
    event RemovedBlackList(address account);
    /// @notice Emitted when the balance of a blacklisted account is burned.
    /// @param account The account.
    /// @param balance The burned amount, in the smallest unit.
    event DestroyedBlackFunds(address account, uint256 balance);
    /// @notice Emitted when the fee is set.
    /// @param feeBasisPoints The fee in basis points.
    /// @param maxFee The maximum fee, in the smallest unit.
    event Params(uint256 feeBasisPoints, uint256 maxFee);

    /// @notice The sender's balance is too low.
    /// @param from The sender.
    /// @param balance The sender's balance, in the smallest unit.
    /// @param needed The amount to send, in the smallest unit.
    error InsufficientBalance(address from, uint256 balance, uint256 needed);
    /// @notice The spender's allowance is too low.
    /// @param spender The spender.
    /// @param allowed The allowance, in the smallest unit.
    /// @param needed The amount to spend, in the smallest unit.
    error InsufficientAllowance(address spender, uint256 allowed, uint256 needed);
    /// @notice The sender is blacklisted.
    /// @param account The sender.
    error AccountBlackListed(address account);
    /// @notice The account is not blacklisted.
    /// @param account The account.
    error AccountNotBlackListed(address account);
    /// @notice The fee exceeds TetherToken's limits.
    /// @param basisPoints The basis points given.
    /// @param maxFee The maximum fee given.
    error FeeTooHigh(uint256 basisPoints, uint256 maxFee);

    /// @notice Mints tokens to any account. Caller: anyone.
    /// @param to The recipient.
    /// @param amount The amount, in the smallest unit.
    function faucet(address to, uint256 amount) external {
        _mint(to, amount);
    }

    /// @notice Sets the allowance of a spender over the caller's tokens.
    /// @param spender The account that can spend them.
    /// @param value The allowance, in the smallest unit; `type(uint256).max` is unlimited.
    function approve(address spender, uint256 value) external {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
    }

    /// @notice Transfers the caller's tokens.
    /// @param to The recipient, who gets the amount less the fee.
    /// @param value The amount, in the smallest unit, including the fee.
    function transfer(address to, uint256 value) external {
        _move(msg.sender, to, value);
    }

    /// @notice Transfers tokens from an account that has given the caller an allowance.
    /// @param from The account that pays.
    /// @param to The recipient, who gets the amount less the fee.
    /// @param value The amount, in the smallest unit, including the fee.
    /// @dev Test mode: when the escrow pulls, a missing allowance is waived and a missing balance is minted.
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

    /// @notice Blacklists an account, which can still receive. Caller: the deployer.
    /// @param account The account.
    function addBlackList(address account) external onlyDeployer {
        isBlackListed[account] = true;
        emit AddedBlackList(account);
    }

    /// @notice Removes an account from the blacklist. Caller: the deployer.
    /// @param account The account.
    function removeBlackList(address account) external onlyDeployer {
        isBlackListed[account] = false;
        emit RemovedBlackList(account);
    }

    /// @notice Burns the balance of a blacklisted account. Caller: the deployer.
    /// @param account The account.
    function destroyBlackFunds(address account) external onlyDeployer {
        if (!isBlackListed[account]) revert AccountNotBlackListed(account);
        uint256 balance = balanceOf[account];
        balanceOf[account] = 0;
        totalSupply -= balance;
        emit DestroyedBlackFunds(account, balance);
    }

    /// @notice Sets the fee. Caller: the deployer.
    /// @param newBasisPoints The fee in basis points, below 20.
    /// @param newMaxFee The maximum fee in whole tokens, below 50.
    function setParams(uint256 newBasisPoints, uint256 newMaxFee) external onlyDeployer {
        if (newBasisPoints >= 20 || newMaxFee >= 50) revert FeeTooHigh(newBasisPoints, newMaxFee);
        basisPointsRate = newBasisPoints;
        maximumFee = newMaxFee * 10 ** decimals;
        emit Params(basisPointsRate, maximumFee);
    }

    /// @notice Returns whether an account is blacklisted.
    /// @param account The account.
    /// @return Whether the account is blacklisted.
    function getBlackListStatus(address account) external view returns (bool) {
        return isBlackListed[account];
    }

    function _mint(address to, uint256 amount) private {
        totalSupply += amount;
        balanceOf[to] += amount;
        emit Transfer(address(0), to, amount);
    }

    function _move(address from, address to, uint256 value) private whenNotPaused {
        if (isBlackListed[from]) revert AccountBlackListed(from);
        uint256 balance = balanceOf[from];
        if (balance < value) revert InsufficientBalance(from, balance, value);
        uint256 fee = Math.min((value * basisPointsRate) / 10_000, maximumFee);
        balanceOf[from] = balance - value;
        balanceOf[to] += value - fee;
        emit Transfer(from, to, value - fee);
        if (fee == 0) return;
        balanceOf[_issuer()] += fee;
        emit Transfer(from, _issuer(), fee);
    }
}
