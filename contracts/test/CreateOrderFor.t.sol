// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";
import {DAI} from "../tokens/DAI.sol";
import {EscrowTest} from "./support/EscrowTest.sol";

import {Delegate, Wallet} from "./support/mocks/Wallet.sol";

/// @dev Tests the branches in CreateOrderFor.tree.
contract CreateOrderForTest is EscrowTest {
    function test_whenTheCallerIsNotTheOperator_isRefused(address caller) public {
        vm.assume(caller != operator);
        IDeliveryVsPayment.Terms memory terms = newTerms();
        bytes memory signature = sign(PAYER_KEY, paymentDigest(escrow, terms, payer));
        expectCallerRefusal(caller, operator, address(0));
        vm.prank(caller);
        escrow.createOrderFor(terms, payer, true, signature);
    }

    function test_named_withThePayersKey_isFunded() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        _createFor(terms, payer, true, sign(PAYER_KEY, paymentDigest(escrow, terms, payer)));
        assertEq(order(terms).payer, payer, "payer");
        assertEq(escrowed(), AMOUNT, "escrowed");
    }

    function test_named_withAContractsWord_isFunded() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        Wallet wallet = _wallet();
        bytes memory signature = sign(PAYER_KEY, paymentDigest(escrow, terms, address(wallet)));
        _createFor(terms, address(wallet), true, signature);
        assertEq(order(terms).payer, address(wallet), "payer");
    }

    function test_named_withCodeAndKey_isFunded() public {
        vm.etch(payer, address(new Delegate()).code);
        IDeliveryVsPayment.Terms memory terms = newTerms();
        _createFor(terms, payer, true, sign(PAYER_KEY, paymentDigest(escrow, terms, payer)));
        assertEq(order(terms).payer, payer, "payer");
        terms = newTerms();
        _createFor(terms, payer, false, sign(PAYER_KEY, paymentDigest(escrow, terms, address(0))));
        assertEq(order(terms).payer, payer, "payer");
    }

    function test_named_withAnotherKey_isRefused(uint256 key) public {
        key = bound(key, 1, type(uint128).max);
        vm.assume(key != PAYER_KEY);
        IDeliveryVsPayment.Terms memory terms = newTerms();
        bytes32 digest = paymentDigest(escrow, terms, payer);
        _refuse(terms, payer, true, sign(key, digest), digest);
    }

    function test_named_withTheUnnamedForm_isRefused() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        bytes memory signature = sign(PAYER_KEY, paymentDigest(escrow, terms, address(0)));
        _refuse(terms, payer, true, signature, paymentDigest(escrow, terms, payer));
    }

    function test_named_withAContractThatDoesNotStandByIt_isRefused() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        address wallet = address(_wallet());
        bytes32 digest = paymentDigest(escrow, terms, wallet);
        _refuse(terms, wallet, true, sign(PAYEE_KEY, digest), digest);
        address mute = address(new Delegate());
        digest = paymentDigest(escrow, terms, mute);
        _refuse(terms, mute, true, sign(PAYER_KEY, digest), digest);
    }

    function test_malformedSignatures_areRefused(bytes memory signature) public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        _refuse(terms, payer, true, signature, paymentDigest(escrow, terms, payer));
        _refuse(terms, payer, false, signature, paymentDigest(escrow, terms, address(0)));
    }

    function test_zeroPayer_isRefused() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        _refuse(terms, address(0), false, new bytes(65), paymentDigest(escrow, terms, address(0)));
    }

    function test_highS_isRefused() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        bytes32 digest = paymentDigest(escrow, terms, payer);
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(PAYER_KEY, digest);
        uint256 n = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141;
        bytes memory mirrored = abi.encodePacked(r, bytes32(n - uint256(s)), v == 27 ? 28 : 27);
        _refuse(terms, payer, true, mirrored, digest);
    }

    function test_unnamed_withThePayersKey_isFunded() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        _createFor(terms, payer, false, sign(PAYER_KEY, paymentDigest(escrow, terms, address(0))));
        assertEq(order(terms).payer, payer, "payer");
    }

    function test_unnamed_withAContractsWord_isRefused() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        bytes32 digest = paymentDigest(escrow, terms, address(0));
        _refuse(terms, address(_wallet()), false, sign(PAYER_KEY, digest), digest);
    }

    function test_immediate_takesThePaymentIntent() public {
        for (uint256 i = 0; i < 2; i++) {
            IDeliveryVsPayment.Terms memory terms = newTerms(IDeliveryVsPayment.ReleaseType.IMMEDIATE);
            _createFor(terms, payer, i == 1, sign(PAYER_KEY, intentDigest(escrow, terms)));
            assertStatus(terms, IDeliveryVsPayment.Status.AwaitingSettlement);
        }
    }

    function test_immediate_takesNoContractsWordAndNoOtherData() public {
        IDeliveryVsPayment.Terms memory terms = newTerms(IDeliveryVsPayment.ReleaseType.IMMEDIATE);
        bytes32 digest = intentDigest(escrow, terms);
        _refuse(terms, address(_wallet()), true, sign(PAYER_KEY, digest), digest);
        _refuse(terms, payer, true, sign(PAYER_KEY, paymentDigest(escrow, terms, payer)), digest);
        _refuse(terms, payer, false, sign(PAYER_KEY, paymentDigest(escrow, terms, address(0))), digest);
        terms = newTerms();
        bytes memory signature = sign(PAYER_KEY, intentDigest(escrow, terms));
        _refuse(terms, payer, true, signature, paymentDigest(escrow, terms, payer));
    }

    function test_permit_isUsedWhenTheAllowanceIsMissing() public {
        vm.prank(payer);
        token.approve(address(escrow), AMOUNT - 1);
        IDeliveryVsPayment.Terms memory terms = newTerms();
        IDeliveryVsPayment.Permit memory permit = _permit();
        _createWithPermit(terms, permit);
        assertEq(escrowed(), AMOUNT, "escrowed");
        assertEq(token.nonces(payer), 1, "nonce");
    }

    function test_permit_isNotTouchedWhenTheAllowanceSuffices() public {
        vm.prank(payer);
        token.approve(address(escrow), AMOUNT);
        IDeliveryVsPayment.Permit memory nonsense;
        _createWithPermit(newTerms(), nonsense);
        assertEq(token.nonces(payer), 0, "nonce");
    }

    function test_permit_thatIsInvalid_isRefusedWhenNeeded() public {
        vm.prank(payer);
        token.approve(address(escrow), 0);
        IDeliveryVsPayment.Terms memory terms = newTerms();
        bytes memory signature = sign(PAYER_KEY, paymentDigest(escrow, terms, payer));
        IDeliveryVsPayment.Permit memory nonsense;
        nonsense.deadline = START;
        vm.prank(operator);
        vm.expectRevert();
        escrow.createOrderForWithPermit(terms, payer, true, signature, nonsense);
    }

    function test_permit_doesNotReplaceThePayersSignature() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        IDeliveryVsPayment.Permit memory permit = _permit();
        vm.prank(operator);
        vm.expectPartialRevert(IDeliveryVsPayment.SignatureNotValid.selector);
        escrow.createOrderForWithPermit(terms, payer, true, new bytes(65), permit);
        expectCallerRefusal(stranger, operator, address(0));
        vm.prank(stranger);
        escrow.createOrderForWithPermit(terms, payer, true, new bytes(65), permit);
    }

    /// @dev DAI's permit differs from ERC-2612: it grants an unlimited allowance or none, and takes the nonce as an
    /// argument.
    function test_permit_inDaisOwnForm_isUsedWhenTheAllowanceIsMissing() public {
        DAI dai = _listedDai();
        for (uint256 nonce = 0; nonce < 2; nonce++) {
            _createWithPermit(_daiTerms(dai), _daiPermit(dai, nonce, true));
            assertEq(dai.nonces(payer), nonce + 1, "nonce");
            assertEq(dai.allowance(payer, address(escrow)), type(uint256).max, "any amount");
            vm.prank(payer);
            dai.approve(address(escrow), 0);
        }
        assertEq(dai.balanceOf(address(escrow)), 2 * uint256(AMOUNT), "escrowed");
    }

    function test_permit_inDaisOwnForm_isNotNeededAgain() public {
        DAI dai = _listedDai();
        IDeliveryVsPayment.Permit memory permit = _daiPermit(dai, 0, true);
        vm.prank(stranger);
        dai.permit(payer, address(escrow), 0, START, true, permit.v, permit.r, permit.s);
        for (uint256 i = 0; i < 2; i++) _createWithPermit(_daiTerms(dai), permit);
        assertEq(dai.nonces(payer), 1, "nonce");
        assertEq(dai.balanceOf(address(escrow)), 2 * uint256(AMOUNT), "escrowed");
    }

    function test_permit_inDaisOwnForm_thatWasUsedOrRevoked_isRefused() public {
        DAI dai = _listedDai();
        IDeliveryVsPayment.Permit memory permit = _daiPermit(dai, 0, true);
        IDeliveryVsPayment.Permit memory revocation = _daiPermit(dai, 0, false);
        vm.prank(payer);
        dai.permit(payer, address(escrow), 0, START, false, revocation.v, revocation.r, revocation.s);
        _refuseDaiPermit(_daiTerms(dai), permit);
        permit = _daiPermit(dai, 1, true);
        _createWithPermit(_daiTerms(dai), permit);
        vm.prank(payer);
        dai.approve(address(escrow), 0);
        _refuseDaiPermit(_daiTerms(dai), permit);
        _refuseDaiPermit(_daiTerms(dai), _daiPermit(dai, 3, true));
        assertEq(dai.balanceOf(address(escrow)), AMOUNT, "escrowed");
    }

    function _listedDai() private returns (DAI dai) {
        dai = new DAI();
        vm.prank(owner);
        escrow.setTokenListed(address(dai), true);
        dai.faucet(payer, 10 * uint256(AMOUNT));
    }

    function _daiTerms(DAI dai) private returns (IDeliveryVsPayment.Terms memory terms) {
        terms = newTerms();
        terms.token = address(dai);
    }

    function _daiPermit(DAI dai, uint256 nonce, bool allowed) private view returns (IDeliveryVsPayment.Permit memory) {
        bytes32 digest = daiPermitDigest(dai.DOMAIN_SEPARATOR(), payer, address(escrow), nonce, START, allowed);
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(PAYER_KEY, digest);
        return IDeliveryVsPayment.Permit(AMOUNT, START, v, r, s);
    }

    function _refuseDaiPermit(IDeliveryVsPayment.Terms memory terms, IDeliveryVsPayment.Permit memory permit) private {
        bytes memory signature = sign(PAYER_KEY, paymentDigest(escrow, terms, payer));
        vm.expectPartialRevert(DAI.PermitNotSigned.selector);
        vm.prank(operator);
        escrow.createOrderForWithPermit(terms, payer, true, signature, permit);
    }

    function _wallet() private returns (Wallet wallet) {
        wallet = new Wallet(payer);
        token.mint(address(wallet), AMOUNT);
        wallet.run(address(token), abi.encodeCall(token.approve, (address(escrow), AMOUNT)));
    }

    function _permit() private view returns (IDeliveryVsPayment.Permit memory) {
        bytes32 digest = permitDigest(token.DOMAIN_SEPARATOR(), payer, address(escrow), AMOUNT, 0, START);
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(PAYER_KEY, digest);
        return IDeliveryVsPayment.Permit(AMOUNT, START, v, r, s);
    }

    function _createWithPermit(IDeliveryVsPayment.Terms memory terms, IDeliveryVsPayment.Permit memory permit) private {
        bytes memory signature = sign(PAYER_KEY, paymentDigest(escrow, terms, payer));
        vm.prank(operator);
        bytes32 orderId = escrow.createOrderForWithPermit(terms, payer, true, signature, permit);
        assertEq(orderId, escrow.orderIdOf(terms), "id");
    }

    function _createFor(
        IDeliveryVsPayment.Terms memory terms,
        address account,
        bool named,
        bytes memory signature
    ) private {
        vm.prank(operator);
        bytes32 orderId = escrow.createOrderFor(terms, account, named, signature);
        assertEq(orderId, escrow.orderIdOf(terms), "id");
    }

    function _refuse(
        IDeliveryVsPayment.Terms memory terms,
        address account,
        bool named,
        bytes memory signature,
        bytes32 digest
    ) private {
        vm.expectRevert(abi.encodeWithSelector(IDeliveryVsPayment.SignatureNotValid.selector, account, digest));
        vm.prank(operator);
        escrow.createOrderFor(terms, account, named, signature);
    }
}
