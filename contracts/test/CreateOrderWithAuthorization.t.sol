// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";
import {EscrowTest} from "./support/EscrowTest.sol";

import {IPermit2} from "../interfaces/IPermit2.sol";
import {USDC} from "../tokens/USDC.sol";
import {Permit2Double} from "./support/mocks/Permit2Double.sol";
import {Delegate, Wallet} from "./support/mocks/Wallet.sol";

/// @dev Tests the branches in CreateOrderWithAuthorization.tree.
contract CreateOrderWithAuthorizationTest is EscrowTest {
    Permit2Double private permit2;

    function setUp() public override {
        super.setUp();
        permit2 = new Permit2Double();
        escrow = deployEscrow(owner, address(permit2));
        vm.prank(owner);
        escrow.setTokenListed(address(token), true);
        vm.prank(payer);
        token.approve(address(permit2), type(uint256).max);
    }

    function test_whenTheCallerIsNotTheOperator_isRefused() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        expectCallerRefusal(stranger, operator, address(0));
        vm.prank(stranger);
        escrow.createOrderWithAuthorization(terms, payer, 0, START + 1, new bytes(65));
        expectCallerRefusal(stranger, operator, address(0));
        vm.prank(stranger);
        escrow.createOrderWithPermit2(terms, payer, 0, START, new bytes(65));
    }

    function test_authorization_isFunded() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        bytes memory signature = _authorize(terms, escrow.orderIdOf(terms), AMOUNT);
        vm.prank(operator);
        bytes32 orderId = escrow.createOrderWithAuthorization(terms, payer, 0, START + 1, signature);
        assertEq(orderId, escrow.orderIdOf(terms), "id");
        assertEq(order(terms).payer, payer, "payer");
        assertEq(escrowed(), AMOUNT, "escrowed");
    }

    function test_authorization_withAnotherNonceOrAmount_isRefused(bytes32 nonce, uint256 amount) public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        bytes32 orderId = escrow.orderIdOf(terms);
        vm.assume(nonce != orderId && amount != AMOUNT);
        _refuse(terms, _authorize(terms, nonce, AMOUNT));
        _refuse(terms, _authorize(terms, orderId, amount));
    }

    function test_authorization_asBytes_isFundedForASmartWallet() public {
        USDC usdc = new USDC();
        vm.prank(owner);
        escrow.setTokenListed(address(usdc), true);
        Wallet wallet = new Wallet(payer);
        usdc.faucet(address(wallet), AMOUNT);
        IDeliveryVsPayment.Terms memory terms = newTerms();
        terms.token = address(usdc);
        bytes32 digest = authorizationDigest(
            usdc.DOMAIN_SEPARATOR(),
            address(wallet),
            address(escrow),
            AMOUNT,
            START + 1,
            escrow.orderIdOf(terms)
        );
        // The careless wallet accepts any recoverable signature, but rejects one of 66 bytes. The rejection shows that
        // the escrow called the form with bytes. A signature of 64 bytes (EIP-2098) would not show this.
        bytes memory signature = bytes.concat(sign(PAYER_KEY, digest), hex"00");
        vm.prank(operator);
        vm.expectRevert(bytes4(keccak256("ERC3009InvalidSignature()")));
        escrow.createOrderWithAuthorization(terms, address(wallet), 0, START + 1, signature);

        vm.etch(address(wallet), address(new Trusting()).code);
        vm.prank(operator);
        escrow.createOrderWithAuthorization(terms, address(wallet), 0, START + 1, signature);
        assertEq(usdc.balanceOf(address(escrow)), AMOUNT, "escrowed");
    }

    /// @dev A contract wallet can use 65-byte signatures, and an account that delegates to code (EIP-7702) signs with
    /// its key.
    function test_authorization_in65Bytes_ofAWalletAndOfADelegatingAccount() public {
        USDC usdc = new USDC();
        vm.prank(owner);
        escrow.setTokenListed(address(usdc), true);
        address wallet = address(new Wallet(payer));
        vm.etch(payer, address(new Delegate()).code);
        address[2] memory payers = [wallet, payer];
        for (uint256 i = 0; i < 2; i++) {
            usdc.faucet(payers[i], AMOUNT);
            IDeliveryVsPayment.Terms memory terms = newTerms();
            terms.token = address(usdc);
            bytes32 orderId = escrow.orderIdOf(terms);
            bytes32 separator = usdc.DOMAIN_SEPARATOR();
            bytes32 digest = authorizationDigest(separator, payers[i], address(escrow), AMOUNT, START + 1, orderId);
            bytes memory signature = sign(PAYER_KEY, digest);
            vm.prank(operator);
            escrow.createOrderWithAuthorization(terms, payers[i], 0, START + 1, signature);
            assertEq(order(terms).payer, payers[i], "payer");
        }
    }

    function test_authorization_thatTheTokenRefuses_fails_asTheTokenSays() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        bytes memory signature = _authorize(terms, escrow.orderIdOf(terms), AMOUNT);
        vm.warp(START + 1);
        vm.expectRevert(bytes4(keccak256("NotUsable()")));
        vm.prank(operator);
        escrow.createOrderWithAuthorization(terms, payer, 0, START + 1, signature);
    }

    function test_permit2_isFunded() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        bytes memory signature = _permit(terms, escrow.orderIdOf(terms));
        _takeTheDeployedPermit2();
        vm.prank(operator);
        bytes32 orderId = escrow.createOrderWithPermit2(terms, payer, 7, START, signature);
        assertEq(orderId, escrow.orderIdOf(terms), "id");
        assertEq(order(terms).payer, payer, "payer");
        assertEq(escrowed(), AMOUNT, "escrowed");
        assertEq(escrow.PERMIT2(), address(permit2), "permit2");
    }

    function test_permit2_isUsedOnce_andByTheEscrowAlone() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        bytes32 orderId = escrow.orderIdOf(terms);
        bytes memory signature = _permit(terms, orderId);
        _takeTheDeployedPermit2();
        IPermit2.PermitTransferFrom memory permit = _permitOf(terms);
        vm.expectRevert();
        vm.prank(stranger);
        permit2.permitWitnessTransferFrom(
            permit,
            IPermit2.SignatureTransferDetails(stranger, AMOUNT),
            payer,
            permit2Witness(orderId, payer),
            PERMIT2_WITNESS_TYPE,
            signature
        );
        vm.prank(operator);
        escrow.createOrderWithPermit2(terms, payer, 7, START, signature);
        vm.expectRevert();
        vm.prank(address(escrow));
        permit2.permitWitnessTransferFrom(
            permit,
            IPermit2.SignatureTransferDetails(address(escrow), AMOUNT),
            payer,
            permit2Witness(orderId, payer),
            PERMIT2_WITNESS_TYPE,
            signature
        );
    }

    function test_permit2_withAnotherOrdersWitness_isRefused() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        bytes memory signature = _permit(terms, escrow.orderIdOf(newTerms()));
        if (!_takeTheDeployedPermit2()) vm.expectPartialRevert(Permit2Double.NotSigned.selector);
        else vm.expectRevert(bytes4(keccak256("InvalidSigner()")));
        vm.prank(operator);
        escrow.createOrderWithPermit2(terms, payer, 7, START, signature);
    }

    function test_permit2_thatMovesTooLittle_isRefused() public {
        vm.etch(address(permit2), address(new Idle()).code);
        IDeliveryVsPayment.Terms memory terms = newTerms();
        vm.expectRevert(
            abi.encodeWithSelector(IDeliveryVsPayment.ReceivedOtherAmount.selector, address(token), 0, AMOUNT)
        );
        vm.prank(operator);
        escrow.createOrderWithPermit2(terms, payer, 7, START, "");
    }

    function _refuse(IDeliveryVsPayment.Terms memory terms, bytes memory signature) private {
        vm.prank(operator);
        vm.expectRevert();
        escrow.createOrderWithAuthorization(terms, payer, 0, START + 1, signature);
    }

    function _authorize(
        IDeliveryVsPayment.Terms memory,
        bytes32 nonce,
        uint256 amount
    ) private view returns (bytes memory) {
        bytes32 separator = token.DOMAIN_SEPARATOR();
        return sign(PAYER_KEY, authorizationDigest(separator, payer, address(escrow), amount, START + 1, nonce));
    }

    function _permit(IDeliveryVsPayment.Terms memory terms, bytes32 orderId) private view returns (bytes memory) {
        bytes32 witness = permit2Witness(orderId, payer);
        return sign(PAYER_KEY, permit2.digestOf(_permitOf(terms), address(escrow), witness, PERMIT2_WITNESS_TYPE));
    }

    function _permitOf(
        IDeliveryVsPayment.Terms memory terms
    ) private pure returns (IPermit2.PermitTransferFrom memory) {
        return IPermit2.PermitTransferFrom(IPermit2.TokenPermissions(terms.token, terms.amount), 7, START);
    }

    /// @dev Replaces the double with the code in PERMIT2_CODE, if set: the runtime code at Permit2's address on public
    /// networks. Call this function after the double has provided the message to sign (contracts/README.md, "Tests").
    function _takeTheDeployedPermit2() private returns (bool) {
        bytes memory code = vm.parseBytes(vm.envOr("PERMIT2_CODE", string("0x")));
        if (code.length == 0) return false;
        vm.etch(address(permit2), code);
        return true;
    }
}

/// @title A wallet that accepts every signature.
contract Trusting {
    function isValidSignature(bytes32, bytes calldata) external pure returns (bytes4) {
        return this.isValidSignature.selector;
    }
}

/// @title A Permit2 that succeeds without transferring anything.
contract Idle {
    fallback() external {}
}
