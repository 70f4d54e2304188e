// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title DAI's permit, which predates ERC-2612: all or nothing, with the nonce as an argument.
/// @dev Source: DAI's contract on Ethereum, 0x6B175474E89094C44Da98b954EedeAC495271d0F.
interface IDaiPermit {
    /// @notice Sets the spender's allowance to unlimited, or to zero if `allowed` is false, by the holder's ECDSA
    /// signature.
    /// @param holder The account that signed.
    /// @param spender The account that is allowed to spend the holder's tokens.
    /// @param nonce The holder's current nonce.
    /// @param expiry Last Unix second at which the permit is valid; zero for no expiry.
    /// @param allowed Whether the allowance becomes unlimited or zero.
    /// @param v The holder's signature, with r and s.
    /// @param r See v.
    /// @param s See v.
    function permit(
        address holder,
        address spender,
        uint256 nonce,
        uint256 expiry,
        bool allowed,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external;

    /// @notice Returns the number of permits that the holder has used, which is the next permit's nonce.
    /// @param holder The account.
    /// @return The next nonce.
    function nonces(address holder) external view returns (uint256);
}
