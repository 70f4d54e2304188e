// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title DAI's permit function, which predates ERC-2612: sets an unlimited or a zero allowance, and takes the nonce.
/// @dev Source: DAI's contract on Ethereum, 0x6B175474E89094C44Da98b954EedeAC495271d0F.
interface IDaiPermit {
    /// @notice Sets the spender's allowance to unlimited, or to zero if `allowed` is false, as authorized by the
    /// holder's ECDSA signature.
    /// @param holder The account that signed.
    /// @param spender The account that is allowed to spend the holder's tokens.
    /// @param nonce The holder's current nonce.
    /// @param expiry Last Unix second at which the permit is valid; zero for no expiry.
    /// @param allowed True for an unlimited allowance, false for none.
    /// @param v The recovery identifier of the holder's signature.
    /// @param r The r value of the holder's signature.
    /// @param s The s value of the holder's signature.
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
