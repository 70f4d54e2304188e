// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title The part of Permit2's signature transfer that the escrow calls.
/// @dev Source: Uniswap's Permit2 documentation, "SignatureTransfer".
interface IPermit2 {
    /// @notice The token and amount that the owner permits.
    struct TokenPermissions {
        address token; // ERC-20
        uint256 amount; // maximum, in the token's smallest unit
    }

    /// @notice The fields that the owner signs, besides the spender and the witness.
    struct PermitTransferFrom {
        TokenPermissions permitted; // the permitted transfer
        uint256 nonce; // unordered, usable once
        uint256 deadline; // last Unix second at which the signature is valid
    }

    /// @notice The transfer that the spender requests.
    struct SignatureTransferDetails {
        address to; // recipient
        uint256 requestedAmount; // at most the permitted amount, in the token's smallest unit
    }

    /// @notice Transfers tokens from an owner who signed for the caller as spender and for the caller's witness.
    /// @param permit The fields that the owner signed.
    /// @param transferDetails The requested transfer.
    /// @param owner The account that signed and pays.
    /// @param witness The EIP-712 struct hash of the witness.
    /// @param witnessTypeString The end of the signed type string, from the witness field on.
    /// @param signature The owner's signature: 65 bytes, or 64 bytes by EIP-2098; for a contract, by ERC-1271.
    function permitWitnessTransferFrom(
        PermitTransferFrom calldata permit,
        SignatureTransferDetails calldata transferDetails,
        address owner,
        bytes32 witness,
        string calldata witnessTypeString,
        bytes calldata signature
    ) external;
}
