// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IPermit2} from "../../../interfaces/IPermit2.sol";

/// @title A double of Permit2's signature transfer with a witness, as documented, including single-use nonces.
contract Permit2Double is IPermit2 {
    mapping(address owner => mapping(uint256 word => uint256 bits)) public nonceBitmap;

    error NotSigned(address recovered, address owner);
    error NonceUsed();
    error Expired();

    function permitWitnessTransferFrom(
        PermitTransferFrom calldata permit,
        SignatureTransferDetails calldata transferDetails,
        address owner,
        bytes32 witness,
        string calldata witnessTypeString,
        bytes calldata signature
    ) external {
        if (block.timestamp > permit.deadline) revert Expired();
        uint256 bit = 1 << (permit.nonce & 0xff);
        if (nonceBitmap[owner][permit.nonce >> 8] & bit != 0) revert NonceUsed();
        nonceBitmap[owner][permit.nonce >> 8] |= bit;
        _requireSigned(owner, digestOf(permit, msg.sender, witness, witnessTypeString), signature);
        IERC20(permit.permitted.token).transferFrom(owner, transferDetails.to, transferDetails.requestedAmount);
    }

    function invalidateUnorderedNonces(uint256 wordPos, uint256 mask) external {
        nonceBitmap[msg.sender][wordPos] |= mask;
    }

    function digestOf(
        PermitTransferFrom calldata permit,
        address spender,
        bytes32 witness,
        string calldata witnessTypeString
    ) public view returns (bytes32) {
        bytes32 typeHash = keccak256(
            abi.encodePacked(
                "PermitWitnessTransferFrom(TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline,",
                witnessTypeString
            )
        );
        bytes32 permitted = keccak256(
            abi.encode(
                keccak256("TokenPermissions(address token,uint256 amount)"),
                permit.permitted.token,
                permit.permitted.amount
            )
        );
        bytes32 data = keccak256(abi.encode(typeHash, permitted, spender, permit.nonce, permit.deadline, witness));
        bytes32 domain = keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,uint256 chainId,address verifyingContract)"),
                keccak256("Permit2"),
                block.chainid,
                address(this)
            )
        );
        return keccak256(abi.encodePacked(hex"1901", domain, data));
    }

    function _requireSigned(address owner, bytes32 digest, bytes calldata signature) internal view virtual {
        address recovered = ECDSA.recover(digest, signature);
        if (recovered != owner) revert NotSigned(recovered, owner);
    }
}
