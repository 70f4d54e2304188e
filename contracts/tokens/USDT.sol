// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {PausableToken} from "./PausableToken.sol";

/// @title Test USDT: 6 decimals; transfer, transferFrom and approve return nothing, as the real one's.
/// NEVER DEPLOY IT TO A REAL NETWORK: see EscrowFunded.
/// @dev Its deployer has the powers that the owner of TetherToken has: pause, fee, blacklist, destruction of blacklisted
/// funds. As there, only the sender of a transfer is checked: a blacklisted account still receives.
contract USDT is PausableToken {
    // ERC-20 names these three.
    // solhint-disable const-name-snakecase
    /// @notice ERC-20's name.
    string public constant name = "Test Tether USD";
    /// @notice ERC-20's symbol.
    string public constant symbol = "USDT";
    /// @notice ERC-20's decimals.
    uint8 public constant decimals = 6;
    // solhint-enable const-name-snakecase

    /// @notice All balances together, in the smallest unit.
    uint256 public totalSupply;
    /// @notice The fee, in hundredths of a percent of a transfer's amount.
    uint256 public basisPointsRate;
    /// @notice The most that the fee of a transfer is, in the smallest unit.
    uint256 public maximumFee;
    /// @notice Whether an account does not send.
    mapping(address account => bool) public isBlackListed;
    /// @notice An account's balance, in the smallest unit.
    mapping(address account => uint256) public balanceOf;
    /// @notice What a spender may take of an owner's, in the smallest unit; the largest uint256 is not used up.
    mapping(address owner => mapping(address spender => uint256)) public allowance;

    /// @notice Tokens moved.
    /// @param from The account that had them; zero: minted.
    /// @param to The account that has them.
    /// @param value In the smallest unit, the fee not included.
    event Transfer(address indexed from, address indexed to, uint256 value);
    /// @notice An allowance was set.
    /// @param owner The account whose tokens can be taken.
    /// @param spender The account that may take them.
    /// @param value In the smallest unit.
    event Approval(address indexed owner, address indexed spender, uint256 value);

    /// @notice An account does not send from now on.
    /// @param account The account.
    event AddedBlackList(address account);
    /// @notice An account sends again.
    /// @param account The account.
    event RemovedBlackList(address account);
    /// @notice The balance of a blacklisted account was burnt.
    /// @param account The account.
    /// @param balance In the smallest unit.
    event DestroyedBlackFunds(address account, uint256 balance);
    /// @notice The fee was set.
    /// @param feeBasisPoints In hundredths of a percent.
    /// @param maxFee In the smallest unit.
    event Params(uint256 feeBasisPoints, uint256 maxFee);

    /// @notice The sender has too little.
    /// @param from The sender.
    /// @param balance What it has, in the smallest unit.
    /// @param needed What it sends, in the smallest unit.
    error InsufficientBalance(address from, uint256 balance, uint256 needed);
    /// @notice The spender may not take so much.
    /// @param spender The spender.
    /// @param allowed What it may take, in the smallest unit.
    /// @param needed What it takes, in the smallest unit.
    error InsufficientAllowance(address spender, uint256 allowed, uint256 needed);
    /// @notice The sender is blacklisted.
    /// @param account The sender.
    error AccountBlackListed(address account);
    /// @notice The account is not blacklisted.
    /// @param account The account.
    error AccountNotBlackListed(address account);
    /// @notice The fee is more than TetherToken's can be.
    /// @param basisPoints As given.
    /// @param maxFee As given.
    error FeeTooHigh(uint256 basisPoints, uint256 maxFee);

    /// @notice Mints to anyone. Caller: anyone.
    /// @param to The account that gets the tokens.
    /// @param amount In the smallest unit.
    function faucet(address to, uint256 amount) external {
        _mint(to, amount);
    }

    /// @notice Sets what a spender may take of the caller's.
    /// @param spender The account that may take it.
    /// @param value In the smallest unit; the largest uint256 is not used up.
    function approve(address spender, uint256 value) external {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
    }

    /// @notice Sends the caller's tokens.
    /// @param to The account that gets them, less the fee.
    /// @param value In the smallest unit, the fee included.
    function transfer(address to, uint256 value) external {
        _move(msg.sender, to, value);
    }

    /// @notice Sends tokens of an account that allowed it to the caller.
    /// @param from The account that pays.
    /// @param to The account that gets them, less the fee.
    /// @param value In the smallest unit, the fee included.
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

    /// @notice Blacklists an account: it still receives. Caller: the deployer.
    /// @param account The account.
    function addBlackList(address account) external onlyDeployer {
        isBlackListed[account] = true;
        emit AddedBlackList(account);
    }

    /// @notice Takes an account off the blacklist. Caller: the deployer.
    /// @param account The account.
    function removeBlackList(address account) external onlyDeployer {
        isBlackListed[account] = false;
        emit RemovedBlackList(account);
    }

    /// @notice Burns all that a blacklisted account holds. Caller: the deployer.
    /// @param account The account.
    function destroyBlackFunds(address account) external onlyDeployer {
        if (!isBlackListed[account]) revert AccountNotBlackListed(account);
        uint256 balance = balanceOf[account];
        balanceOf[account] = 0;
        totalSupply -= balance;
        emit DestroyedBlackFunds(account, balance);
    }

    /// @notice Sets the fee. Caller: the deployer.
    /// @param newBasisPoints Below 20.
    /// @param newMaxFee In whole tokens, below 50.
    function setParams(uint256 newBasisPoints, uint256 newMaxFee) external onlyDeployer {
        if (newBasisPoints >= 20 || newMaxFee >= 50) revert FeeTooHigh(newBasisPoints, newMaxFee);
        basisPointsRate = newBasisPoints;
        maximumFee = newMaxFee * 10 ** decimals;
        emit Params(basisPointsRate, maximumFee);
    }

    /// @notice Whether an account is blacklisted.
    /// @param account The account.
    /// @return Whether it is.
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
