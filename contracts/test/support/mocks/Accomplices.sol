// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";
import {Permit2Double} from "./Permit2Double.sol";

interface IReceiver {
    function tokensReceived(uint256 amount) external;
}

/// @title An honest token with receive hooks for registered recipients (as in ERC-777), frozen accounts, and optionally
/// expensive balance reads.
contract NotifyingToken {
    mapping(address account => uint256) private _balances;
    mapping(address owner => mapping(address spender => uint256)) public allowance;
    mapping(address account => bool) public frozen;
    mapping(address account => bool) public notified;
    uint256 public readCost;
    /// @dev Whether balances become unreadable after a transfer.
    bool public fallsSilent;
    bool private _silent;

    error Frozen();
    error Silent();

    function mint(address to, uint256 amount) external {
        _balances[to] += amount;
    }

    function setFrozen(address account, bool frozen_) external {
        frozen[account] = frozen_;
    }

    function register() external {
        notified[msg.sender] = true;
    }

    /// @dev Sets the minimum gas cost of one `balanceOf`, as in tokens that compute balances.
    function setReadCost(uint256 cost) external {
        readCost = cost;
    }

    function setFallsSilent(bool fallsSilent_) external {
        fallsSilent = fallsSilent_;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        return true;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        _move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        allowance[from][msg.sender] -= value;
        _move(from, to, value);
        return true;
    }

    function balanceOf(address account) external view returns (uint256) {
        if (_silent) revert Silent();
        uint256 atStart = gasleft();
        while (atStart - gasleft() < readCost) {}
        return _balances[account];
    }

    function _move(address from, address to, uint256 value) private {
        if (frozen[from] || frozen[to]) revert Frozen();
        _balances[from] -= value;
        _balances[to] += value;
        _silent = fallsSilent;
        if (notified[to]) IReceiver(to).tokensReceived(value);
    }
}

/// @title A payer's wallet that reacts to incoming tokens and can stop accepting its owner's signatures.
contract ReactingWallet is IReceiver {
    enum Reaction {
        NONE,
        GIVE_BACK, // returns a unit to the escrow
        BURN_GAS,
        REVERT_HUGE
    }

    address public immutable owner;
    address public escrow;
    Reaction public reaction;
    bool public denies;

    constructor(address owner_) {
        owner = owner_;
    }

    function setReaction(Reaction reaction_) external {
        reaction = reaction_;
    }

    function setDenies(bool denies_) external {
        denies = denies_;
    }

    function run(address target, bytes calldata data) external {
        (bool done, bytes memory result) = target.call(data);
        if (!done) {
            assembly ("memory-safe") {
                revert(add(result, 0x20), mload(result))
            }
        }
    }

    function tokensReceived(uint256) external {
        if (reaction == Reaction.GIVE_BACK) {
            IERC20(msg.sender).transfer(escrow, 1);
        } else if (reaction == Reaction.BURN_GAS) {
            assembly ("memory-safe") {
                invalid()
            }
        } else if (reaction == Reaction.REVERT_HUGE) {
            assembly ("memory-safe") {
                revert(0, 300000)
            }
        }
    }

    function setEscrow(address escrow_) external {
        escrow = escrow_;
    }

    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4) {
        if (denies) return bytes4(0);
        return ECDSA.recover(digest, signature) == owner ? this.isValidSignature.selector : bytes4(0);
    }
}

/// @title A Permit2 double that checks signatures like the real contract: with ERC-1271 if the owner has code,
/// otherwise with the owner's key.
contract Permit2ForWallets is Permit2Double {
    function _requireSigned(address owner, bytes32 digest, bytes calldata signature) internal view override {
        if (!SignatureChecker.isValidSignatureNow(owner, digest, signature)) revert NotSigned(address(0), owner);
    }
}
