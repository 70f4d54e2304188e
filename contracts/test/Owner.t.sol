// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";
import {EscrowTest} from "./support/EscrowTest.sol";

import {DAI} from "../tokens/DAI.sol";
import {EscrowFunded} from "../tokens/EscrowFunded.sol";
import {USDC} from "../tokens/USDC.sol";
import {USDT} from "../tokens/USDT.sol";

/// @dev Tests the branches in Owner.tree.
contract OwnerTest is EscrowTest {
    function test_nobodyElseLists(address caller) public {
        vm.assume(caller != owner);
        vm.startPrank(caller);
        expectCallerRefusal(caller, owner, owner);
        escrow.setTokenListed(address(token), true);
        expectCallerRefusal(caller, owner, address(0));
        escrow.setTokenListed(address(token), false);
        vm.expectRevert(abi.encodeWithSignature("OwnableUnauthorizedAccount(address)", caller));
        escrow.setGuardian(caller);
        vm.stopPrank();
    }

    function test_theGuardian_delistsOnly() public {
        vm.expectEmit(true, true, true, true, address(escrow));
        emit IDeliveryVsPayment.GuardianChanged(stranger);
        vm.prank(owner);
        escrow.setGuardian(stranger);
        assertEq(escrow.guardian(), stranger, "guardian");
        vm.startPrank(stranger);
        escrow.setTokenListed(address(token), false);
        expectCallerRefusal(stranger, owner, owner);
        escrow.setTokenListed(address(token), true);
        vm.stopPrank();
        assertTrue(!escrow.isTokenListed(address(token)), "de-listed");
        vm.prank(owner);
        escrow.setGuardian(address(0));
        expectCallerRefusal(stranger, owner, address(0));
        vm.prank(stranger);
        escrow.setTokenListed(address(token), false);
    }

    function test_listsAndDelists() public {
        vm.expectEmit(true, true, true, true, address(escrow));
        emit IDeliveryVsPayment.TokenListed(address(token), false);
        vm.prank(owner);
        escrow.setTokenListed(address(token), false);
        assertTrue(!escrow.isTokenListed(address(token)), "not listed");
        IDeliveryVsPayment.Terms memory terms = newTerms();
        vm.expectRevert(abi.encodeWithSelector(IDeliveryVsPayment.TokenNotListed.selector, address(token)));
        fund(terms);
        vm.prank(owner);
        escrow.setTokenListed(address(token), true);
        assertTrue(escrow.isTokenListed(address(token)), "listed");
        fund(terms);
    }

    function test_handsOverInTwoSteps() public {
        vm.prank(owner);
        escrow.transferOwnership(stranger);
        assertEq(escrow.owner(), owner, "owner");
        vm.prank(stranger);
        escrow.acceptOwnership();
        assertEq(escrow.owner(), stranger, "owner");
    }

    function test_tokens_areMintedByAnyone_andPulledByTheEscrowAlone() public {
        EscrowFunded[3] memory tokens = [EscrowFunded(new USDC()), new USDT(), new DAI()];
        uint8[3] memory decimals = [6, 6, 18];
        for (uint256 i = 0; i < 3; i++) {
            USDC one = USDC(address(tokens[i]));
            assertEq(one.decimals(), decimals[i], "decimals");
            vm.prank(owner);
            escrow.setTokenListed(address(one), true);
            IDeliveryVsPayment.Terms memory terms = newTerms();
            terms.token = address(one);
            vm.expectRevert();
            fund(terms);

            vm.expectRevert(abi.encodeWithSelector(EscrowFunded.OnlyDeployer.selector, stranger, address(this)));
            vm.prank(stranger);
            one.setEscrow(address(escrow));
            vm.expectEmit(true, true, true, true, address(one));
            emit EscrowFunded.EscrowSet(address(escrow));
            one.setEscrow(address(escrow));
            vm.expectRevert(abi.encodeWithSelector(EscrowFunded.EscrowAlreadySet.selector, address(escrow)));
            one.setEscrow(stranger);

            fund(terms);
            assertEq(one.balanceOf(address(escrow)), AMOUNT, "pulled from nothing");
            release(terms);
            settle(terms);
            assertEq(one.balanceOf(offRamp), AMOUNT, "settled");
        }
    }

    function test_tokens_useUpAnAllowanceThatSuffices() public {
        USDT usdt = new USDT();
        DAI dai = new DAI();
        usdt.setEscrow(address(escrow));
        dai.setEscrow(address(escrow));
        vm.startPrank(payer);
        usdt.approve(address(escrow), 10);
        dai.approve(address(escrow), 10);
        vm.stopPrank();
        usdt.faucet(payer, 3);
        dai.faucet(payer, 3);
        vm.startPrank(address(escrow));
        usdt.transferFrom(payer, stranger, 3);
        dai.transferFrom(payer, stranger, 3);
        vm.stopPrank();
        assertEq(usdt.allowance(payer, address(escrow)), 7, "usdt");
        assertEq(dai.allowance(payer, address(escrow)), 7, "dai");
        assertEq(usdt.balanceOf(payer) + dai.balanceOf(payer), 0, "nothing minted");
    }

    function test_usdt_isATokenLikeAnyOther() public {
        USDT usdt = new USDT();
        usdt.faucet(payer, 10);
        vm.prank(payer);
        usdt.transfer(payee, 4);
        assertEq(usdt.balanceOf(payee), 4, "moved");
        assertEq(usdt.totalSupply(), 10, "supply");
        vm.expectRevert(abi.encodeWithSelector(USDT.InsufficientBalance.selector, payer, 6, 7));
        vm.prank(payer);
        usdt.transfer(payee, 7);
        vm.expectRevert(abi.encodeWithSelector(USDT.InsufficientAllowance.selector, stranger, 0, 1));
        vm.prank(stranger);
        usdt.transferFrom(payer, stranger, 1);
        vm.prank(payer);
        usdt.approve(stranger, type(uint256).max);
        vm.prank(stranger);
        usdt.transferFrom(payer, stranger, 1);
        assertEq(usdt.allowance(payer, stranger), type(uint256).max, "for ever");
    }

    function test_usdc_takesBothFormsOfAnAuthorization() public {
        USDC usdc = new USDC();
        usdc.faucet(payer, 10);
        bytes32 digest = authorizationDigest(usdc.DOMAIN_SEPARATOR(), payer, payee, 3, START + 1, "1");
        bytes memory signature = sign(PAYER_KEY, digest);
        vm.expectRevert(abi.encodeWithSignature("ERC20InvalidReceiver(address)", payee));
        usdc.receiveWithAuthorization(payer, payee, 3, 0, START + 1, "1", signature);
        vm.prank(payee);
        usdc.receiveWithAuthorization(payer, payee, 3, 0, START + 1, "1", signature);
        vm.expectRevert();
        vm.prank(payee);
        usdc.receiveWithAuthorization(payer, payee, 3, 0, START + 1, "1", signature);
        digest = authorizationDigest(usdc.DOMAIN_SEPARATOR(), payer, payee, 4, START + 1, "2");
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(PAYER_KEY, digest);
        vm.prank(payee);
        usdc.receiveWithAuthorization(payer, payee, 4, 0, START + 1, "2", v, r, s);
        assertEq(usdc.balanceOf(payee), 7, "received");
    }
}
