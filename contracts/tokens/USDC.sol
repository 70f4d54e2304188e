// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC3009} from "@openzeppelin/contracts/token/ERC20/extensions/draft-ERC3009.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";
import {TestToken} from "./TestToken.sol";

/// @title Test USDC: 6 decimals, ERC-2612, ERC-3009. NEVER DEPLOY IT TO A REAL NETWORK: see EscrowFunded.
contract USDC is TestToken, ERC3009 {
    constructor() TestToken("Test USD Coin", "USDC", 6) {}

    /// @notice ERC-3009's receiveWithAuthorization with the signature as bytes, as FiatToken 2.2 has it: smart wallets
    /// sign in forms that v, r and s cannot hold.
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

    function decimals() public view override(TestToken, ERC20) returns (uint8) {
        return TestToken.decimals();
    }

    function transferFrom(address from, address to, uint256 value) public override(TestToken, ERC20) returns (bool) {
        return TestToken.transferFrom(from, to, value);
    }

    function _spendAllowance(address owner, address spender, uint256 value) internal override(TestToken, ERC20) {
        TestToken._spendAllowance(owner, spender, value);
    }
}
