// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";
import {EscrowTest} from "./support/EscrowTest.sol";

import {IPermit2} from "../interfaces/IPermit2.sol";
import {HostileToken} from "./support/mocks/HostileToken.sol";
import {Permit2Double} from "./support/mocks/Permit2Double.sol";

/// @dev Tests tokens that misbehave. A listed token can harm its own orders, but it neither harms orders in other
/// tokens nor blocks an exit.
contract HostileTokensTest is EscrowTest {
    HostileToken private hostile;
    Permit2Double private permit2;

    function setUp() public override {
        super.setUp();
        permit2 = new Permit2Double();
        escrow = deployEscrow(owner, address(permit2));
        hostile = new HostileToken();
        vm.prank(owner);
        escrow.setTokenListed(address(token), true);
        vm.prank(payer);
        token.approve(address(escrow), type(uint256).max);
        vm.prank(payer);
        hostile.approve(address(permit2), type(uint256).max);
        vm.prank(owner);
        escrow.setTokenListed(address(hostile), true);
        hostile.setBalance(payer, 100 * uint256(AMOUNT));
        vm.prank(payer);
        hostile.approve(address(escrow), type(uint256).max);
    }

    function test_aFeeOnTransfer_isRefused() public {
        _refuseFunding(HostileToken.Mode.FEE, AMOUNT - 1);
    }

    function test_aBonusOnTransfer_isRefused() public {
        _refuseFunding(HostileToken.Mode.BONUS, AMOUNT + 1);
    }

    function test_aTransferThatDidNotHappen_isRefused() public {
        _refuseFunding(HostileToken.Mode.LIES, 0);
    }

    function test_returnsFalse_orReverts_isRefused() public {
        IDeliveryVsPayment.Terms memory terms = _terms();
        hostile.setMode(HostileToken.Mode.RETURNS_FALSE);
        vm.expectRevert(abi.encodeWithSignature("SafeERC20FailedOperation(address)", address(hostile)));
        fund(terms);
        hostile.setMode(HostileToken.Mode.REVERTS);
        vm.expectRevert(HostileToken.Refused.selector);
        fund(terms);
    }

    function test_withoutCode_isRefused() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        terms.token = stranger;
        vm.prank(owner);
        escrow.setTokenListed(stranger, true);
        vm.expectRevert();
        fund(terms);
    }

    function test_noReturnValue_works() public {
        hostile.setMode(HostileToken.Mode.NO_RETURN);
        IDeliveryVsPayment.Terms memory terms = _terms();
        fund(terms);
        release(terms);
        settle(terms);
        assertEq(hostile.balanceOf(offRamp), AMOUNT, "settled");
        terms = _terms();
        fund(terms);
        refundBy(payee, terms, AMOUNT);
        assertEq(hostile.balanceOf(address(escrow)), 0, "refunded");
    }

    function test_aRefundThatFails_becomesACredit_howeverItFails() public {
        HostileToken.Mode[2] memory modes = [HostileToken.Mode.RETURNS_FALSE, HostileToken.Mode.REVERTS];
        for (uint256 i = 0; i < 2; i++) {
            hostile.setMode(HostileToken.Mode.HONEST);
            IDeliveryVsPayment.Terms memory terms = _terms();
            fund(terms);
            hostile.setMode(modes[i]);
            refundBy(payee, terms, AMOUNT);
            assertEq(escrow.creditOf(payer, address(hostile)), (i + 1) * AMOUNT, "credit");
        }
        hostile.setMode(HostileToken.Mode.HONEST);
        vm.prank(payer);
        escrow.claimCredit(address(hostile));
        assertEq(hostile.balanceOf(address(escrow)), 0, "claimed");
    }

    /// @dev F13: the escrow does not trust the token's return value. The token moves the funds but reports failure, so
    /// the payer gets no additional credit.
    function test_aRefundThatHappened_thoughTheTokenDeniesIt_isNoCredit() public {
        IDeliveryVsPayment.Terms memory terms = _terms();
        fund(terms);
        fund(_terms());
        hostile.setMode(HostileToken.Mode.DENIES);
        refundBy(payee, terms, AMOUNT);
        assertEq(escrow.creditOf(payer, address(hostile)), 0, "no credit");
        assertEq(hostile.balanceOf(address(escrow)), AMOUNT, "the other order's");
    }

    /// @dev F13, the reverse case: the token reports success but does not move the funds.
    function test_aRefundThatDidNotHappen_isACredit() public {
        IDeliveryVsPayment.Terms memory terms = _terms();
        fund(terms);
        hostile.setMode(HostileToken.Mode.LIES);
        refundBy(payee, terms, AMOUNT);
        assertEq(escrow.creditOf(payer, address(hostile)), AMOUNT, "credit");
    }

    /// @dev F13: if the token charges the sender a fee on top of the amount, other orders would pay the fee.
    function test_aFeeOnTheSender_isRefused_onEveryWayOut() public {
        IDeliveryVsPayment.Terms memory terms = _terms();
        fund(terms);
        IDeliveryVsPayment.Terms memory released = _terms();
        fund(released);
        release(released);
        hostile.setMode(HostileToken.Mode.SENDER_FEE);
        bytes memory refusal = abi.encodeWithSelector(
            IDeliveryVsPayment.SentOtherAmount.selector,
            address(hostile),
            uint256(AMOUNT) + 1,
            AMOUNT
        );
        vm.expectRevert(refusal);
        refundBy(payee, terms, AMOUNT);
        vm.expectRevert(refusal);
        withdraw(released);
        vm.expectRevert(refusal);
        settle(released);
        hostile.setMode(HostileToken.Mode.LIES);
        vm.expectRevert(
            abi.encodeWithSelector(IDeliveryVsPayment.SentOtherAmount.selector, address(hostile), 0, AMOUNT)
        );
        withdraw(released);
        hostile.setMode(HostileToken.Mode.HONEST);
        refundBy(payee, terms, AMOUNT);
        settle(released);
        assertEq(hostile.balanceOf(address(escrow)), 0, "nothing kept");
    }

    function test_aTokenThatVanishes_becomesACredit() public {
        IDeliveryVsPayment.Terms memory terms = _terms();
        fund(terms);
        vm.etch(address(hostile), "");
        refundBy(payee, terms, AMOUNT);
        assertEq(escrow.creditOf(payer, address(hostile)), AMOUNT, "credit");
    }

    /// @dev Simulates a caller's gas limit that makes only the second balance read fail, so the amount sent is unknown.
    function test_aTokenThatAnswersBeforeATransferAndNotAfterIt_movesNothing() public {
        Falling falling = new Falling();
        vm.prank(owner);
        escrow.setTokenListed(address(falling), true);
        IDeliveryVsPayment.Terms memory terms = newTerms();
        terms.token = address(falling);
        fund(terms);
        vm.expectRevert(
            abi.encodeWithSelector(
                IDeliveryVsPayment.SentOtherAmount.selector,
                address(falling),
                type(uint256).max,
                AMOUNT
            )
        );
        refundBy(payee, terms, AMOUNT);
        assertEq(escrow.creditOf(payer, address(falling)), 0, "credit");
        assertStatus(terms, IDeliveryVsPayment.Status.Created);
    }

    function test_aRebase_hurtsItsOwnOrdersOnly() public {
        IDeliveryVsPayment.Terms memory bad = _terms();
        fund(bad);
        IDeliveryVsPayment.Terms memory good = funded();
        hostile.setBalance(address(escrow), AMOUNT - 1);
        release(bad);
        vm.expectRevert();
        withdraw(bad);
        release(good);
        withdraw(good);
        assertEq(token.balanceOf(payee), AMOUNT, "withdrawn");
        hostile.setBalance(address(escrow), AMOUNT);
        withdraw(bad);
    }

    function test_aPausedToken_keepsWhatIsOwed() public {
        IDeliveryVsPayment.Terms memory terms = _terms();
        fund(terms);
        release(terms);
        hostile.setPaused(true);
        vm.expectRevert(HostileToken.Refused.selector);
        withdraw(terms);
        hostile.setPaused(false);
        withdraw(terms);
        assertEq(hostile.balanceOf(payee), AMOUNT, "withdrawn");
    }

    /// @dev Tries each operation on another order from within a transfer. The reentrancy guard must reject all of them.
    function test_reentering_everyOperation_isRefused() public {
        bytes[] memory calls = _calls();
        for (uint256 i = 0; i < calls.length; i++) {
            IDeliveryVsPayment.Terms memory terms = _terms();
            hostile.reenter(address(escrow), calls[i]);
            fund(terms);
            _assertRefused();
            hostile.reenter(address(escrow), calls[i]);
            refundBy(payee, terms, AMOUNT);
            _assertRefused();
            terms = _terms();
            fund(terms);
            release(terms);
            hostile.reenter(address(escrow), calls[i]);
            if (i % 2 == 0) settle(terms);
            else withdraw(terms);
            _assertRefused();
        }
        assertEq(hostile.balanceOf(address(escrow)), 0, "nothing kept");
    }

    function _calls() private returns (bytes[] memory calls) {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        IDeliveryVsPayment.Terms[] memory orders = new IDeliveryVsPayment.Terms[](0);
        IDeliveryVsPayment.Permit memory permit;
        calls = new bytes[](20);
        calls[0] = abi.encodeCall(escrow.createOrder, (terms));
        calls[1] = abi.encodeCall(escrow.createOrderFor, (terms, payer, true, ""));
        calls[2] = abi.encodeCall(escrow.createOrderForWithPermit, (terms, payer, true, "", permit));
        calls[3] = abi.encodeCall(escrow.createOrderWithAuthorization, (terms, payer, 0, 1, ""));
        calls[4] = abi.encodeCall(escrow.createOrderWithPermit2, (terms, payer, 0, 1, ""));
        calls[5] = abi.encodeCall(escrow.markShipped, (terms));
        calls[6] = abi.encodeCall(escrow.submitDeliveryProof, (terms, PROOF, URI));
        calls[7] = abi.encodeCall(escrow.submitDeliveryProofFor, (terms, PROOF, URI, ""));
        calls[8] = abi.encodeCall(escrow.release, (terms));
        calls[9] = abi.encodeCall(escrow.releaseTimeLocked, (terms));
        calls[10] = abi.encodeCall(escrow.releaseMilestone, (terms, 1));
        calls[11] = abi.encodeCall(escrow.releaseMilestoneFor, (terms, 1, ""));
        calls[12] = abi.encodeCall(escrow.settle, (grouped(orders)));
        calls[13] = abi.encodeCall(escrow.withdraw, (terms));
        calls[14] = abi.encodeCall(escrow.refund, (terms, 1));
        calls[15] = abi.encodeCall(escrow.reclaim, (terms));
        calls[16] = abi.encodeCall(escrow.raiseDispute, (terms, WINDOW, ""));
        calls[17] = abi.encodeCall(escrow.claimCredit, (address(hostile)));
        calls[18] = abi.encodeCall(escrow.markShippedFor, (terms, ""));
        calls[19] = abi.encodeCall(escrow.raiseDisputeFor, (terms, WINDOW, "", START, ""));
    }

    function test_reentering_theResolutions_isRefused() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        bytes[3] memory calls = [
            abi.encodeCall(escrow.resolveDispute, (terms, 1)),
            abi.encodeCall(escrow.resolveDisputeByAgreement, (terms, 1, START, "", "")),
            abi.encodeCall(escrow.resolveExpiredDispute, (terms))
        ];
        for (uint256 i = 0; i < 3; i++) {
            hostile.reenter(address(escrow), calls[i]);
            fund(_terms());
            _assertRefused();
        }
    }

    function _assertRefused() private view {
        assertTrue(hostile.reentered(), "tried");
        assertTrue(!hostile.reentrySucceeded(), "refused");
        assertEq(
            bytes32(hostile.reentryResult()),
            bytes32(keccak256("Reentered()")) & bytes32(uint256(0xffffffff) << 224),
            "reason"
        );
    }

    /// @dev Expects funding by allowance, by authorization and by Permit2 to revert while the escrow holds another
    /// order's funds.
    function _refuseFunding(HostileToken.Mode mode, uint256 received) private {
        fund(_terms());
        hostile.setMode(mode);
        IDeliveryVsPayment.Terms memory terms = _terms();
        bytes memory refusal = abi.encodeWithSelector(
            IDeliveryVsPayment.ReceivedOtherAmount.selector,
            address(hostile),
            received,
            AMOUNT
        );
        vm.expectRevert(refusal);
        fund(terms);
        bytes32 orderId = escrow.orderIdOf(terms);
        bytes32 digest = keccak256(abi.encode(payer, address(escrow), AMOUNT, 0, 1, orderId));
        bytes memory signature = sign(PAYER_KEY, digest);
        vm.expectRevert(refusal);
        vm.prank(operator);
        escrow.createOrderWithAuthorization(terms, payer, 0, 1, signature);
        digest = permit2.digestOf(
            _permit(terms),
            address(escrow),
            permit2Witness(orderId, payer),
            PERMIT2_WITNESS_TYPE
        );
        signature = sign(PAYER_KEY, digest);
        vm.expectRevert(refusal);
        vm.prank(operator);
        escrow.createOrderWithPermit2(terms, payer, 7, START, signature);
        assertEq(order(terms).payer, address(0), "not funded");
    }

    function _permit(
        IDeliveryVsPayment.Terms memory terms
    ) private pure returns (IPermit2.PermitTransferFrom memory permit) {
        permit.permitted = IPermit2.TokenPermissions(terms.token, terms.amount);
        (permit.nonce, permit.deadline) = (7, START);
    }

    function _terms() private returns (IDeliveryVsPayment.Terms memory terms) {
        terms = newTerms();
        terms.token = address(hostile);
    }
}

/// @dev A token whose balances become unreadable after the first outgoing transfer.
contract Falling {
    mapping(address account => uint256) private _balances;
    bool private _silent;

    error Silent();

    function transfer(address, uint256) external returns (bool) {
        _silent = true;
        return true;
    }

    function transferFrom(address, address to, uint256 value) external returns (bool) {
        _balances[to] += value;
        return true;
    }

    function balanceOf(address account) external view returns (uint256) {
        if (_silent) revert Silent();
        return _balances[account];
    }
}
