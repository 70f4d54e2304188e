// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {Delivery} from "./parts/Delivery.sol";
import {Disputes} from "./parts/Disputes.sol";
import {Funding} from "./parts/Funding.sol";
import {Refunds} from "./parts/Refunds.sol";
import {Release} from "./parts/Release.sol";
import {Settlement} from "./parts/Settlement.sol";

/// @title DeliveryVsPayment: an escrow for stablecoin payments.
/// @notice A payer's tokens are held until the order's own terms say whose they are: released by proof, by time, by
/// milestone, by the payer or by a dispute's outcome, else returned. Nobody, the owner included, can send them anywhere
/// but to the payer, the payee and the off-ramp that the terms name.
/// @dev Who may do what, and when, stands as one table in contracts/README.md.
contract DeliveryVsPayment is Funding, Delivery, Release, Settlement, Refunds, Disputes {
    /// @notice Deploys an escrow in which no token can be funded yet, and that has no guardian.
    /// @param owner_ Decides which tokens may be funded, and who the guardian is; has no power over a funded order.
    /// @param permit2 Uniswap's Permit2: 0x000000000022D473030F116dDEE9F6B43aC78BA3 on all real networks.
    constructor(address owner_, address permit2) EIP712("DeliveryVsPayment", "1") Funding(owner_, permit2) {}
}
