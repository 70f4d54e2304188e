// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";
import {IPermit2} from "../interfaces/IPermit2.sol";
import {EscrowTest} from "./support/EscrowTest.sol";
import {NotifyingToken, Permit2ForWallets, ReactingWallet} from "./support/mocks/Accomplices.sol";

/// @dev Tests sequences of allowed calls by which one party tries to take or void what belongs to another. The comments
/// name the law at stake (contracts/README.md).
contract ThiefFindingsTest is EscrowTest {
    uint256 private constant SLOT = 12 seconds; // Ethereum has at most one block per slot
    uint256 private constant READ_COST = 20_000; // gas of one balanceOf

    /// @dev Own rights: even the merchant's longest dispute leaves the payer time to dispute before the lock expires.
    function test_aMerchantsDispute_leavesThePayerABlockBeforeTheLock() public {
        IDeliveryVsPayment.Terms memory terms = timeLockTerms();
        assertEq((terms.timeLockUntil - START) % SLOT, 0, "the lock ends with a slot");
        fund(terms);
        ship(terms);
        uint40 longest = terms.timeLockUntil - START - terms.disputeWindow;
        vm.prank(payee);
        vm.expectPartialRevert(IDeliveryVsPayment.OutOfRange.selector);
        escrow.raiseDispute(terms, longest + 1, "");
        vm.prank(payee);
        escrow.raiseDispute(terms, longest, "");
        vm.warp(START + longest + SLOT);
        escrow.resolveExpiredDispute(terms);
        assertEq(terms.timeLockUntil - block.timestamp, terms.disputeWindow - SLOT, "left to the payer");
        vm.warp(terms.timeLockUntil - SLOT);
        dispute(terms);
        assertTrue(order(terms).disputedByPayer, "the payer could raise its dispute");
    }

    /// @dev Own rights: the payer disputes in the second of the deadline to void a milestone that the oracle has
    /// signed.
    function test_aPayersDispute_voidsNoMilestoneSignature() public {
        IDeliveryVsPayment.Terms memory terms = milestoneTerms();
        terms.deliveryOracle = oracle;
        fund(terms);
        bytes memory signature = sign(ORACLE_KEY, milestoneDigest(escrow, terms, AMOUNT / 2));
        bytes memory relayed = abi.encodeCall(escrow.releaseMilestoneFor, (terms, AMOUNT / 2, signature));
        vm.warp(START + PERIOD);
        dispute(terms); // front-runs the relayed signature
        _try(payee, relayed);
        expireDispute(terms); // in the first second after its deadline
        _try(payee, relayed);
        vm.warp(block.timestamp + 1);
        _try(payer, abi.encodeCall(escrow.reclaim, (terms)));
        assertEq(order(terms).released, AMOUNT / 2, "what the oracle has signed");
    }

    /// @dev Own rights: the payer does the same to void a shipment that the oracle has signed, after the lock has
    /// expired.
    function test_aPayersDispute_voidsNoShipmentSignature() public {
        IDeliveryVsPayment.Terms memory terms = timeLockTerms();
        terms.deliveryOracle = oracle;
        fund(terms);
        bytes memory signature = sign(ORACLE_KEY, shipmentDigest(escrow, terms));
        vm.warp(START + PERIOD);
        dispute(terms);
        expireDispute(terms);
        _try(payee, abi.encodeCall(escrow.markShippedFor, (terms, signature)));
        assertStatus(terms, IDeliveryVsPayment.Status.Shipped);
    }

    /// @dev Own rights: the merchant disputes in the second of the deadline to prevent the payer's own dispute.
    function test_aMerchantsDispute_takesNoDisputeFromThePayer() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        prove(terms, PROOF);
        vm.warp(START + PERIOD);
        disputeBy(payee, terms); // front-runs the payer's dispute
        expireDispute(terms);
        _try(payer, abi.encodeCall(escrow.raiseDispute, (terms, WINDOW, "broken")));
        assertTrue(order(terms).disputedByPayer, "the payer could raise its dispute");
    }

    /// @dev Own rights, replay on another wallet: Permit2's message names no owner, so without the payer in the
    /// witness, the operator could choose which of one person's two careless wallets pays. createOrderFor prevents the
    /// same attack.
    function test_aPermit2Signature_paysFromTheWalletItWasMadeFor() public {
        Permit2ForWallets permit2 = new Permit2ForWallets();
        escrow = deployEscrow(owner, address(permit2));
        vm.prank(owner);
        escrow.setTokenListed(address(token), true);
        ReactingWallet other = new ReactingWallet(payer);
        token.mint(address(other), AMOUNT);
        other.run(address(token), abi.encodeCall(token.approve, (address(permit2), AMOUNT)));

        IDeliveryVsPayment.Terms memory terms = newTerms();
        IPermit2.PermitTransferFrom memory permit = IPermit2.PermitTransferFrom(
            IPermit2.TokenPermissions(address(token), AMOUNT),
            7,
            START + 1 days
        );
        bytes32 witness = permit2Witness(escrow.orderIdOf(terms), payer);
        bytes32 digest = permit2.digestOf(permit, address(escrow), witness, PERMIT2_WITNESS_TYPE);
        bytes memory signature = sign(PAYER_KEY, digest); // authorizes a payment from `payer`
        bytes memory call = abi.encodeCall(
            escrow.createOrderWithPermit2,
            (terms, address(other), 7, START + 1 days, signature)
        );
        _try(operator, call);
        assertEq(token.balanceOf(address(other)), AMOUNT, "the other wallet's balance");
        vm.prank(payer);
        token.approve(address(permit2), AMOUNT);
        vm.prank(operator);
        escrow.createOrderWithPermit2(terms, payer, 7, START + 1 days, signature);
        assertEq(order(terms).payer, payer, "the wallet that was named");
    }

    /// @dev Own word: a payer's hook returns a unit to veto each split, so that the payer wins by the timeout.
    function test_aNotifiedPayer_vetoesNoSplit() public {
        (NotifyingToken notifying, ReactingWallet wallet, IDeliveryVsPayment.Terms memory terms) = _fundedByWallet();
        wallet.run(address(escrow), abi.encodeCall(escrow.raiseDispute, (terms, WINDOW, "")));
        wallet.setReaction(ReactingWallet.Reaction.GIVE_BACK);
        vm.warp(START + WINDOW);
        _try(arbiter, abi.encodeCall(escrow.resolveDispute, (terms, AMOUNT / 2)));
        wallet.setReaction(ReactingWallet.Reaction.NONE);
        vm.warp(START + WINDOW + 1);
        _try(address(wallet), abi.encodeCall(escrow.resolveExpiredDispute, (terms)));
        assertEq(order(terms).released, AMOUNT / 2, "what the arbiter gave the payee");
        assertTrue(notifying.balanceOf(address(wallet)) < AMOUNT, "not all of it is the payer's");
    }

    /// @dev Solvency and exit: if reading a balance is expensive, a stranger tries to make the second read fail with a
    /// low gas limit. The order, which holds the escrow's full balance of the token, would then be closed with neither
    /// a transfer nor a credit.
    function test_aStrangersGasLimit_losesNoRefund() public {
        (NotifyingToken notifying, ReactingWallet wallet, IDeliveryVsPayment.Terms memory terms) = _fundedByWallet();
        wallet.run(address(escrow), abi.encodeCall(escrow.raiseDispute, (terms, WINDOW, "")));
        notifying.setFrozen(address(wallet), true);
        notifying.setReadCost(READ_COST);
        vm.warp(START + WINDOW + 1);
        for (uint256 limit = 2 * READ_COST; limit < 3 * READ_COST; limit += 50) {
            vm.prank(stranger);
            (bool done, ) = address(escrow).call{gas: limit}(abi.encodeCall(escrow.resolveExpiredDispute, (terms)));
            if (done) break;
        }
        if (order(terms).status == IDeliveryVsPayment.Status.Disputed) return;
        assertEq(escrow.creditOf(address(wallet), address(notifying)), AMOUNT, "the payer's credit");
    }

    /// @dev The same without a gas limit: the escrow rejects a transfer after which the balance is no longer readable.
    function test_aTokenThatFallsSilent_isRefused() public {
        (NotifyingToken notifying, , IDeliveryVsPayment.Terms memory terms) = _fundedByWallet();
        notifying.setFallsSilent(true);
        vm.expectRevert(
            abi.encodeWithSelector(
                IDeliveryVsPayment.SentOtherAmount.selector,
                address(notifying),
                type(uint256).max,
                AMOUNT
            )
        );
        vm.prank(payee);
        escrow.refund(terms, AMOUNT);
        notifying.setFallsSilent(false);
        vm.prank(payee);
        escrow.refund(terms, AMOUNT);
        assertStatus(terms, IDeliveryVsPayment.Status.Cancelled);
    }

    function _try(address caller, bytes memory data) private returns (bool done) {
        vm.prank(caller);
        (done, ) = address(escrow).call(data);
    }

    function _fundedByWallet()
        private
        returns (NotifyingToken notifying, ReactingWallet wallet, IDeliveryVsPayment.Terms memory terms)
    {
        notifying = new NotifyingToken();
        wallet = new ReactingWallet(payer);
        wallet.setEscrow(address(escrow));
        vm.prank(owner);
        escrow.setTokenListed(address(notifying), true);
        notifying.mint(address(wallet), AMOUNT);
        wallet.run(address(notifying), abi.encodeCall(notifying.register, ()));
        wallet.run(address(notifying), abi.encodeCall(notifying.approve, (address(escrow), AMOUNT)));
        terms = newTerms();
        terms.token = address(notifying);
        wallet.run(address(escrow), abi.encodeCall(escrow.createOrder, (terms)));
    }
}
