// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";
import {EscrowTest} from "./support/EscrowTest.sol";

/// @dev Each message about a funded order is valid for one purpose, one order, one contract and one chain. In every
/// test, all required parties sign, so that only the content of the message can cause a rejection.
contract OrderMessageReplaysTest is EscrowTest {
    enum Message {
        DELIVERY_PROOF,
        SHIPMENT,
        MILESTONE_RELEASE,
        DISPUTE,
        DISPUTE_AGREEMENT,
        PAYMENT,
        PAYMENT_INTENT
    }

    /// @dev The number of messages about a funded order, which come first in the enum.
    uint256 private constant FUNDED = 5;
    uint256 private constant ALL = 7;
    uint256 private constant LATER = START + 1 days;
    uint256 private constant PART = 5;
    string private constant REASON = "not delivered";
    /// @dev If set, the id in every message, for any contract.
    bytes private _intentId;

    function intentIdOf(
        IDeliveryVsPayment escrow_,
        IDeliveryVsPayment.Terms memory terms
    ) internal view override returns (bytes memory) {
        return _intentId.length == 0 ? super.intentIdOf(escrow_, terms) : _intentId;
    }

    function test_aMessage_isForOnePurpose() public {
        for (uint256 i = 0; i < FUNDED; i++) {
            IDeliveryVsPayment.Terms memory terms = _ready(Message(i));
            for (uint256 j = 0; j < ALL; j++) {
                if (i != j) _refuses(Message(i), terms, _digest(escrow, Message(j), terms));
            }
            _accepts(Message(i), terms);
        }
    }

    /// @dev The two orders differ only in the salt.
    function test_aMessage_isForOneOrder() public {
        for (uint256 i = 0; i < FUNDED; i++) {
            IDeliveryVsPayment.Terms memory other = _ready(Message(i));
            IDeliveryVsPayment.Terms memory terms = _ready(Message(i));
            _refuses(Message(i), terms, _digest(escrow, Message(i), other));
            _accepts(Message(i), terms);
        }
    }

    /// @dev The first message has the other contract's domain and id, the second only the other contract's domain.
    function test_aMessage_isForOneContract() public {
        IDeliveryVsPayment other = deployEscrow(owner, address(0x22D4));
        for (uint256 i = 0; i < FUNDED; i++) {
            IDeliveryVsPayment.Terms memory terms = _ready(Message(i));
            _refuses(Message(i), terms, _digest(other, Message(i), terms));
            _intentId = super.intentIdOf(escrow, terms);
            _refuses(Message(i), terms, _digest(other, Message(i), terms));
            _accepts(Message(i), terms);
            delete _intentId;
        }
    }

    /// @dev An order keeps its id on a fork, so only the domain distinguishes the chains.
    function test_aMessage_isForOneChain() public {
        uint256 here = block.chainid;
        for (uint256 i = 0; i < FUNDED; i++) {
            vm.chainId(here);
            IDeliveryVsPayment.Terms memory terms = _ready(Message(i));
            bytes32 digest = _digest(escrow, Message(i), terms);
            vm.chainId(1);
            _refuses(Message(i), terms, digest);
            _accepts(Message(i), terms);
        }
    }

    /// @dev A payer's signature over a message about a funded order cannot fund an order.
    function test_aMessageAboutAFundedOrder_paysForNothing() public {
        for (uint256 i = 0; i < 2; i++) {
            bool immediate = i == 1;
            IDeliveryVsPayment.Terms memory terms = newTerms(
                immediate ? IDeliveryVsPayment.ReleaseType.IMMEDIATE : IDeliveryVsPayment.ReleaseType.DELIVERY_PROOF
            );
            bytes32 expected = _digest(escrow, immediate ? Message.PAYMENT_INTENT : Message.PAYMENT, terms);
            for (uint256 j = 0; j < FUNDED; j++) {
                bytes memory signature = sign(PAYER_KEY, _digest(escrow, Message(j), terms));
                _expectRefusal(payer, expected);
                _pay(terms, signature);
            }
            _pay(terms, sign(PAYER_KEY, expected));
            assertEq(order(terms).payer, payer, "payer");
        }
    }

    /// @dev Returns a funded order in a state in which the message can be used.
    function _ready(Message message) private returns (IDeliveryVsPayment.Terms memory terms) {
        terms = milestoneTerms();
        terms.deliveryOracle = oracle;
        fund(terms);
        if (message == Message.DISPUTE_AGREEMENT) dispute(terms);
    }

    function _refuses(Message message, IDeliveryVsPayment.Terms memory terms, bytes32 digest) private {
        bool byPayer = message == Message.DISPUTE || message == Message.DISPUTE_AGREEMENT;
        _expectRefusal(byPayer ? payer : oracle, _digest(escrow, message, terms));
        _use(message, terms, digest);
    }

    function _accepts(Message message, IDeliveryVsPayment.Terms memory terms) private {
        IDeliveryVsPayment.Order memory before = order(terms);
        _use(message, terms, _digest(escrow, message, terms));
        assertTrue(keccak256(abi.encode(order(terms))) != keccak256(abi.encode(before)), "accepted");
    }

    /// @dev Calls the operation for which the message is intended, with the digest signed by every required party.
    function _use(Message message, IDeliveryVsPayment.Terms memory terms, bytes32 digest) private {
        bytes memory byOracle = sign(ORACLE_KEY, digest);
        bytes memory byPayer = sign(PAYER_KEY, digest);
        bytes memory byPayee = sign(PAYEE_KEY, digest);
        if (message == Message.DELIVERY_PROOF) {
            escrow.submitDeliveryProofFor(terms, PROOF, URI, byOracle);
        } else if (message == Message.SHIPMENT) {
            escrow.markShippedFor(terms, byOracle);
        } else if (message == Message.MILESTONE_RELEASE) {
            escrow.releaseMilestoneFor(terms, PART, byOracle);
        } else if (message == Message.DISPUTE) {
            vm.prank(operator);
            escrow.raiseDisputeFor(terms, WINDOW, REASON, LATER, byPayer);
        } else {
            escrow.resolveDisputeByAgreement(terms, PART, LATER, byPayer, byPayee);
        }
    }

    function _pay(IDeliveryVsPayment.Terms memory terms, bytes memory signature) private {
        vm.prank(operator);
        escrow.createOrderFor(terms, payer, true, signature);
    }

    function _digest(
        IDeliveryVsPayment escrow_,
        Message message,
        IDeliveryVsPayment.Terms memory terms
    ) private view returns (bytes32) {
        if (message == Message.DELIVERY_PROOF) return proofDigest(escrow_, terms, PROOF, URI);
        if (message == Message.SHIPMENT) return shipmentDigest(escrow_, terms);
        if (message == Message.MILESTONE_RELEASE) return milestoneDigest(escrow_, terms, PART);
        if (message == Message.DISPUTE) return disputeDigest(escrow_, terms, WINDOW, REASON, LATER);
        if (message == Message.DISPUTE_AGREEMENT) {
            return agreementDigest(escrow_, terms, IDeliveryVsPayment.Side.PAYER, PART, LATER);
        }
        return message == Message.PAYMENT ? paymentDigest(escrow_, terms, payer) : intentDigest(escrow_, terms);
    }

    function _expectRefusal(address signer, bytes32 digest) private {
        vm.expectRevert(abi.encodeWithSelector(IDeliveryVsPayment.SignatureNotValid.selector, signer, digest));
    }
}
