// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/// @title A careless smart wallet that accepts every message signed with its owner's key, even if the message does not
/// name the wallet.
contract Wallet {
    address public immutable owner;

    constructor(address owner_) {
        owner = owner_;
    }

    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4) {
        return ECDSA.recover(digest, signature) == owner ? this.isValidSignature.selector : bytes4(0);
    }

    function run(address target, bytes calldata data) external {
        (bool done, bytes memory result) = target.call(data);
        if (!done) {
            assembly ("memory-safe") {
                revert(add(result, 0x20), mload(result))
            }
        }
    }
}

/// @title Delegation code of an EIP-7702 account, without signature validation (ERC-1271).
contract Delegate {
    function ping() external pure returns (bool) {
        return true;
    }
}
