// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IDaiPermit} from "../interfaces/IDaiPermit.sol";
import {EscrowFunded} from "./EscrowFunded.sol";

/// @title Test DAI: 18 decimals, DAI's own permit and no ERC-2612. NEVER DEPLOY IT TO A REAL NETWORK: see EscrowFunded.
contract DAI is ERC20, EscrowFunded, IDaiPermit {
    // DAI names it so.
    // solhint-disable-next-line const-name-snakecase
    string public constant version = "1";

    bytes32 public constant PERMIT_TYPEHASH = keccak256(
        "Permit(address holder,address spender,uint256 nonce,uint256 expiry,bool allowed)"
    );
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

    error PermitNotSigned(address holder, address signer);
    error PermitExpired(uint256 timestamp, uint256 expiry);
    error PermitNonceNotNext(uint256 nonce, uint256 next);

    constructor() ERC20("Test Dai Stablecoin", "DAI") {}

    /// @notice Mints to anyone, for anyone.
    function faucet(address to, uint256 amount) external {
        _mint(to, amount);
    }

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

    /// @dev Test mode: the escrow's pull never fails for want of money.
    function transferFrom(address from, address to, uint256 value) public override returns (bool) {
        if (msg.sender == escrow) {
            uint256 balance = balanceOf(from);
            if (balance < value) _mint(from, value - balance);
        }
        return super.transferFrom(from, to, value);
    }

    /// @dev Test mode: the escrow needs no allowance; one that suffices is still used up, as on a real network.
    function _spendAllowance(address owner, address spender, uint256 value) internal override {
        if (spender == escrow && allowance(owner, spender) < value) return;
        super._spendAllowance(owner, spender, value);
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
