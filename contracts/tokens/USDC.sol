// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";
import {ERC3009} from "@openzeppelin/contracts/token/ERC20/extensions/draft-ERC3009.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";
import {PausableToken} from "./PausableToken.sol";
import {TestToken} from "./TestToken.sol";

/// @title Test USDC: 6 decimals, ERC-2612, ERC-3009. NEVER DEPLOY IT TO A REAL NETWORK: see EscrowFunded.
/// @dev The deployer can pause and blacklist as the issuer of FiatToken 2.2 can: no transfer by, from or to a
/// blacklisted account; while paused, no approvals or cancellations either.
contract USDC is TestToken, PausableToken, ERC20Permit, ERC3009 {
    /// @notice Whether an account can neither send nor receive.
    mapping(address account => bool) public isBlacklisted;

    /// @notice Emitted when an account is blacklisted.
    /// @param account The account.
    event Blacklisted(address indexed account);
    /// @notice Emitted when an account is removed from the blacklist.
    /// @param account The account.
    event UnBlacklisted(address indexed account);

    /// @notice The account is blacklisted.
    /// @param account The account.
    error AccountBlacklisted(address account);

    /// @dev Reverts if the account is blacklisted.
    /// @param account The account.
    modifier notBlacklisted(address account) {
        if (isBlacklisted[account]) revert AccountBlacklisted(account);
        _;
    }

    constructor() TestToken("Test USD Coin", "USDC", 6) ERC20Permit("Test USD Coin") {}

    /// @notice ERC-3009's receiveWithAuthorization with the signature as bytes, as in FiatToken 2.2: signatures of
    /// smart wallets do not fit into v, r and s.
    /// @param from The account that signed and pays.
    /// @param to The caller.
    /// @param value In the token's smallest unit.
    /// @param validAfter Unix second after which the authorization is valid.
    /// @param validBefore Unix second before which the authorization is valid.
    /// @param nonce Any 32 bytes that `from` has not used.
    /// @param signature The payer's ECDSA or ERC-1271 signature.
    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes calldata signature
    ) external {
        bytes32 digest = _hashTypedDataV4(
            keccak256(abi.encode(RECEIVE_WITH_AUTHORIZATION_TYPEHASH, from, to, value, validAfter, validBefore, nonce))
        );
        if (!SignatureChecker.isValidSignatureNow(from, digest, signature)) revert ERC3009InvalidSignature();
        if (to != msg.sender) revert ERC20InvalidReceiver(to);
        _transferWithAuthorization(from, to, value, validAfter, validBefore, nonce);
    }

    /// @notice Blacklists an account. Caller: the deployer.
    /// @param account The account.
    function blacklist(address account) external onlyDeployer {
        isBlacklisted[account] = true;
        emit Blacklisted(account);
    }

    /// @notice Removes an account from the blacklist. Caller: the deployer.
    /// @param account The account.
    function unBlacklist(address account) external onlyDeployer {
        isBlacklisted[account] = false;
        emit UnBlacklisted(account);
    }

    /// @inheritdoc TestToken
    function decimals() public view override(TestToken, ERC20) returns (uint8) {
        return TestToken.decimals();
    }

    /// @inheritdoc TestToken
    function transferFrom(
        address from,
        address to,
        uint256 value
    ) public override(TestToken, ERC20) notBlacklisted(msg.sender) returns (bool) {
        return TestToken.transferFrom(from, to, value);
    }

    /// @dev Called for every transfer and mint.
    function _update(
        address from,
        address to,
        uint256 value
    ) internal override whenNotPaused notBlacklisted(from) notBlacklisted(to) {
        super._update(from, to, value);
    }

    function _approve(address owner, address spender, uint256 value, bool emitEvent) internal override whenNotPaused {
        super._approve(owner, spender, value, emitEvent);
    }

    function _cancelAuthorization(address authorizer, bytes32 nonce) internal override whenNotPaused {
        super._cancelAuthorization(authorizer, nonce);
    }

    function _spendAllowance(address owner, address spender, uint256 value) internal override(TestToken, ERC20) {
        TestToken._spendAllowance(owner, spender, value);
    }
}
