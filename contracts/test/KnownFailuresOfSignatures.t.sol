// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";
import {EscrowTest} from "./support/EscrowTest.sol";
import {Wallet} from "./support/mocks/Wallet.sol";

/// @dev Regression tests for signature and order-id vulnerabilities of other escrow contracts.
contract KnownFailuresOfSignaturesTest is EscrowTest {
    function test_aSignature_isForOneOrder() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        bytes memory signature = sign(PAYER_KEY, paymentDigest(escrow, terms, payer));
        IDeliveryVsPayment.Terms memory other = newTerms();
        vm.expectPartialRevert(IDeliveryVsPayment.SignatureNotValid.selector);
        _createFor(other, payer, signature);
        _createFor(terms, payer, signature);
        vm.expectPartialRevert(IDeliveryVsPayment.OrderExists.selector);
        _createFor(terms, payer, signature);
    }

    function test_aSignature_isForOneChain() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        bytes memory signature = sign(PAYER_KEY, paymentDigest(escrow, terms, payer));
        vm.chainId(1);
        vm.expectPartialRevert(IDeliveryVsPayment.SignatureNotValid.selector);
        _createFor(terms, payer, signature);
    }

    /// @dev A fork that changes the chain id does not lock funds, because ids use the chain id at deployment.
    function test_aFork_keepsEveryOrdersExits() public {
        IDeliveryVsPayment.Terms memory released = funded();
        IDeliveryVsPayment.Terms memory refunded = funded();
        IDeliveryVsPayment.Terms memory reclaimed = funded();
        bytes32 originalId = escrow.orderIdOf(released);
        vm.chainId(1);
        assertEq(escrow.orderIdOf(released), originalId, "id");
        release(released);
        withdraw(released);
        refundBy(payee, refunded, AMOUNT);
        vm.warp(START + PERIOD + 1);
        reclaim(reclaimed);
        assertEq(escrowed(), 0, "escrowed");
    }

    function test_aSignature_isForOneContract() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        bytes memory signature = sign(PAYER_KEY, paymentDigest(escrow, terms, payer));
        bytes32 originalId = escrow.orderIdOf(terms);
        escrow = deployEscrow(owner, address(0x22D4));
        vm.prank(owner);
        escrow.setTokenListed(address(token), true);
        assertTrue(escrow.orderIdOf(terms) != originalId, "another id");
        vm.expectPartialRevert(IDeliveryVsPayment.SignatureNotValid.selector);
        _createFor(terms, payer, signature);
    }

    function test_aSignature_isForOneWalletOfAnOwner() public {
        Wallet first = new Wallet(payer);
        Wallet second = new Wallet(payer);
        IDeliveryVsPayment.Terms memory terms = newTerms();
        bytes memory signature = sign(PAYER_KEY, paymentDigest(escrow, terms, address(first)));
        vm.expectPartialRevert(IDeliveryVsPayment.SignatureNotValid.selector);
        _createFor(terms, address(second), signature);
        vm.expectPartialRevert(IDeliveryVsPayment.SignatureNotValid.selector);
        _createFor(terms, payer, signature);
    }

    /// @dev The id is the hash of the chain id, the contract and all sixteen terms, so any change of the terms changes
    /// the id.
    function test_terms_doNotCollide(uint256 word, uint256 bit) public {
        uint8[16] memory width = [255, 160, 160, 160, 160, 160, 160, 160, 120, 40, 40, 40, 40, 2, 1, 255];
        word = bound(word, 0, 15);
        IDeliveryVsPayment.Terms memory terms = newTerms();
        bytes32 before = escrow.orderIdOf(terms);
        bytes memory encoded = abi.encode(terms);
        bit = word == 13 ? 1 : bound(bit, 0, width[word] - 1);
        assembly ("memory-safe") {
            let pointer := add(add(encoded, 0x20), mul(word, 0x20))
            mstore(pointer, xor(mload(pointer), shl(bit, 1)))
        }
        IDeliveryVsPayment.Terms memory changed = abi.decode(encoded, (IDeliveryVsPayment.Terms));
        bytes32 id = escrow.orderIdOf(changed);
        assertTrue(id != before, "another id");
        assertEq(id, keccak256(abi.encode(block.chainid, address(escrow), changed)), "id");
    }

    function test_aFrontRunPermit_doesNotBlockFunding() public {
        vm.prank(payer);
        token.approve(address(escrow), 0);
        IDeliveryVsPayment.Terms memory terms = newTerms();
        bytes memory signature = sign(PAYER_KEY, paymentDigest(escrow, terms, payer));
        bytes32 digest = permitDigest(token.DOMAIN_SEPARATOR(), payer, address(escrow), AMOUNT, 0, START);
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(PAYER_KEY, digest);
        vm.prank(stranger);
        token.permit(payer, address(escrow), AMOUNT, START, v, r, s);
        vm.prank(operator);
        escrow.createOrderForWithPermit(
            terms,
            payer,
            true,
            signature,
            IDeliveryVsPayment.Permit(AMOUNT, START, v, r, s)
        );
        assertEq(escrowed(), AMOUNT, "escrowed");
    }

    /// @dev If a stranger submits both pending permits, the second permit overwrites the allowance of the first, and
    /// the allowance covers only one payment. The second payment then needs another permit or an approval, but the
    /// payer's signature for it remains valid.
    function test_twoQueuedPermits_submittedByAStranger_loseNothing() public {
        vm.prank(payer);
        token.approve(address(escrow), 0);
        IDeliveryVsPayment.Terms[2] memory orders = [newTerms(), newTerms()];
        IDeliveryVsPayment.Permit[2] memory permits;
        bytes[2] memory signatures;
        for (uint256 i = 0; i < 2; i++) {
            signatures[i] = sign(PAYER_KEY, paymentDigest(escrow, orders[i], payer));
            permits[i] = _permit(i);
            vm.prank(stranger);
            token.permit(payer, address(escrow), AMOUNT, START, permits[i].v, permits[i].r, permits[i].s);
        }
        _createWithPermit(orders[0], signatures[0], permits[0]);
        vm.expectRevert();
        _createWithPermit(orders[1], signatures[1], permits[1]);
        _createWithPermit(orders[1], signatures[1], _permit(2));
        assertEq(escrowed(), 2 * uint256(AMOUNT), "escrowed");
    }

    function _permit(uint256 nonce) private view returns (IDeliveryVsPayment.Permit memory) {
        bytes32 digest = permitDigest(token.DOMAIN_SEPARATOR(), payer, address(escrow), AMOUNT, nonce, START);
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(PAYER_KEY, digest);
        return IDeliveryVsPayment.Permit(AMOUNT, START, v, r, s);
    }

    function _createWithPermit(
        IDeliveryVsPayment.Terms memory terms,
        bytes memory signature,
        IDeliveryVsPayment.Permit memory permit
    ) private {
        vm.prank(operator);
        escrow.createOrderForWithPermit(terms, payer, true, signature, permit);
    }

    /// @dev If the terms name the payer, the payer's ERC-1271 signature is accepted even over a message that does not
    /// name the payer, because the id covers the terms.
    function test_termsThatNameAWallet_takeItsSignature_forBothMessageTypes() public {
        Wallet wallet = new Wallet(payer);
        token.mint(address(wallet), 2 * uint256(AMOUNT));
        wallet.run(address(token), abi.encodeCall(token.approve, (address(escrow), 2 * uint256(AMOUNT))));
        for (uint256 i = 0; i < 2; i++) {
            IDeliveryVsPayment.Terms memory terms = newTerms(
                i == 0 ? IDeliveryVsPayment.ReleaseType.DELIVERY_PROOF : IDeliveryVsPayment.ReleaseType.IMMEDIATE
            );
            terms.payer = address(wallet);
            bytes32 digest = i == 0 ? paymentDigest(escrow, terms, address(0)) : intentDigest(escrow, terms);
            bytes memory signature = sign(PAYER_KEY, digest);
            vm.prank(operator);
            escrow.createOrderFor(terms, address(wallet), false, signature);
            assertEq(order(terms).payer, address(wallet), "payer");
        }
    }

    /// @dev An order with the same salt but different terms has a different id, so it cannot block the original order.
    function test_anOrdersId_cannotBeSquatted() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        IDeliveryVsPayment.Terms memory forged = newTerms();
        forged.salt = terms.salt;
        forged.amount = 1;
        token.mint(stranger, 1);
        vm.startPrank(stranger);
        token.approve(address(escrow), 1);
        escrow.createOrder(forged);
        vm.stopPrank();
        fund(terms);
        assertEq(order(terms).payer, payer, "payer");
    }

    function _createFor(IDeliveryVsPayment.Terms memory terms, address account, bytes memory signature) private {
        vm.prank(operator);
        escrow.createOrderFor(terms, account, true, signature);
    }
}
