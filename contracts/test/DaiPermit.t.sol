// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Permit.sol";
import {DAI} from "../tokens/DAI.sol";
import {Asserts} from "./support/Asserts.sol";
import {Signing} from "./support/Signing.sol";

/// @dev Tests the branches in DaiPermit.tree.
contract DaiPermitTest is Asserts, Signing {
    uint256 private constant HOLDER_KEY = 0xA11CE;
    uint256 private constant NOW = 1_800_000_000;

    address private holder = vm.addr(HOLDER_KEY);
    address private spender = address(0x0905);
    DAI private dai;
    bytes32 private separator;

    function setUp() public {
        vm.warp(NOW);
        dai = new DAI();
        separator = dai.DOMAIN_SEPARATOR();
        dai.faucet(holder, 100);
    }

    function test_isDais() public view {
        // The type hash of DAI's contract on Ethereum.
        bytes32 typeHash = 0xea2aa0a1be11a07ed86d755c93467f4f82362b452371d1ba94d1715123511acb;
        assertEq(dai.PERMIT_TYPEHASH(), typeHash, "type hash");
        assertEq(separator, domainSeparator("Test Dai Stablecoin", address(dai)), "domain");
        assertEq(dai.name(), "Test Dai Stablecoin");
        assertEq(dai.version(), "1");
        assertEq(dai.decimals(), 18, "decimals");
    }

    function test_allowed_takesAnyAmount() public {
        vm.expectEmit(true, true, true, true, address(dai));
        emit IERC20.Approval(holder, spender, type(uint256).max);
        _permit(HOLDER_KEY, 0, NOW, true);
        assertEq(dai.nonces(holder), 1, "nonce");
        vm.startPrank(spender);
        dai.transferFrom(holder, spender, 30);
        dai.transferFrom(holder, spender, 70);
        vm.stopPrank();
        assertEq(dai.balanceOf(spender), 100, "taken");
        assertEq(dai.allowance(holder, spender), type(uint256).max, "not used up");
    }

    function test_notAllowed_takesNothing() public {
        _permit(HOLDER_KEY, 0, NOW, true);
        vm.expectEmit(true, true, true, true, address(dai));
        emit IERC20.Approval(holder, spender, 0);
        _permit(HOLDER_KEY, 1, NOW, false);
        assertEq(dai.allowance(holder, spender), 0, "allowance");
        assertEq(dai.nonces(holder), 2, "nonce");
        vm.expectRevert(abi.encodeWithSignature("ERC20InsufficientAllowance(address,uint256,uint256)", spender, 0, 1));
        vm.prank(spender);
        dai.transferFrom(holder, spender, 1);
    }

    function test_withoutExpiry_staysGood() public {
        vm.warp(NOW + 36_500 days);
        _permit(HOLDER_KEY, 0, 0, true);
        assertEq(dai.allowance(holder, spender), type(uint256).max, "allowance");
    }

    function test_afterItsExpiry_isRefused() public {
        vm.warp(NOW + 1);
        vm.expectRevert(abi.encodeWithSelector(DAI.PermitExpired.selector, NOW + 1, NOW));
        _permit(HOLDER_KEY, 0, NOW, true);
    }

    function test_ofAnotherKey_isRefused(uint256 key) public {
        key = bound(key, 1, type(uint128).max);
        vm.assume(key != HOLDER_KEY);
        vm.expectRevert(abi.encodeWithSelector(DAI.PermitNotSigned.selector, holder, vm.addr(key)));
        _permit(key, 0, NOW, true);
    }

    function test_ofNobody_isRefused() public {
        vm.expectRevert(abi.encodeWithSelector(DAI.PermitNotSigned.selector, holder, address(0)));
        dai.permit(holder, spender, 0, NOW, true, 0, 0, 0);
        // `ecrecover` returns the zero address for an invalid signature, so the zero address must not match as the
        // holder.
        vm.expectRevert(abi.encodeWithSelector(DAI.PermitNotSigned.selector, address(0), address(0)));
        dai.permit(address(0), spender, 0, NOW, true, 0, 0, 0);
    }

    function test_signedForTheOpposite_isRefused() public {
        bytes32 digest = daiPermitDigest(separator, holder, spender, 0, NOW, false);
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(HOLDER_KEY, digest);
        vm.expectPartialRevert(DAI.PermitNotSigned.selector);
        dai.permit(holder, spender, 0, NOW, true, v, r, s);
    }

    function test_withAnotherNonceThanTheNext_isRefused() public {
        vm.expectRevert(abi.encodeWithSelector(DAI.PermitNonceNotNext.selector, 1, 0));
        _permit(HOLDER_KEY, 1, NOW, true);
        _permit(HOLDER_KEY, 0, NOW, true);
        vm.expectRevert(abi.encodeWithSelector(DAI.PermitNonceNotNext.selector, 0, 1));
        _permit(HOLDER_KEY, 0, NOW, true);
    }

    function test_inTheFormOfErc2612_isNone() public {
        bytes32 digest = permitDigest(separator, holder, spender, 100, 0, NOW);
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(HOLDER_KEY, digest);
        vm.expectRevert();
        IERC20Permit(address(dai)).permit(holder, spender, 100, NOW, v, r, s);
    }

    /// @dev Submits a permit from this contract, which is neither the holder nor the spender.
    function _permit(uint256 key, uint256 nonce, uint256 expiry, bool allowed) private {
        bytes32 digest = daiPermitDigest(separator, holder, spender, nonce, expiry, allowed);
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, digest);
        dai.permit(holder, spender, nonce, expiry, allowed, v, r, s);
    }
}
