// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title Both forms of ERC-3009's `receiveWithAuthorization`.
/// @dev The first form is the ERC's; FiatToken 2.2 added the second, for signatures of any length.
interface IReceiveWithAuthorization {
    /// @notice Transfers tokens to the caller by the payer's signature, in the ERC's form.
    /// @param from The account that signed and pays.
    /// @param to The caller.
    /// @param value In the token's smallest unit.
    /// @param validAfter Unix second after which the authorization is valid.
    /// @param validBefore Unix second before which the authorization is valid.
    /// @param nonce Any 32 bytes that `from` has not used; the escrow uses the order's id.
    /// @param v The payer's ECDSA signature, with r and s.
    /// @param r See v.
    /// @param s See v.
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
    ) external;

    /// @notice Same, with a signature of any length.
    /// @param from The account that signed and pays.
    /// @param to The caller.
    /// @param value In the token's smallest unit.
    /// @param validAfter Unix second after which the authorization is valid.
    /// @param validBefore Unix second before which the authorization is valid.
    /// @param nonce Any 32 bytes that `from` has not used; the escrow uses the order's id.
    /// @param signature The payer's signature: r, s and v; for a contract, by ERC-1271.
    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes calldata signature
    ) external;
}
