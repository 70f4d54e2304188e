// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";
import {EscrowTest} from "./support/EscrowTest.sol";
import {Wallet} from "./support/mocks/Wallet.sol";

/// @dev What went wrong in other escrows with signatures and ids, each as a test.
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
        bytes32 here = escrow.orderIdOf(terms);
        vm.chainId(1);
        assertTrue(escrow.orderIdOf(terms) != here, "another id");
        vm.expectPartialRevert(IDeliveryVsPayment.SignatureNotValid.selector);
        _createFor(terms, payer, signature);
    }

    function test_aSignature_isForOneContract() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        bytes memory signature = sign(PAYER_KEY, paymentDigest(escrow, terms, payer));
        bytes32 here = escrow.orderIdOf(terms);
        escrow = deployEscrow(owner, address(0x22D4));
        vm.prank(owner);
        escrow.setTokenListed(address(token), true);
        assertTrue(escrow.orderIdOf(terms) != here, "another id");
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

    /// @dev Each of the fifteen terms changes the id: it is the hash of all of them.
    function test_terms_doNotCollide(uint256 word, uint256 bit) public {
        uint8[15] memory width = [255, 160, 160, 160, 160, 160, 160, 120, 40, 40, 40, 40, 2, 1, 255];
        word = bound(word, 0, 14);
        IDeliveryVsPayment.Terms memory terms = newTerms();
        bytes32 before = escrow.orderIdOf(terms);
        bytes memory encoded = abi.encode(terms);
        bit = word == 12 ? 1 : bound(bit, 0, width[word] - 1);
        assembly ("memory-safe") {
            let place := add(add(encoded, 0x20), mul(word, 0x20))
            mstore(place, xor(mload(place), shl(bit, 1)))
        }
        IDeliveryVsPayment.Terms memory changed = abi.decode(encoded, (IDeliveryVsPayment.Terms));
        bytes32 id = escrow.orderIdOf(changed);
        assertTrue(id != before, "another id");
        assertEq(id, keccak256(abi.encode(block.chainid, address(escrow), changed)), "id");
    }

    function test_aFrontRunPermit_hurtsNobody() public {
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

    /// @dev Who pays for somebody's terms has paid them; who changes them has another id.
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
