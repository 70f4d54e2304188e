// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";
import {IssuedTokens} from "./support/IssuedTokens.sol";

import {PausableToken} from "../tokens/PausableToken.sol";
import {USDC} from "../tokens/USDC.sol";
import {USDT} from "../tokens/USDT.sol";

/// @dev Tests what the issuers of USDT and USDC can do to the escrow and to the parties of its orders, and which laws
/// still hold (contracts/README.md, "What token issuers can do").
contract IssuerPowersTest is IssuedTokens {
    /// @dev This is documented but not prevented, because USDT does not check the recipient. The service's watcher
    /// delists the token.
    function test_blackListedInUSDT_theEscrowStillAcceptsOrders() public {
        usdt.addBlackList(address(escrow));
        IDeliveryVsPayment.Terms memory terms = fundedIn(address(usdt));
        assertStatus(terms, IDeliveryVsPayment.Status.Created);
        assertEq(usdt.balanceOf(address(escrow)), AMOUNT, "escrowed");

        vm.prank(guardian);
        escrow.setTokenListed(address(usdt), false);
        terms = termsIn(address(usdt));
        vm.expectRevert(abi.encodeWithSelector(IDeliveryVsPayment.TokenNotListed.selector, address(usdt)));
        fund(terms);
    }

    function test_blackListedInUSDT_everyReturnIsACredit_untilTheEntryIsRemoved() public {
        IDeliveryVsPayment.Terms[] memory orders = fundReturns(address(usdt));
        uint256 before = usdt.balanceOf(payer);
        usdt.addBlackList(address(escrow));
        returnEach(orders);
        assertCredit(address(usdt), RETURNS * AMOUNT);
        assertEq(usdt.balanceOf(address(escrow)), RETURNS * AMOUNT, "still here");

        _expectBlackListed(address(escrow));
        claimBy(payer, address(usdt));
        usdt.removeBlackList(address(escrow));
        claimBy(payer, address(usdt));
        assertEq(usdt.balanceOf(payer) - before, RETURNS * AMOUNT, "claimed");
    }

    function test_blackListedInUSDT_settleAndWithdrawFail_andKeepWhatIsOwed() public {
        IDeliveryVsPayment.Terms memory settled = releasedIn(address(usdt));
        IDeliveryVsPayment.Terms memory withdrawn = releasedIn(address(usdt));
        usdt.addBlackList(address(escrow));
        _expectBlackListed(address(escrow));
        settle(settled);
        _expectBlackListed(address(escrow));
        withdraw(withdrawn);
        assertAmounts(settled, AMOUNT, 0);
        assertAmounts(withdrawn, AMOUNT, 0);

        usdt.removeBlackList(address(escrow));
        settle(settled);
        withdraw(withdrawn);
        assertEq(usdt.balanceOf(offRamp), AMOUNT, "settled");
        assertEq(usdt.balanceOf(payee), AMOUNT, "withdrawn");
    }

    /// @dev A recipient on USDT's blacklist is paid like any other.
    function test_blackListedInUSDT_payerPayeeAndOffRampReceive() public {
        IDeliveryVsPayment.Terms memory refunded = fundedIn(address(usdt));
        IDeliveryVsPayment.Terms memory settled = releasedIn(address(usdt));
        IDeliveryVsPayment.Terms memory withdrawn = releasedIn(address(usdt));
        usdt.addBlackList(payer);
        usdt.addBlackList(payee);
        usdt.addBlackList(offRamp);
        refundBy(payee, refunded, AMOUNT);
        settle(settled);
        withdraw(withdrawn);
        assertEq(usdt.balanceOf(address(escrow)), 0, "escrowed");
        assertCredit(address(usdt), 0);
        IDeliveryVsPayment.Terms memory terms = termsIn(address(usdt));
        _expectBlackListed(payer);
        fund(terms);
    }

    /// @dev Earlier orders are no longer covered. No exit reports unsent funds as sent: every exit fails or becomes a
    /// credit.
    function test_destroyedFunds_arePaidToNobody() public {
        IDeliveryVsPayment.Terms[] memory orders = fundReturns(address(usdt));
        IDeliveryVsPayment.Terms memory released = releasedIn(address(usdt));
        _destroy();
        returnEach(orders);
        assertCredit(address(usdt), RETURNS * AMOUNT);
        _expectInsufficient(0, AMOUNT);
        settle(released);
        _expectInsufficient(0, AMOUNT);
        withdraw(released);
        _expectInsufficient(0, RETURNS * AMOUNT);
        claimBy(payer, address(usdt));
        assertAmounts(released, AMOUNT, 0);
    }

    /// @dev Orders in another token are paid in full.
    function test_destroyedFunds_hurtNoOtherToken() public {
        fundedIn(address(usdt));
        IDeliveryVsPayment.Terms[] memory orders = fundReturns(address(usdc));
        IDeliveryVsPayment.Terms memory released = releasedIn(address(usdc));
        _destroy();
        returnEach(orders);
        settle(released);
        assertCredit(address(usdc), 0);
        assertEq(usdc.balanceOf(address(escrow)), 0, "escrowed");
    }

    /// @dev Within one token, the first exit is paid, because the escrow keeps no total of what it owes. Once the
    /// blacklist entry is removed, the funds of a new order pay an old order, and the new order is no longer covered.
    /// From the block of the destruction on, the escrow owes more than it holds; the service monitors this condition.
    function test_afterDestruction_aNewOrderPaysAnOldOne() public {
        IDeliveryVsPayment.Terms memory old = releasedIn(address(usdt));
        usdt.addBlackList(address(escrow));
        usdt.destroyBlackFunds(address(escrow));
        assertTrue(usdt.balanceOf(address(escrow)) < AMOUNT, "less than is owed");
        IDeliveryVsPayment.Terms memory fresh = fundedIn(address(usdt));
        _expectBlackListed(address(escrow));
        withdraw(old);

        usdt.removeBlackList(address(escrow));
        withdraw(old);
        assertEq(usdt.balanceOf(payee), AMOUNT, "the old order's");
        refundBy(payee, fresh, AMOUNT);
        assertCredit(address(usdt), AMOUNT);
        assertEq(usdt.balanceOf(address(escrow)), 0, "no cover");
    }

    /// @dev The reason why the guardian delists the token: without new orders there are no new funds, and the loss
    /// stays with the orders whose funds were destroyed.
    function test_afterDestruction_aDelistedTokenTakesNoNewMoney() public {
        IDeliveryVsPayment.Terms memory old = releasedIn(address(usdt));
        vm.prank(guardian);
        escrow.setTokenListed(address(usdt), false);
        _destroy();
        IDeliveryVsPayment.Terms memory terms = termsIn(address(usdt));
        vm.expectRevert(abi.encodeWithSelector(IDeliveryVsPayment.TokenNotListed.selector, address(usdt)));
        fund(terms);
        _expectInsufficient(0, AMOUNT);
        withdraw(old);
    }

    /// @dev An order is paid in full or not at all. Funds that remain after a loss are not divided among the orders.
    function test_afterDestruction_noOrderIsPaidInPart() public {
        IDeliveryVsPayment.Terms memory old = fundedIn(address(usdt));
        _destroy();
        usdt.faucet(address(escrow), AMOUNT - 1);
        refundBy(payee, old, AMOUNT);
        assertCredit(address(usdt), AMOUNT);
        assertEq(usdt.balanceOf(address(escrow)), AMOUNT - 1, "untouched");
    }

    function test_theUSDTFee_refusesFunding() public {
        IDeliveryVsPayment.Terms memory terms = termsIn(address(usdt));
        uint256 fee = _switchFeeOn();
        vm.expectRevert(
            abi.encodeWithSelector(
                IDeliveryVsPayment.ReceivedOtherAmount.selector,
                address(usdt),
                AMOUNT - fee,
                uint256(AMOUNT)
            )
        );
        fund(terms);
        assertEq(order(terms).payer, address(0), "not funded");
    }

    /// @dev The escrow sends exactly what it owes, and the token deducts the fee from the amount received. OrderSettled
    /// states the amount sent, so the service measures the amount that the off-ramp received.
    function test_theUSDTFee_isTheReceiversLoss_onEveryWayOut() public {
        IDeliveryVsPayment.Terms memory settled = releasedIn(address(usdt));
        IDeliveryVsPayment.Terms memory withdrawn = releasedIn(address(usdt));
        IDeliveryVsPayment.Terms memory refunded = fundedIn(address(usdt));
        uint256 before = usdt.balanceOf(payer);
        uint256 fee = _switchFeeOn();

        bytes32 orderId = escrow.orderIdOf(settled);
        vm.expectEmit(true, true, true, true, address(escrow));
        emit IDeliveryVsPayment.OrderSettled(orderId, offRamp, AMOUNT);
        settle(settled);
        assertEq(usdt.balanceOf(offRamp), AMOUNT - fee, "settled");
        assertEq(usdt.balanceOf(address(escrow)), 2 * uint256(AMOUNT), "the others' is untouched");
        withdraw(withdrawn);
        assertEq(usdt.balanceOf(payee), AMOUNT - fee, "withdrawn");
        refundBy(payee, refunded, AMOUNT);
        assertEq(usdt.balanceOf(payer) - before, AMOUNT - fee, "refunded");
        assertEq(usdt.balanceOf(address(escrow)), 0, "escrowed");
        assertEq(usdt.balanceOf(address(this)), 3 * fee, "the issuer's");
    }

    /// @dev A pause voids no claim. Refunds become credits; settlements, withdrawals and claims of credits fail and can
    /// be retried.
    function test_whilePaused_everyExitFailsOrIsACredit_andWorksAfterwards() public {
        address[2] memory issued = [address(usdc), address(usdt)];
        for (uint256 i = 0; i < 2; i++) {
            vm.warp(START);
            IDeliveryVsPayment.Terms[] memory orders = fundReturns(issued[i]);
            IDeliveryVsPayment.Terms memory settled = releasedIn(issued[i]);
            IDeliveryVsPayment.Terms memory withdrawn = releasedIn(issued[i]);
            IDeliveryVsPayment.Terms memory fresh = termsIn(issued[i]);

            PausableToken(issued[i]).pause();
            vm.expectRevert(PausableToken.TokenPaused.selector);
            fund(fresh);
            vm.expectRevert(PausableToken.TokenPaused.selector);
            settle(settled);
            vm.expectRevert(PausableToken.TokenPaused.selector);
            withdraw(withdrawn);
            returnEach(orders);
            assertCredit(issued[i], RETURNS * AMOUNT);
            vm.expectRevert(PausableToken.TokenPaused.selector);
            claimBy(payer, issued[i]);
            assertCredit(issued[i], RETURNS * AMOUNT);

            PausableToken(issued[i]).unpause();
            settle(settled);
            withdraw(withdrawn);
            claimBy(payer, issued[i]);
            fund(fresh);
            assertEq(USDC(issued[i]).balanceOf(address(escrow)), AMOUNT, "the new order's alone");
        }
    }

    /// @dev F8: the credit belongs to the frozen account. Only this account can claim it, once the issuer unfreezes the
    /// account.
    function test_F8_aPayerBlacklistedInUSDC_isCredited_andAloneClaims() public {
        IDeliveryVsPayment.Terms[] memory orders = fundReturns(address(usdc));
        uint256 before = usdc.balanceOf(payer);
        usdc.blacklist(payer);
        returnEach(orders);
        assertCredit(address(usdc), RETURNS * AMOUNT);

        address[5] memory others = [payee, operator, arbiter, offRamp, stranger];
        for (uint256 i = 0; i < 5; i++) {
            vm.expectRevert(abi.encodeWithSelector(IDeliveryVsPayment.NoCredit.selector, others[i], address(usdc)));
            claimBy(others[i], address(usdc));
        }
        _expectBlacklisted(payer);
        claimBy(payer, address(usdc));
        assertCredit(address(usdc), RETURNS * AMOUNT);

        usdc.unBlacklist(payer);
        claimBy(payer, address(usdc));
        assertEq(usdc.balanceOf(payer) - before, RETURNS * AMOUNT, "claimed");
        assertEq(usdc.balanceOf(address(escrow)), 0, "escrowed");
    }

    /// @dev A frozen payer can still release and dispute, because none of the payer's rights requires a transfer by the
    /// payer.
    function test_aPayerBlacklistedInUSDC_keepsItsOtherRights_andFundsNothing() public {
        IDeliveryVsPayment.Terms memory released = fundedIn(address(usdc));
        IDeliveryVsPayment.Terms memory disputed = fundedIn(address(usdc));
        IDeliveryVsPayment.Terms memory fresh = termsIn(address(usdc));
        usdc.blacklist(payer);
        release(released);
        dispute(disputed);
        settle(released);
        assertEq(usdc.balanceOf(offRamp), AMOUNT, "settled");
        _expectBlacklisted(payer);
        fund(fresh);
        bytes32 orderId = escrow.orderIdOf(fresh);
        bytes32 digest = authorizationDigest(
            usdc.DOMAIN_SEPARATOR(),
            payer,
            address(escrow),
            AMOUNT,
            START + 1,
            orderId
        );
        bytes memory signature = sign(PAYER_KEY, digest);
        _expectBlacklisted(payer);
        vm.prank(operator);
        escrow.createOrderWithAuthorization(fresh, payer, 0, START + 1, signature);
    }

    function test_aPayeeBlacklistedInUSDC_cannotWithdraw_andIsSettledInFiat() public {
        IDeliveryVsPayment.Terms memory terms = releasedIn(address(usdc));
        usdc.blacklist(payee);
        _expectBlacklisted(payee);
        withdraw(terms);
        assertTrue(!order(terms).withdrawn, "the refused call leaves no mark");
        settle(terms);
        assertEq(usdc.balanceOf(offRamp), AMOUNT, "settled");
    }

    function test_anOffRampBlacklistedInUSDC_settlesNothing_andThePayeeWithdraws() public {
        IDeliveryVsPayment.Terms[] memory orders = new IDeliveryVsPayment.Terms[](2);
        (orders[0], orders[1]) = (releasedIn(address(usdc)), releasedIn(address(usdc)));
        usdc.blacklist(offRamp);
        _expectBlacklisted(offRamp);
        vm.prank(operator);
        escrow.settle(grouped(orders));
        for (uint256 i = 0; i < 2; i++) assertAmounts(orders[i], AMOUNT, 0);
        withdraw(orders[0]);
        assertEq(usdc.balanceOf(payee), AMOUNT, "withdrawn");
        usdc.unBlacklist(offRamp);
        settle(orders[1]);
        assertEq(usdc.balanceOf(offRamp), AMOUNT, "settled");
    }

    /// @dev Unlike USDT, USDC rejects the funding of orders while the escrow is frozen.
    function test_blacklistedInUSDC_theEscrowTakesNoOrder_andReturnsAreCredits() public {
        IDeliveryVsPayment.Terms[] memory orders = fundReturns(address(usdc));
        IDeliveryVsPayment.Terms memory released = releasedIn(address(usdc));
        IDeliveryVsPayment.Terms memory fresh = termsIn(address(usdc));
        usdc.blacklist(address(escrow));
        _expectBlacklisted(address(escrow));
        fund(fresh);
        _expectBlacklisted(address(escrow));
        settle(released);
        _expectBlacklisted(address(escrow));
        withdraw(released);
        returnEach(orders);
        assertCredit(address(usdc), RETURNS * AMOUNT);
        usdc.unBlacklist(address(escrow));
        claimBy(payer, address(usdc));
        withdraw(released);
        assertEq(usdc.balanceOf(address(escrow)), 0, "escrowed");
    }

    /// @dev Destroys the escrow's USDT and removes the escrow from the blacklist. While the escrow is blacklisted, no
    /// funds can leave, covered or not.
    function _destroy() private {
        usdt.addBlackList(address(escrow));
        usdt.destroyBlackFunds(address(escrow));
        usdt.removeBlackList(address(escrow));
        assertEq(usdt.balanceOf(address(escrow)), 0, "destroyed");
    }

    /// @return fee The fee on AMOUNT at ten basis points.
    function _switchFeeOn() private returns (uint256 fee) {
        usdt.setParams(10, 49);
        fee = uint256(AMOUNT) / 1000;
    }

    function _expectBlackListed(address account) private {
        vm.expectRevert(abi.encodeWithSelector(USDT.AccountBlackListed.selector, account));
    }

    function _expectBlacklisted(address account) private {
        vm.expectRevert(abi.encodeWithSelector(USDC.AccountBlacklisted.selector, account));
    }

    function _expectInsufficient(uint256 balance, uint256 needed) private {
        vm.expectRevert(abi.encodeWithSelector(USDT.InsufficientBalance.selector, address(escrow), balance, needed));
    }
}
