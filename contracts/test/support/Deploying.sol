// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../../IDeliveryVsPayment.sol";
import {Asserts} from "./Asserts.sol";

/// @title The escrow's interface with the inherited functions that tests call.
interface IEscrow is IDeliveryVsPayment {
    function MAX_DELIVERY_PERIOD() external view returns (uint256);
    function MIN_DISPUTE_WINDOW() external view returns (uint256);
    function MAX_DISPUTE_WINDOW() external view returns (uint256);
    function PERMIT2() external view returns (address);
    function acceptOwnership() external;
    function guardian() external view returns (address);
    function owner() external view returns (address);
    function transferOwnership(address newOwner) external;
}

/// @title Deploys the escrow from its artifact: by default, the bytecode that runs in production.
/// @dev `new` would compile the escrow with the settings of the tests.
abstract contract Deploying is Asserts {
    function deployEscrow(address owner, address permit2) internal returns (IEscrow escrow) {
        string memory artifacts = vm.envOr("HARDHAT_ARTIFACTS", string("artifacts"));
        string memory file = string.concat(artifacts, "/contracts/DeliveryVsPayment.sol/DeliveryVsPayment.json");
        bytes memory code = vm.parseJsonBytes(vm.readFile(file), ".bytecode");
        code = bytes.concat(code, abi.encode(owner, permit2));
        assembly ("memory-safe") {
            escrow := create(0, add(code, 0x20), mload(code))
        }
        assertTrue(address(escrow) != address(0), "deployed");
    }
}
