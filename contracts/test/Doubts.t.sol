// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";
import {EscrowTest} from "./support/EscrowTest.sol";
import {IEscrow} from "./support/Deploying.sol";

/// @dev Attacks that an adversarial reviewer attempted on this contract, each with its outcome.
contract DoubtsTest is EscrowTest {
    /// @dev Anyone can trigger a dispute's timeout with any amount of gas, possibly enough for a credit but not for the
    /// transfer before it. The gas limit can make the call fail, but it cannot change the outcome.
    function test_littleGas_doesNotTurnARefundIntoACredit(uint256 gasLimit) public {
        gasLimit = bound(gasLimit, 30_000, 300_000);
        IDeliveryVsPayment.Terms memory terms = funded();
        dispute(terms);
        vm.warp(START + WINDOW + 1);
        uint256 before = token.balanceOf(payer);
        vm.prank(stranger);
        (bool done, ) = address(escrow).call{gas: gasLimit}(abi.encodeCall(escrow.resolveExpiredDispute, (terms)));
        assertEq(escrow.creditOf(payer, address(token)), 0, "no credit");
        assertEq(token.balanceOf(payer) - before, done ? AMOUNT : 0, "all or nothing");
    }

    /// @dev Like wrapped ether, the token accepts any call and returns nothing, so every permit and authorization seems
    /// to succeed.
    function test_aTokenThatTakesAnyCall_fundsNothing() public {
        address obliging = address(new Obliging());
        vm.prank(owner);
        escrow.setTokenListed(obliging, true);
        IDeliveryVsPayment.Terms memory terms = newTerms();
        terms.token = obliging;
        bytes memory signature = sign(PAYER_KEY, paymentDigest(escrow, terms, payer));
        IDeliveryVsPayment.Permit memory permit;
        vm.startPrank(operator);
        vm.expectRevert();
        escrow.createOrderForWithPermit(terms, payer, true, signature, permit);
        bytes memory refusal = abi.encodeWithSelector(
            IDeliveryVsPayment.ReceivedOtherAmount.selector,
            obliging,
            0,
            AMOUNT
        );
        vm.expectRevert(refusal);
        escrow.createOrderWithAuthorization(terms, payer, 0, START + 1, new bytes(65));
        vm.expectRevert(refusal);
        escrow.createOrderWithAuthorization(terms, address(escrow), 0, START + 1, "");
        vm.stopPrank();
    }

    function test_nobody_isThePayer() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        bytes memory refusal = abi.encodeWithSelector(
            IDeliveryVsPayment.RoleNotAllowed.selector,
            bytes32("payer"),
            address(0)
        );
        vm.startPrank(operator);
        vm.expectRevert(refusal);
        escrow.createOrderWithAuthorization(terms, address(0), 0, START + 1, new bytes(65));
        vm.expectRevert(refusal);
        escrow.createOrderWithPermit2(terms, address(0), 0, START, new bytes(65));
        vm.stopPrank();
    }

    /// @dev Terms can set a role to zero. The zero address sends no transactions, but can be the sender of a
    /// simulation.
    function test_zero_hasNoRole() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        terms.operator = address(0);
        fund(terms);
        expectCallerRefusal(address(0), payee, address(0));
        vm.prank(address(0));
        escrow.markShipped(terms);
        expectCallerRefusal(address(0), payee, address(0));
        disputeBy(address(0), terms);
    }

    /// @dev An authorization seen in the mempool is useless to others, because only its recipient can submit it.
    function test_anAuthorization_cannotBeUsedByAnybodyElse() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        bytes32 orderId = escrow.orderIdOf(terms);
        bytes32 digest = authorizationDigest(
            token.DOMAIN_SEPARATOR(),
            payer,
            address(escrow),
            AMOUNT,
            START + 1,
            orderId
        );
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(PAYER_KEY, digest);
        vm.expectRevert();
        vm.prank(stranger);
        token.receiveWithAuthorization(payer, address(escrow), AMOUNT, 0, START + 1, orderId, v, r, s);
        expectCallerRefusal(stranger, operator, address(0));
        vm.prank(stranger);
        escrow.createOrderWithAuthorization(terms, payer, 0, START + 1, abi.encodePacked(r, s, v));
        vm.prank(operator);
        escrow.createOrderWithAuthorization(terms, payer, 0, START + 1, abi.encodePacked(r, s, v));
        assertEq(escrowed(), AMOUNT, "escrowed");
    }

    /// @dev Tests the order's second slot at the limits of its fields: no field overflows into the next one.
    function test_theLargestAmount_inPartsAndASplit(uint120 part, uint120 payeeAmount) public {
        uint120 most = type(uint120).max;
        token.mint(payer, most);
        IDeliveryVsPayment.Terms memory terms = milestoneTerms();
        terms.amount = most;
        fund(terms);
        part = uint120(bound(part, 1, most - 2));
        releaseUpTo(terms, part);
        settle(terms);
        assertAmounts(terms, part, part);
        releaseUpTo(terms, uint256(part) + 1);
        dispute(terms);
        payeeAmount = uint120(bound(payeeAmount, 0, most - part - 1));
        uint256 before = token.balanceOf(payer);
        vm.prank(arbiter);
        escrow.resolveDispute(terms, payeeAmount);
        assertEq(token.balanceOf(payer) - before, most - part - 1 - payeeAmount, "payer");
        settle(terms);
        assertAmounts(terms, uint256(part) + 1 + payeeAmount, uint256(part) + 1 + payeeAmount);
        assertEq(order(terms).refunded, most - part - 1 - payeeAmount, "refunded");
        assertEq(token.balanceOf(offRamp), uint256(part) + 1 + payeeAmount, "settled");
        assertEq(escrowed(), 0, "escrowed");
    }

    /// @dev A payer that is also the payee has the rights of both, but gets no more than the order's funds.
    function test_aPayerWhoIsThePayee_getsNoMoreThanItPaid() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        terms.payee = payer;
        uint256 before = token.balanceOf(payer);
        fund(terms);
        funded(); // another order's funds
        vm.startPrank(payer);
        escrow.release(terms);
        escrow.withdraw(terms);
        vm.expectPartialRevert(IDeliveryVsPayment.StatusNotAllowed.selector);
        escrow.refund(terms, AMOUNT);
        vm.expectPartialRevert(IDeliveryVsPayment.NothingReleased.selector);
        escrow.withdraw(terms);
        vm.stopPrank();
        assertEq(before - token.balanceOf(payer), AMOUNT, "the other order alone");
    }

    /// @dev If the merchant ships after the lock has expired, the order can be released immediately. A payer who waits
    /// for goods must dispute before that.
    function test_anUnshippedOrder_canBeDisputedAfterItsLock() public {
        IDeliveryVsPayment.Terms memory terms = timeLockTerms();
        fund(terms);
        vm.warp(uint256(terms.timeLockUntil) + 1);
        dispute(terms);
        vm.expectPartialRevert(IDeliveryVsPayment.StatusNotAllowed.selector);
        ship(terms);
    }

    function test_withoutAnOracle_noSignatureReleasesAMilestone() public {
        IDeliveryVsPayment.Terms memory terms = milestoneTerms();
        fund(terms);
        bytes[3] memory signatures = [sign(PAYER_KEY, milestoneDigest(escrow, terms, 1)), new bytes(65), bytes("")];
        for (uint256 i = 0; i < 3; i++) {
            vm.expectPartialRevert(IDeliveryVsPayment.RoleNotAllowed.selector);
            escrow.releaseMilestoneFor(terms, 1, signatures[i]);
        }
    }

    /// @dev An owner who delists a token and renounces ownership closes no exit of the orders in that token.
    function test_anOwnerWhoLeaves_closesNoExit() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        vm.startPrank(owner);
        escrow.setTokenListed(address(token), false);
        (bool left, ) = address(escrow).call(abi.encodeWithSignature("renounceOwnership()"));
        vm.stopPrank();
        assertTrue(left && escrow.owner() == address(0), "left");
        release(terms);
        withdraw(terms);
        assertEq(token.balanceOf(payee), AMOUNT, "withdrawn");
    }

    /// @dev Two escrows with the same owner share no orders, credits or signatures.
    function test_twoDeployments_shareNothing() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        IEscrow other = deployEscrow(owner, address(0x22D4));
        vm.expectPartialRevert(IDeliveryVsPayment.OrderNotFound.selector);
        vm.prank(payer);
        other.release(terms);
        assertTrue(other.orderIdOf(terms) != escrow.orderIdOf(terms), "ids");
    }
}

/// @title A token that accepts every call, moves nothing and returns nothing.
contract Obliging {
    function balanceOf(address) external pure returns (uint256) {
        return 5;
    }

    function allowance(address, address) external pure returns (uint256) {
        return 0;
    }

    fallback() external {}
}
