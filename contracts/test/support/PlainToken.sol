// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC20} from "solady/src/tokens/ERC20.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/// @title A plain ERC-20 with ERC-2612 and ERC-3009: what gas is measured with.
/// @dev Built on Solady's ERC-20, because the figures to compare with (commerce-payments) were measured on one.
contract PlainToken is ERC20 {
    bytes32 private constant RECEIVE_TYPEHASH =
        keccak256(
            "ReceiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
        );

    mapping(address authorizer => mapping(bytes32 nonce => bool)) private _used;

    event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce);

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

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
    ) external {
        require(to == msg.sender && !_used[from][nonce], "not usable");
        require(block.timestamp > validAfter && block.timestamp < validBefore, "not now");
        bytes32 data = keccak256(abi.encode(RECEIVE_TYPEHASH, from, to, value, validAfter, validBefore, nonce));
        bytes32 digest = keccak256(abi.encodePacked("\x19\x01", DOMAIN_SEPARATOR(), data));
        require(ECDSA.recover(digest, v, r, s) == from, "not signed");
        _used[from][nonce] = true;
        emit AuthorizationUsed(from, nonce);
        _transfer(from, to, value);
    }

    function name() public pure override returns (string memory) {
        return "Plain";
    }

    function symbol() public pure override returns (string memory) {
        return "PLN";
    }

    function _constantNameHash() internal pure override returns (bytes32) {
        return keccak256("Plain");
    }

    function decimals() public pure override returns (uint8) {
        return 6;
    }
}
