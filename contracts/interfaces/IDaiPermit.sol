// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title The permit that DAI has had since before ERC-2612: all or nothing, with the nonce as an argument.
/// @dev Source: DAI's contract on Ethereum, 0x6B175474E89094C44Da98b954EedeAC495271d0F.
interface IDaiPermit {
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

    function nonces(address holder) external view returns (uint256);
}
