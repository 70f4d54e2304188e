// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title The permit that DAI has had since before ERC-2612: all or nothing, with the nonce as an argument.
/// @dev Source: DAI's contract on Ethereum, 0x6B175474E89094C44Da98b954EedeAC495271d0F.
interface IDaiPermit {
    /// @notice Lets the spender take any amount, or with `allowed` = false none, by the holder's ECDSA signature.
    /// @param holder The account that signed.
    /// @param spender The account that may take its tokens.
    /// @param nonce The holder's next one.
    /// @param expiry Unix second, the last in which the permit can be handed in; zero: none.
    /// @param allowed Whether the spender may take any amount from then on, or none.
    /// @param v With r and s, the holder's signature.
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

    /// @notice How many permits of the holder were used: the nonce of the next one.
    /// @param holder The account.
    /// @return The number.
    function nonces(address holder) external view returns (uint256);
}
