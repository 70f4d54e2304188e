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
    string public constant name = "Test Tether USD";
    string public constant symbol = "USDT";
    uint8 public constant decimals = 6;
    // solhint-enable const-name-snakecase

    uint256 public totalSupply;
    /// @notice The fee, in hundredths of a percent of a transfer's amount, and the most that it may be.
    uint256 public basisPointsRate;
    uint256 public maximumFee;
    mapping(address account => bool) public isBlackListed;
    mapping(address account => uint256) public balanceOf;
    mapping(address owner => mapping(address spender => uint256)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    event AddedBlackList(address account);
    event RemovedBlackList(address account);
    event DestroyedBlackFunds(address account, uint256 balance);
    event Params(uint256 feeBasisPoints, uint256 maxFee);

    error InsufficientBalance(address from, uint256 balance, uint256 needed);
    error InsufficientAllowance(address spender, uint256 allowed, uint256 needed);
    error AccountBlackListed(address account);
    error AccountNotBlackListed(address account);
    error FeeTooHigh(uint256 basisPoints, uint256 maxFee);

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

    function addBlackList(address account) external onlyDeployer {
        isBlackListed[account] = true;
        emit AddedBlackList(account);
    }

    function removeBlackList(address account) external onlyDeployer {
        isBlackListed[account] = false;
        emit RemovedBlackList(account);
    }

    /// @notice Burns all that a blacklisted account holds.
    function destroyBlackFunds(address account) external onlyDeployer {
        if (!isBlackListed[account]) revert AccountNotBlackListed(account);
        uint256 balance = balanceOf[account];
        balanceOf[account] = 0;
        totalSupply -= balance;
        emit DestroyedBlackFunds(account, balance);
    }

    /// @notice Sets the fee.
    /// @param newBasisPoints Below 20.
    /// @param newMaxFee In whole tokens, below 50.
    function setParams(uint256 newBasisPoints, uint256 newMaxFee) external onlyDeployer {
        if (newBasisPoints >= 20 || newMaxFee >= 50) revert FeeTooHigh(newBasisPoints, newMaxFee);
        basisPointsRate = newBasisPoints;
        maximumFee = newMaxFee * 10 ** decimals;
        emit Params(basisPointsRate, maximumFee);
    }

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
