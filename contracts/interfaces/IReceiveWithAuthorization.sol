// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title ERC-3009's `receiveWithAuthorization` in its two forms.
/// @dev The first is the ERC's; the second, for signatures of any length, came with FiatToken 2.2.
interface IReceiveWithAuthorization {
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
