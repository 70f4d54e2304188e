// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title What makes a token a TEST token: anyone may mint, and one escrow may pull what nobody owns or allowed.
/// @notice NEVER DEPLOY THIS TO A REAL NETWORK. In test mode a random wallet without tokens and without an allowance has
/// to be able to pay with nothing but a signature. So when the one registered escrow calls `transferFrom`, a missing
/// allowance is waived and a missing balance is minted first. Anywhere else that would be theft and inflation.
abstract contract EscrowFunded {
    address private immutable DEPLOYER = msg.sender;

    /// @notice The contract that may pull without allowance; zero until the deployer sets it, once.
    address public escrow;

    /// @notice The escrow was named.
    /// @param escrow The contract that may pull without allowance.
    event EscrowSet(address indexed escrow);

    /// @notice The caller did not deploy the token.
    /// @param caller The caller.
    /// @param deployer The account that did.
    error OnlyDeployer(address caller, address deployer);
    /// @notice The escrow is named once.
    /// @param escrow The one that was.
    error EscrowAlreadySet(address escrow);

    /// @dev The deployer is the issuer too: it holds the powers that the real tokens' issuers have.
    modifier onlyDeployer() {
        if (msg.sender != DEPLOYER) revert OnlyDeployer(msg.sender, DEPLOYER);
        _;
    }

    /// @notice Names the escrow. Caller: the deployer, once.
    /// @param escrow_ The contract that may pull without allowance.
    function setEscrow(address escrow_) external onlyDeployer {
        if (escrow != address(0)) revert EscrowAlreadySet(escrow);
        escrow = escrow_;
        emit EscrowSet(escrow_);
    }

    function _issuer() internal view returns (address) {
        return DEPLOYER;
    }
}
