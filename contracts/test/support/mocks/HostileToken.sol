// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title A token that can be configured to misbehave in every known way.
contract HostileToken {
    enum Mode {
        HONEST,
        FEE,
        BONUS,
        NO_RETURN,
        RETURNS_FALSE,
        REVERTS,
        LIES, // reports success without moving anything
        DENIES, // moves the funds, but reports failure
        SENDER_FEE // charges the sender an extra unit
    }

    Mode public mode;
    bool public paused;
    mapping(address account => uint256) public balanceOf;
    mapping(address owner => mapping(address spender => uint256)) public allowance;
    mapping(address account => bool) public blocked;

    address private _target;
    bytes private _call;
    bool public reentered;
    bool public reentrySucceeded;
    bytes public reentryResult;

    error Refused();

    function setMode(Mode mode_) external {
        mode = mode_;
    }

    function setPaused(bool paused_) external {
        paused = paused_;
    }

    function setBlocked(address account, bool blocked_) external {
        blocked[account] = blocked_;
    }

    /// @dev Makes the next transfer call `target` with `data` before any funds move.
    function reenter(address target, bytes calldata data) external {
        (_target, _call) = (target, data);
        (reentered, reentrySucceeded) = (false, false);
    }

    /// @dev Has the ERC-2612 interface, and `receiveWithAuthorization` that of ERC-3009, but with simpler signed
    /// messages.
    function permit(
        address owner,
        address spender,
        uint256 value,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        bytes32 digest = keccak256(abi.encode(owner, spender, value, deadline));
        if (ecrecover(digest, v, r, s) != owner) revert Refused();
        allowance[owner][spender] = value;
    }

    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        bytes32 digest = keccak256(abi.encode(from, to, value, validAfter, validBefore, nonce));
        if (to != msg.sender || ecrecover(digest, v, r, s) != from) revert Refused();
        _move(from, to, value);
    }

    /// @dev Sets a balance directly, like a mint or a rebase.
    function setBalance(address account, uint256 balance) external {
        balanceOf[account] = balance;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        return true;
    }

    function transfer(address to, uint256 value) external {
        _move(msg.sender, to, value);
    }

    function transferFrom(address from, address to, uint256 value) external {
        allowance[from][msg.sender] -= value;
        _move(from, to, value);
    }

    function _move(address from, address to, uint256 value) private {
        if (mode == Mode.REVERTS || paused || blocked[from] || blocked[to]) revert Refused();
        if (mode == Mode.RETURNS_FALSE) _return(0);
        if (_target != address(0)) {
            (address target, bytes memory data) = (_target, _call);
            _target = address(0);
            reentered = true;
            (reentrySucceeded, reentryResult) = target.call(data);
        }
        if (mode != Mode.LIES) {
            balanceOf[from] -= mode == Mode.SENDER_FEE ? value + 1 : value;
            if (mode == Mode.FEE) value -= 1;
            if (mode == Mode.BONUS) value += 1;
            balanceOf[to] += value;
        }
        if (mode != Mode.NO_RETURN) _return(mode == Mode.DENIES ? 0 : 1);
    }

    function _return(uint256 word) private pure {
        assembly ("memory-safe") {
            mstore(0, word)
            return(0, 0x20)
        }
    }
}
