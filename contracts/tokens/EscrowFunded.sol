// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title Base of the TEST tokens: anyone can mint, and one escrow can pull without a balance or an allowance.
/// @notice NEVER DEPLOY THIS TO A REAL NETWORK. In test mode, any wallet without tokens and without an allowance must
/// be able to pay with only a signature. When the registered escrow calls `transferFrom`, a missing allowance is
/// therefore waived and a missing balance is minted first. Anywhere else that would be theft and inflation.
abstract contract EscrowFunded {
    address private immutable DEPLOYER = msg.sender;

    /// @notice The contract that can pull without an allowance; zero until the deployer sets it, once.
    address public escrow;

    /// @notice Emitted when the escrow is set.
    /// @param escrow The contract that can pull without an allowance.
    event EscrowSet(address indexed escrow);

    /// @notice The caller is not the deployer of the token.
    /// @param caller The caller.
    /// @param deployer The deployer.
    error OnlyDeployer(address caller, address deployer);
    /// @notice The escrow is already set and cannot be changed.
    /// @param escrow The escrow that is set.
    error EscrowAlreadySet(address escrow);

    /// @dev The deployer also acts as the issuer, with the powers that the real tokens' issuers have.
    modifier onlyDeployer() {
        if (msg.sender != DEPLOYER) revert OnlyDeployer(msg.sender, DEPLOYER);
        _;
    }

    /// @notice Sets the escrow. Caller: the deployer, once.
    /// @param escrow_ The contract that can pull without an allowance.
    function setEscrow(address escrow_) external onlyDeployer {
        if (escrow != address(0)) revert EscrowAlreadySet(escrow);
        escrow = escrow_;
        emit EscrowSet(escrow_);
    }

    function _issuer() internal view returns (address) {
        return DEPLOYER;
    }
}
