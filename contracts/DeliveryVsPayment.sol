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
/// @notice Holds a payer's tokens until the order's terms determine who receives them: they are released by proof, by
/// time, by milestone, by the payer or by the outcome of a dispute, and are otherwise refunded. No account, including
/// the owner, can send them anywhere but to the payer, the payee and the off-ramp that the terms name.
/// @dev contracts/README.md has a table of who can call what, and when.
contract DeliveryVsPayment is Funding, Delivery, Release, Settlement, Refunds, Disputes {
    /// @notice Deploys an escrow with no guardian and no listed token.
    /// @param owner_ The account that lists tokens and appoints the guardian; it has no power over a funded order.
    /// @param permit2 Uniswap's Permit2: 0x000000000022D473030F116dDEE9F6B43aC78BA3 on every public network.
    constructor(address owner_, address permit2) EIP712("DeliveryVsPayment", "1") Funding(owner_, permit2) {}
}
