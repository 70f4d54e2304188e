// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../../IDeliveryVsPayment.sol";
import {EscrowTest} from "./EscrowTest.sol";

import {USDC} from "../../tokens/USDC.sol";
import {USDT} from "../../tokens/USDT.sol";

/// @title Fixture with USDC and USDT, whose issuers can blacklist accounts. The test contract is the issuer of both.
abstract contract IssuedTokens is EscrowTest {
    /// @dev The number of ways in which funds can return to the payer; see `returnEach`.
    uint256 internal constant RETURNS = 5;

    USDC internal usdc;
    USDT internal usdt;
    address internal guardian = address(0x0906);

    function setUp() public virtual override {
        super.setUp();
        (usdc, usdt) = (new USDC(), new USDT());
        vm.startPrank(owner);
        escrow.setTokenListed(address(usdc), true);
        escrow.setTokenListed(address(usdt), true);
        escrow.setGuardian(guardian);
        vm.stopPrank();
        usdc.faucet(payer, 100 * uint256(AMOUNT));
        usdt.faucet(payer, 100 * uint256(AMOUNT));
        vm.startPrank(payer);
        usdc.approve(address(escrow), type(uint256).max);
        usdt.approve(address(escrow), type(uint256).max);
        vm.stopPrank();
    }

    function termsIn(address issued) internal returns (IDeliveryVsPayment.Terms memory terms) {
        terms = newTerms();
        terms.token = issued;
    }

    function fundedIn(address issued) internal returns (IDeliveryVsPayment.Terms memory terms) {
        terms = termsIn(issued);
        fund(terms);
    }

    function releasedIn(address issued) internal returns (IDeliveryVsPayment.Terms memory terms) {
        terms = fundedIn(issued);
        release(terms);
    }

    /// @dev Funds one order for each way in which funds can return to the payer.
    function fundReturns(address issued) internal returns (IDeliveryVsPayment.Terms[] memory orders) {
        orders = new IDeliveryVsPayment.Terms[](RETURNS);
        for (uint256 i = 0; i < RETURNS; i++) orders[i] = fundedIn(issued);
        dispute(orders[2]);
        dispute(orders[3]);
    }

    /// @dev Returns each order's funds to the payer: refunds by the payee and the operator, an arbiter's decision, a
    /// dispute's timeout, and a reclaim.
    function returnEach(IDeliveryVsPayment.Terms[] memory orders) internal {
        refundBy(payee, orders[0], AMOUNT);
        refundBy(operator, orders[1], AMOUNT);
        vm.prank(arbiter);
        escrow.resolveDispute(orders[2], 0);
        expireDispute(orders[3]);
        vm.warp(START + PERIOD + 1);
        reclaim(orders[4]);
        for (uint256 i = 0; i < RETURNS; i++) assertStatus(orders[i], IDeliveryVsPayment.Status.Cancelled);
    }

    function claimBy(address account, address issued) internal {
        vm.prank(account);
        escrow.claimCredit(issued);
    }

    function assertCredit(address issued, uint256 expected) internal view {
        assertEq(escrow.creditOf(payer, issued), expected, "credit");
    }
}
