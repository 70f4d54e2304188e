// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title ERC-3009's `receiveWithAuthorization` in its two forms.
/// @dev The first is the ERC's; the second, for signatures of any length, came with FiatToken 2.2.
interface IReceiveWithAuthorization {
    /// @notice Transfers to the caller by the payer's signature, in the form of the ERC.
    /// @param from The account that signed and pays.
    /// @param to The caller.
    /// @param value In the token's smallest unit.
    /// @param validAfter Unix second after which the authorization is valid.
    /// @param validBefore Unix second before which it is.
    /// @param nonce Any 32 bytes that `from` has not used: the escrow takes the order's id.
    /// @param v With r and s, the payer's ECDSA signature.
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

    /// @notice The same with a signature of any length.
    /// @param from The account that signed and pays.
    /// @param to The caller.
    /// @param value In the token's smallest unit.
    /// @param validAfter Unix second after which the authorization is valid.
    /// @param validBefore Unix second before which it is.
    /// @param nonce Any 32 bytes that `from` has not used: the escrow takes the order's id.
    /// @param signature The payer's: r, s and v; of a contract, by ERC-1271.
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
