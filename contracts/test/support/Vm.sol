// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title The cheatcodes of Hardhat's Solidity test runner that these tests use.
interface Vm {
    struct Log {
        bytes32[] topics;
        bytes data;
        address emitter;
    }

    function addr(uint256 privateKey) external pure returns (address);
    function assume(bool condition) external pure;
    function chainId(uint256 newChainId) external;
    function envOr(string calldata name, string calldata fallback_) external view returns (string memory);
    function etch(address target, bytes calldata code) external;
    function expectEmit(bool topic1, bool topic2, bool topic3, bool data, address emitter) external;
    function expectPartialRevert(bytes4 selector) external;
    function expectRevert() external;
    function expectRevert(bytes4 selector) external;
    function expectRevert(bytes calldata reason) external;
    function getRecordedLogs() external returns (Log[] memory);
    function label(address account, string calldata name) external;
    function load(address target, bytes32 slot) external view returns (bytes32);
    function parseBytes(string calldata text) external pure returns (bytes memory);
    function parseJsonAddress(string calldata json, string calldata key) external pure returns (address);
    function parseJsonBytes(string calldata json, string calldata key) external pure returns (bytes memory);
    function parseJsonBytes32(string calldata json, string calldata key) external pure returns (bytes32);
    function parseJsonUint(string calldata json, string calldata key) external pure returns (uint256);
    function prank(address sender) external;
    function readFile(string calldata path) external view returns (string memory);
    function recordLogs() external;
    function revertToState(uint256 snapshot) external returns (bool);
    function sign(uint256 privateKey, bytes32 digest) external pure returns (uint8 v, bytes32 r, bytes32 s);
    function snapshotState() external returns (uint256);
    function startPrank(address sender) external;
    function stopPrank() external;
    function store(address target, bytes32 slot, bytes32 value) external;
    function warp(uint256 timestamp) external;
}
