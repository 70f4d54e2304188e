// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";
import {EscrowTest} from "./support/EscrowTest.sol";

/// @dev Tests the branches in CreateOrder.tree.
contract CreateOrderTest is EscrowTest {
    function test_whenTheTokenIsNotListed_isRefused() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        terms.token = stranger;
        vm.expectRevert(abi.encodeWithSelector(IDeliveryVsPayment.TokenNotListed.selector, stranger));
        fund(terms);
    }

    function test_atTheFundingDeadline_isFunded() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        vm.warp(terms.fundingDeadline);
        fund(terms);
    }

    function test_aSecondAfterTheFundingDeadline_isRefused() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        vm.warp(terms.fundingDeadline + 1);
        expectTimeRefusal(terms.fundingDeadline + 1, 0, terms.fundingDeadline);
        fund(terms);
    }

    function test_whenTheOrderExists_isRefusedForEveryPayer() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        bytes memory refusal = abi.encodeWithSelector(IDeliveryVsPayment.OrderExists.selector, escrow.orderIdOf(terms));
        vm.expectRevert(refusal);
        fund(terms);
        token.mint(stranger, AMOUNT);
        vm.prank(stranger);
        token.approve(address(escrow), AMOUNT);
        vm.expectRevert(refusal);
        vm.prank(stranger);
        escrow.createOrder(terms);
    }

    /// @dev Sets a random bit outside the type of a random field.
    function test_dirtyTerms_areRefused(uint256 word, uint256 bit) public {
        uint8[16] memory width = [255, 160, 160, 160, 160, 160, 160, 160, 120, 40, 40, 40, 40, 3, 1, 255];
        word = bound(word, 1, 14);
        bit = bound(bit, width[word], 255);
        bytes memory data = abi.encodeCall(escrow.createOrder, (newTerms()));
        assembly ("memory-safe") {
            let place := add(add(data, 0x24), mul(word, 0x20))
            mstore(place, or(mload(place), shl(bit, 1)))
        }
        vm.prank(payer);
        (bool done, ) = address(escrow).call(data);
        assertTrue(!done, "refused");
        assertEq(escrowed(), 0, "escrowed");
    }

    function test_dirtyTerms_thatNothingElseReads_areNamed() public {
        uint256[3] memory words = [uint256(1), 3, 14]; // operator, oracle, flag
        for (uint256 i = 0; i < words.length; i++) {
            bytes memory data = abi.encodeCall(escrow.createOrder, (newTerms()));
            uint256 word = words[i];
            assembly ("memory-safe") {
                let place := add(add(data, 0x24), mul(word, 0x20))
                mstore(place, or(mload(place), shl(255, 1)))
            }
            vm.prank(payer);
            (, bytes memory reason) = address(escrow).call(data);
            assertEq(bytes32(reason), bytes32(IDeliveryVsPayment.TermsNotClean.selector), "reason");
        }
    }

    function test_releaseTypeFive_isRefused() public {
        bytes memory data = abi.encodeCall(escrow.createOrder, (newTerms()));
        assembly ("memory-safe") {
            mstore(add(data, add(0x24, 0x1a0)), 5)
        }
        vm.prank(payer);
        (bool done, ) = address(escrow).call(data);
        assertTrue(!done, "refused");
    }

    function test_payee_isNeitherZeroNorTheEscrow() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        terms.payee = address(0);
        _expectRoleRefusal("payee", address(0));
        fund(terms);
        terms.payee = address(escrow);
        _expectRoleRefusal("payee", address(escrow));
        fund(terms);
    }

    function test_offRamp_isNeitherZeroNorTheEscrow() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        terms.offRamp = address(0);
        _expectRoleRefusal("offRamp", address(0));
        fund(terms);
        terms.offRamp = address(escrow);
        _expectRoleRefusal("offRamp", address(escrow));
        fund(terms);
    }

    function test_arbiter_isNoParty() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        terms.arbiter = payer;
        _expectRoleRefusal("arbiter", payer);
        fund(terms);
        terms.arbiter = payee;
        _expectRoleRefusal("arbiter", payee);
        fund(terms);
    }

    function test_arbiter_isNeitherOperatorNorOffRampNorNobody() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        address[3] memory others = [operator, offRamp, address(0)];
        for (uint256 i = 0; i < 3; i++) {
            terms.arbiter = others[i];
            _expectRoleRefusal("arbiter", others[i]);
            fund(terms);
        }
    }

    /// @dev F7: no other account can fund an order that names its payer, which would keep the payer from funding it.
    function test_payer_isTheNamedOne() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        terms.payer = payer;
        token.mint(stranger, AMOUNT);
        vm.startPrank(stranger);
        token.approve(address(escrow), AMOUNT);
        _expectRoleRefusal("payer", stranger);
        escrow.createOrder(terms);
        vm.stopPrank();
        fund(terms);
        assertEq(order(terms).payer, payer, "payer");
    }

    function test_payer_isNotZero() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        _expectRoleRefusal("payer", address(0));
        vm.prank(operator);
        escrow.createOrderWithAuthorization(terms, address(0), 0, START + 1, new bytes(65));
    }

    function test_amount_isAtLeastOne() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        terms.amount = 0;
        expectRangeRefusal("amount", 0, 1, type(uint120).max);
        fund(terms);
        terms.amount = 1;
        fund(terms);
    }

    function test_amount_isAtMostWhatTheTypeHolds() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        terms.amount = type(uint120).max;
        token.mint(payer, type(uint120).max);
        fund(terms);
        release(terms);
        settle(terms);
        assertEq(token.balanceOf(offRamp), type(uint120).max, "settled");
    }

    function test_deliveryPeriod_isBetweenASecondAndTenYears() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        terms.deliveryPeriod = 0;
        expectRangeRefusal("deliveryPeriod", 0, 1, 3650 days);
        fund(terms);
        terms.deliveryPeriod = 3650 days + 1;
        expectRangeRefusal("deliveryPeriod", 3650 days + 1, 1, 3650 days);
        fund(terms);
        terms.deliveryPeriod = 1;
        fund(terms);
        terms.deliveryPeriod = 3650 days;
        fund(terms);
        assertEq(order(terms).deliveryDeadline, START + 3650 days, "deadline");
    }

    function test_disputeWindow_isBetweenAMinuteAndThirtyDays() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        terms.disputeWindow = 59;
        expectRangeRefusal("disputeWindow", 59, 60, 30 days);
        fund(terms);
        terms.disputeWindow = 30 days + 1;
        expectRangeRefusal("disputeWindow", 30 days + 1, 60, 30 days);
        fund(terms);
        terms.disputeWindow = 60;
        fund(terms);
        terms.disputeWindow = 30 days;
        fund(terms);
        assertEq(escrow.MIN_DISPUTE_WINDOW(), 60, "shortest");
        assertEq(escrow.MAX_DISPUTE_WINDOW(), 30 days, "longest");
        assertEq(escrow.MAX_DELIVERY_PERIOD(), 3650 days, "period");
    }

    function test_timeLock_endsByTheDeliveryDeadline() public {
        IDeliveryVsPayment.Terms memory terms = timeLockTerms();
        terms.timeLockUntil = START + PERIOD + 1;
        expectRangeRefusal("timeLockUntil", START + PERIOD + 1, 1, START + PERIOD);
        fund(terms);
        terms.timeLockUntil = 0;
        expectRangeRefusal("timeLockUntil", 0, 1, START + PERIOD);
        fund(terms);
        terms.timeLockUntil = START + PERIOD;
        fund(terms);
        terms.timeLockUntil = 1;
        fund(terms);
    }

    function test_timeLock_belongsToNoOtherType() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        terms.timeLockUntil = 1;
        expectRangeRefusal("timeLockUntil", 1, 0, 0);
        fund(terms);
    }

    function test_withoutAllowanceOrBalance_isRefusedAndNothingStored() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        vm.prank(stranger);
        vm.expectRevert();
        escrow.createOrder(terms);
        vm.prank(stranger);
        token.approve(address(escrow), AMOUNT);
        vm.prank(stranger);
        vm.expectRevert();
        escrow.createOrder(terms);
        assertEq(order(terms).payer, address(0), "payer");
    }

    function test_otherwise_isCreated(uint120 amount, uint40 period) public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        terms.amount = uint120(bound(amount, 1, 1e30));
        terms.deliveryPeriod = uint40(bound(period, 1, 3650 days));
        uint256 before = token.balanceOf(payer);
        vm.expectEmit(true, true, true, true, address(escrow));
        emit IDeliveryVsPayment.OrderCreated(
            escrow.orderIdOf(terms),
            payer,
            payee,
            START + terms.deliveryPeriod,
            terms
        );
        bytes32 orderId = fund(terms);
        assertEq(orderId, keccak256(abi.encode(block.chainid, address(escrow), terms)), "id");
        assertEq(orderId, escrow.orderIdOf(terms), "id");
        assertEq(before - token.balanceOf(payer), terms.amount, "paid");
        assertEq(escrowed(), terms.amount, "escrowed");
        IDeliveryVsPayment.Order memory o = order(terms);
        assertEq(o.payer, payer, "payer");
        assertEq(o.deliveryDeadline, START + terms.deliveryPeriod, "deadline");
        assertEq(o.disputeDeadline, 0, "dispute");
        assertEq(uint256(o.status), 0, "status");
        assertTrue(!o.proven && !o.withdrawn, "flags");
        assertEq(o.released + o.disbursed + o.refunded, 0, "amounts");
        assertTrue(!o.disputedByPayer && !o.disputedByMerchant, "disputes");
    }

    function test_otherwise_onlyTheCreationIsEmitted() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        vm.recordLogs();
        fund(terms);
        assertEq(countEvents(), 1, "events");
    }

    function test_immediate_isReleasedAtOnce() public {
        IDeliveryVsPayment.Terms memory terms = newTerms(IDeliveryVsPayment.ReleaseType.IMMEDIATE);
        vm.expectEmit(true, true, true, true, address(escrow));
        emit IDeliveryVsPayment.FundsReleased(escrow.orderIdOf(terms), payer, IDeliveryVsPayment.Cause.FUNDING, AMOUNT);
        fund(terms);
        assertStatus(terms, IDeliveryVsPayment.Status.AwaitingSettlement);
        assertAmounts(terms, AMOUNT, 0);
        settle(terms);
        assertAmounts(terms, AMOUNT, AMOUNT);
    }

    function _expectRoleRefusal(bytes32 role, address account) private {
        vm.expectRevert(abi.encodeWithSelector(IDeliveryVsPayment.RoleNotAllowed.selector, role, account));
    }
}
