// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title The part of Permit2's signature transfer that the escrow calls.
/// @dev Source: Uniswap's Permit2 documentation, "SignatureTransfer".
interface IPermit2 {
    /// @notice What the owner lets be taken.
    struct TokenPermissions {
        address token; // ERC-20
        uint256 amount; // at most, in the token's smallest unit
    }

    /// @notice What the owner signed, beside the spender and the witness.
    struct PermitTransferFrom {
        TokenPermissions permitted; // what can be taken
        uint256 nonce; // unordered, used once
        uint256 deadline; // Unix second, the signature's last
    }

    /// @notice What the spender takes.
    struct SignatureTransferDetails {
        address to; // who gets it
        uint256 requestedAmount; // at most what is permitted, in the token's smallest unit
    }

    /// @notice Transfers from an owner who signed for the caller as spender, and for a witness of the caller's.
    /// @param permit What the owner signed.
    /// @param transferDetails What is taken.
    /// @param owner The account that signed and pays.
    /// @param witness The witness's EIP-712 struct hash.
    /// @param witnessTypeString The end of the signed type, from the witness's field on.
    /// @param signature The owner's: 65 bytes or EIP-2098's 64; of a contract, by ERC-1271.
    function permitWitnessTransferFrom(
        PermitTransferFrom calldata permit,
        SignatureTransferDetails calldata transferDetails,
        address owner,
        bytes32 witness,
        string calldata witnessTypeString,
        bytes calldata signature
    ) external;
}
