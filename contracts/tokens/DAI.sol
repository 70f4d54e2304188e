// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDaiPermit} from "../interfaces/IDaiPermit.sol";
import {TestToken} from "./TestToken.sol";

/// @title Test DAI: 18 decimals, DAI's own permit and no ERC-2612. NEVER DEPLOY IT TO A REAL NETWORK: see EscrowFunded.
contract DAI is TestToken, IDaiPermit {
    // DAI uses this name.
    // solhint-disable const-name-snakecase
    /// @notice The EIP-712 domain's version.
    string public constant version = "1";
    // solhint-enable const-name-snakecase

    /// @notice The EIP-712 type hash of the permit.
    bytes32 public constant PERMIT_TYPEHASH = keccak256(
        "Permit(address holder,address spender,uint256 nonce,uint256 expiry,bool allowed)"
    );
    /// @notice The EIP-712 domain separator, with the chain id at deployment.
    bytes32 public immutable DOMAIN_SEPARATOR = keccak256(
        abi.encode(
            keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
            keccak256("Test Dai Stablecoin"),
            keccak256("1"),
            block.chainid,
            address(this)
        )
    );

    /// @inheritdoc IDaiPermit
    mapping(address holder => uint256) public nonces;

    /// @notice The holder did not sign the permit.
    /// @param holder The holder.
    /// @param signer The recovered signer; zero if there is none.
    error PermitNotSigned(address holder, address signer);
    /// @notice The permit has expired.
    /// @param timestamp The block's timestamp, in Unix seconds.
    /// @param expiry Last Unix second at which the permit was valid.
    error PermitExpired(uint256 timestamp, uint256 expiry);
    /// @notice The permit's nonce is not the holder's current nonce.
    /// @param nonce The permit's nonce.
    /// @param next The holder's current nonce.
    error PermitNonceNotNext(uint256 nonce, uint256 next);

    constructor() TestToken("Test Dai Stablecoin", "DAI", 18) {}

    /// @inheritdoc IDaiPermit
    function permit(
        address holder,
        address spender,
        uint256 nonce,
        uint256 expiry,
        bool allowed,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        address signer = ecrecover(_permitDigest(holder, spender, nonce, expiry, allowed), v, r, s);
        if (signer != holder || holder == address(0)) revert PermitNotSigned(holder, signer);
        if (expiry != 0 && block.timestamp > expiry) revert PermitExpired(block.timestamp, expiry);
        if (nonce != nonces[holder]) revert PermitNonceNotNext(nonce, nonces[holder]);
        nonces[holder] = nonce + 1;
        _approve(holder, spender, allowed ? type(uint256).max : 0);
    }

    function _permitDigest(
        address holder,
        address spender,
        uint256 nonce,
        uint256 expiry,
        bool allowed
    ) private view returns (bytes32) {
        bytes32 structHash = keccak256(abi.encode(PERMIT_TYPEHASH, holder, spender, nonce, expiry, allowed));
        return keccak256(abi.encodePacked(hex"1901", DOMAIN_SEPARATOR, structHash));
    }
}
