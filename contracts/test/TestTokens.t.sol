// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IssuedTokens} from "./support/IssuedTokens.sol";

import {EscrowFunded} from "../tokens/EscrowFunded.sol";
import {PausableToken} from "../tokens/PausableToken.sol";
import {USDC} from "../tokens/USDC.sol";
import {USDT} from "../tokens/USDT.sol";

/// @dev The test tokens' issuer has the powers of the real tokens' issuers, and no other account has them.
/// IssuerPowers.t.sol tests the effect on orders.
contract TestTokensTest is IssuedTokens {
    function test_theDeployerAlone_hasTheIssuersPowers(address caller) public {
        vm.assume(caller != address(this));
        bytes[4] memory usdcCalls = [
            abi.encodeCall(usdc.blacklist, (payer)),
            abi.encodeCall(usdc.unBlacklist, (payer)),
            abi.encodeCall(usdc.pause, ()),
            abi.encodeCall(usdc.unpause, ())
        ];
        bytes[6] memory usdtCalls = [
            abi.encodeCall(usdt.addBlackList, (payer)),
            abi.encodeCall(usdt.removeBlackList, (payer)),
            abi.encodeCall(usdt.destroyBlackFunds, (payer)),
            abi.encodeCall(usdt.pause, ()),
            abi.encodeCall(usdt.unpause, ()),
            abi.encodeCall(usdt.setParams, (1, 1))
        ];
        for (uint256 i = 0; i < 4; i++) _refuse(caller, address(usdc), usdcCalls[i]);
        for (uint256 i = 0; i < 6; i++) _refuse(caller, address(usdt), usdtCalls[i]);
    }

    function test_usdc_blacklistsCallerSenderAndReceiver() public {
        vm.prank(payer);
        usdc.approve(stranger, 10);
        address[3] memory blacklisted = [stranger, payer, payee];
        for (uint256 i = 0; i < 3; i++) {
            vm.expectEmit(true, true, true, true, address(usdc));
            emit USDC.Blacklisted(blacklisted[i]);
            usdc.blacklist(blacklisted[i]);
            assertTrue(usdc.isBlacklisted(blacklisted[i]), "blacklisted");
            vm.expectRevert(abi.encodeWithSelector(USDC.AccountBlacklisted.selector, blacklisted[i]));
            vm.prank(stranger);
            usdc.transferFrom(payer, payee, 1);
            vm.expectEmit(true, true, true, true, address(usdc));
            emit USDC.UnBlacklisted(blacklisted[i]);
            usdc.unBlacklist(blacklisted[i]);
        }
        vm.prank(stranger);
        usdc.transferFrom(payer, payee, 1);
        assertEq(usdc.balanceOf(payee), 1, "moved");
    }

    /// @dev As in FiatToken 2.2, a frozen account can revoke an allowance.
    function test_usdc_aBlacklistedAccountApproves() public {
        usdc.blacklist(payer);
        vm.prank(payer);
        usdc.approve(address(escrow), 0);
        assertEq(usdc.allowance(payer, address(escrow)), 0, "allowance");
    }

    function test_usdc_whilePaused_nothingIsMovedApprovedOrCancelled() public {
        bytes32 separator = usdc.DOMAIN_SEPARATOR();
        bytes memory byKey = sign(PAYER_KEY, authorizationDigest(separator, payer, payee, 3, START + 1, "1"));
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(PAYER_KEY, permitDigest(separator, payer, stranger, 5, 0, START));
        vm.expectEmit(true, true, true, true, address(usdc));
        emit PausableToken.Pause();
        usdc.pause();
        assertTrue(usdc.paused(), "paused");
        vm.startPrank(payer);
        vm.expectRevert(PausableToken.TokenPaused.selector);
        usdc.transfer(payee, 1);
        vm.expectRevert(PausableToken.TokenPaused.selector);
        usdc.approve(payee, 1);
        vm.stopPrank();
        vm.expectRevert(PausableToken.TokenPaused.selector);
        usdc.permit(payer, stranger, 5, START, v, r, s);
        vm.expectRevert(PausableToken.TokenPaused.selector);
        vm.prank(payee);
        usdc.receiveWithAuthorization(payer, payee, 3, 0, START + 1, "1", byKey);
        (v, r, s) = vm.sign(PAYER_KEY, _cancellationDigest(separator, "1"));
        vm.expectRevert(PausableToken.TokenPaused.selector);
        usdc.cancelAuthorization(payer, "1", v, r, s);

        vm.expectEmit(true, true, true, true, address(usdc));
        emit PausableToken.Unpause();
        usdc.unpause();
        usdc.cancelAuthorization(payer, "1", v, r, s);
        vm.expectRevert();
        vm.prank(payee);
        usdc.receiveWithAuthorization(payer, payee, 3, 0, START + 1, "1", byKey);
    }

    function test_usdt_blackListsTheSenderAlone() public {
        vm.expectEmit(true, true, true, true, address(usdt));
        emit USDT.AddedBlackList(payee);
        usdt.addBlackList(payee);
        assertTrue(usdt.isBlackListed(payee) && usdt.getBlackListStatus(payee), "blacklisted");
        vm.prank(payer);
        usdt.transfer(payee, 5);
        assertEq(usdt.balanceOf(payee), 5, "received");
        vm.expectRevert(abi.encodeWithSelector(USDT.AccountBlackListed.selector, payee));
        vm.prank(payee);
        usdt.transfer(payer, 5);
        vm.expectEmit(true, true, true, true, address(usdt));
        emit USDT.RemovedBlackList(payee);
        usdt.removeBlackList(payee);
        vm.prank(payee);
        usdt.transfer(payer, 5);
    }

    function test_usdt_destroysBlacklistedFundsAlone() public {
        vm.expectRevert(abi.encodeWithSelector(USDT.AccountNotBlackListed.selector, payer));
        usdt.destroyBlackFunds(payer);
        uint256 supply = usdt.totalSupply();
        uint256 balance = usdt.balanceOf(payer);
        usdt.faucet(payee, 7);
        usdt.addBlackList(payer);
        vm.expectEmit(true, true, true, true, address(usdt));
        emit USDT.DestroyedBlackFunds(payer, balance);
        usdt.destroyBlackFunds(payer);
        assertEq(usdt.balanceOf(payer), 0, "destroyed");
        assertEq(usdt.totalSupply(), supply - balance + 7, "supply");
    }

    function test_usdt_whilePaused_nothingMoves_andApprovalsDo() public {
        vm.expectEmit(true, true, true, true, address(usdt));
        emit PausableToken.Pause();
        usdt.pause();
        vm.startPrank(payer);
        usdt.approve(payee, 1);
        vm.expectRevert(PausableToken.TokenPaused.selector);
        usdt.transfer(payee, 1);
        vm.stopPrank();
        vm.expectEmit(true, true, true, true, address(usdt));
        emit PausableToken.Unpause();
        usdt.unpause();
        assertTrue(!usdt.paused(), "unpaused");
        vm.prank(payee);
        usdt.transferFrom(payer, payee, 1);
    }

    function test_usdt_theFee_isTheIssuers_upToItsMost() public {
        uint256[2] memory refusedPoints = [uint256(20), 0];
        uint256[2] memory refusedMost = [uint256(0), 50];
        for (uint256 i = 0; i < 2; i++) {
            vm.expectRevert(abi.encodeWithSelector(USDT.FeeTooHigh.selector, refusedPoints[i], refusedMost[i]));
            usdt.setParams(refusedPoints[i], refusedMost[i]);
        }
        vm.expectEmit(true, true, true, true, address(usdt));
        emit USDT.Params(19, 1_000_000);
        usdt.setParams(19, 1);
        assertEq(usdt.basisPointsRate(), 19, "rate");
        assertEq(usdt.maximumFee(), 1_000_000, "most");
        vm.prank(payer);
        usdt.transfer(payee, 1_000_000);
        assertEq(usdt.balanceOf(payee), 998_100, "19 of 10,000");
        vm.prank(payer);
        usdt.transfer(stranger, 1_000_000_000);
        assertEq(usdt.balanceOf(stranger), 999_000_000, "the most");
        assertEq(usdt.balanceOf(address(this)), 1_001_900, "the issuer's");
    }

    function _refuse(address caller, address issued, bytes memory call) private {
        vm.prank(caller);
        (bool done, bytes memory answer) = issued.call(call);
        assertTrue(!done, "refused");
        bytes memory refusal = abi.encodeWithSelector(EscrowFunded.OnlyDeployer.selector, caller, address(this));
        assertEq(keccak256(answer), keccak256(refusal), "reason");
    }

    function _cancellationDigest(bytes32 separator, bytes32 nonce) private view returns (bytes32) {
        bytes32 typeHash = keccak256("CancelAuthorization(address authorizer,bytes32 nonce)");
        return keccak256(abi.encodePacked(hex"1901", separator, keccak256(abi.encode(typeHash, payer, nonce))));
    }
}
