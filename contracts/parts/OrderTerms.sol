// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";

/// @dev Where the fields stand in the terms, in bytes.
uint256 constant OPERATOR = 0x20;
uint256 constant ARBITER = 0x40;
uint256 constant PAYEE = 0x80;
uint256 constant PAYER = 0xa0;
uint256 constant OFF_RAMP = 0xc0;
uint256 constant TOKEN = 0xe0;
uint256 constant AMOUNT = 0x100;
uint256 constant FUNDING_DEADLINE = 0x120;
uint256 constant DELIVERY_PERIOD = 0x140;
uint256 constant DISPUTE_WINDOW = 0x160;
uint256 constant TIME_LOCK = 0x180;
uint256 constant RELEASE_TYPE = 0x1a0;

/// @title What follows from an order's terms alone: its id, and the hashes of what people sign about it.
/// @dev The hashes are EIP-712 struct hashes; the domain is added by the contract.
library OrderTerms {
    /// @dev The payer's, for every release type but IMMEDIATE (spec, "Typed data"). deadline: the funding deadline.
    bytes32 internal constant DELIVERY_VS_PAYMENT_TYPEHASH = keccak256(
        "DeliveryVsPayment(string intentId,address payer,address payee,uint256 amount,address token,uint256 deadline)"
    );
    /// @dev The payer's of an IMMEDIATE order (spec, "Typed data"). intentId: the order's id.
    bytes32 internal constant PAYMENT_INTENT_TYPEHASH = keccak256(
        "PaymentIntent(bytes32 intentId,uint256 amount,uint256 nonce)"
    );
    /// @dev Permit2's witness: signed as a part of Permit2's message, in Permit2's domain.
    bytes32 internal constant PAYMENT_TYPEHASH = keccak256("Payment(bytes32 orderId,address payer)");
    // The five about a funded order start with what a wallet shows of it: intentId in text form, the terms' payee, amount (the
    // token's smallest unit) and token.
    /// @dev The delivery oracle's.
    bytes32 internal constant DELIVERY_PROOF_TYPEHASH = keccak256(
        "DeliveryProof(string intentId,address payee,uint256 amount,address token,bytes32 proofHash,string proofURI)"
    );
    /// @dev The independent oracle's. cumulativeAmount: the released total afterwards, in the token's smallest unit.
    bytes32 internal constant MILESTONE_RELEASE_TYPEHASH = keccak256(
        "MilestoneRelease(string intentId,address payee,uint256 amount,address token,uint256 cumulativeAmount)"
    );
    /// @dev The independent oracle's.
    bytes32 internal constant SHIPMENT_TYPEHASH = keccak256(
        "Shipment(string intentId,address payee,uint256 amount,address token)"
    );
    /// @dev The payer's. window: the dispute's, in seconds; deadline: the signature's last Unix second.
    bytes32 internal constant DISPUTE_TYPEHASH = keccak256(
        "Dispute(string intentId,address payee,uint256 amount,address token,string reason,uint256 window,uint256 deadline)"
    );
    /// @dev The payer's and the payee's. raisedBy: "payer" or "merchant"; payeeAmount: in the token's smallest unit; deadline:
    /// the last Unix second.
    bytes32 internal constant DISPUTE_AGREEMENT_TYPEHASH = keccak256(
        "DisputeAgreement(string intentId,address payee,uint256 amount,address token,string raisedBy,uint256 payeeAmount,uint256 deadline)"
    );

    /// @notice keccak256(abi.encode(chainId, address(this), terms)): 18 words.
    /// @param terms The order's terms.
    /// @param chainId The chain's id at deployment. Under the live one, a fork would leave every order without a name.
    /// @dev Terms are static, so their encoding is the calldata itself, copied unchecked: a word with dirty upper bits
    /// gives another id, under which no order can exist, because funding refuses terms that are not clean.
    /// @return orderId The order's id.
    function id(IDeliveryVsPayment.Terms calldata terms, uint256 chainId) internal view returns (bytes32 orderId) {
        assembly ("memory-safe") {
            let words := mload(0x40)
            mstore(words, chainId)
            mstore(add(words, 0x20), address())
            calldatacopy(add(words, 0x40), terms, 0x200)
            orderId := keccak256(words, 0x240)
        }
    }

    /// @notice Whether every word of the terms is within its field's type.
    /// @param terms The order's terms.
    /// @return clean Whether it is.
    function isClean(IDeliveryVsPayment.Terms calldata terms) internal pure returns (bool clean) {
        assembly ("memory-safe") {
            // In the struct's order: salt, seven addresses, amount, four times, release type, flag, hash.
            let addresses := or(calldataload(add(terms, 0x20)), calldataload(add(terms, 0x40)))
            addresses := or(addresses, or(calldataload(add(terms, 0x60)), calldataload(add(terms, 0x80))))
            addresses := or(addresses, or(calldataload(add(terms, 0xa0)), calldataload(add(terms, 0xc0))))
            addresses := or(addresses, calldataload(add(terms, 0xe0)))
            let times := or(calldataload(add(terms, 0x120)), calldataload(add(terms, 0x140)))
            times := or(times, or(calldataload(add(terms, 0x160)), calldataload(add(terms, 0x180))))
            let dirty := or(shr(160, addresses), or(shr(120, calldataload(add(terms, 0x100))), shr(40, times)))
            dirty := or(dirty, or(gt(calldataload(add(terms, 0x1a0)), 4), gt(calldataload(add(terms, 0x1c0)), 1)))
            clean := iszero(dirty)
        }
    }

    /// @notice A field of terms that were found clean.
    /// @dev Solidity would check its type again at each reading, for 20 gas. Terms whose order exists are clean, because
    /// funding refuses others.
    /// @param terms The order's terms.
    /// @param field Where it stands in them, in bytes: a constant above.
    /// @return value Its word.
    function cleanNumber(IDeliveryVsPayment.Terms calldata terms, uint256 field) internal pure returns (uint256 value) {
        assembly ("memory-safe") {
            value := calldataload(add(terms, field))
        }
    }

    /// @notice As cleanNumber, of an address.
    /// @param terms The order's terms.
    /// @param field Where it stands in them, in bytes: a constant above.
    /// @return account The address.
    function cleanAddress(
        IDeliveryVsPayment.Terms calldata terms,
        uint256 field
    ) internal pure returns (address account) {
        assembly ("memory-safe") {
            account := calldataload(add(terms, field))
        }
    }

    /// @notice Whether the delivery oracle is a third party, whose word counts for more than the payee's own.
    /// @param terms The order's terms.
    /// @param payer Who funded the order.
    /// @return Whether it is none of zero, payee, payer, operator, arbiter and offRamp.
    function hasIndependentOracle(IDeliveryVsPayment.Terms calldata terms, address payer) internal pure returns (bool) {
        address oracle = terms.deliveryOracle;
        if (oracle == address(0) || oracle == terms.payee || oracle == payer) return false;
        return oracle != terms.operator && oracle != terms.arbiter && oracle != terms.offRamp;
    }

    /// @notice What a payer signs, for every release type but IMMEDIATE. The typed data shows the intent's id as text, so that the payer's wallet shows the
    /// same string as the merchant's page; the id in turn binds every other term.
    /// @dev Of terms that are not clean it is some hash, under which funding refuses them all the same.
    /// @param terms The order's terms.
    /// @param orderId Their id.
    /// @param payer As in the message: zero if the message does not name its payer.
    /// @return The EIP-712 struct hash.
    function deliveryVsPaymentHash(
        IDeliveryVsPayment.Terms calldata terms,
        bytes32 orderId,
        address payer
    ) internal pure returns (bytes32) {
        return
            keccak256(
                abi.encode(
                    DELIVERY_VS_PAYMENT_TYPEHASH,
                    intentIdHash(orderId),
                    payer,
                    cleanAddress(terms, PAYEE),
                    cleanNumber(terms, AMOUNT),
                    cleanAddress(terms, TOKEN),
                    cleanNumber(terms, FUNDING_DEADLINE)
                )
            );
    }

    /// @notice What the payer of an IMMEDIATE order signs. The nonce is always zero: the id is used once.
    /// @param orderId The order's id.
    /// @param amount The terms', in the token's smallest unit.
    /// @return The EIP-712 struct hash.
    function paymentIntentHash(bytes32 orderId, uint256 amount) internal pure returns (bytes32) {
        return keccak256(abi.encode(PAYMENT_INTENT_TYPEHASH, orderId, amount, uint256(0)));
    }

    /// @notice What a payer signs beside Permit2's own fields: the order, and which of its wallets pays.
    /// @param orderId The order's id.
    /// @param payer The account that pays.
    /// @return The EIP-712 struct hash, which Permit2 takes as the witness.
    function paymentHash(bytes32 orderId, address payer) internal pure returns (bytes32) {
        return keccak256(abi.encode(PAYMENT_TYPEHASH, orderId, payer));
    }

    /// @notice What an oracle signs to prove a delivery.
    /// @param terms The order's terms.
    /// @param orderId Their id.
    /// @param proofHash The proof's hash.
    /// @param proofURI Where the proof is; not interpreted.
    /// @return The EIP-712 struct hash.
    function deliveryProofHash(
        IDeliveryVsPayment.Terms calldata terms,
        bytes32 orderId,
        bytes32 proofHash,
        string calldata proofURI
    ) internal pure returns (bytes32) {
        bytes memory proof = abi.encode(proofHash, keccak256(bytes(proofURI)));
        return keccak256(bytes.concat(DELIVERY_PROOF_TYPEHASH, _orderFields(terms, orderId), proof));
    }

    /// @notice What an oracle signs to mark an order shipped.
    /// @param terms The order's terms.
    /// @param orderId Their id.
    /// @return The EIP-712 struct hash.
    function shipmentHash(IDeliveryVsPayment.Terms calldata terms, bytes32 orderId) internal pure returns (bytes32) {
        return keccak256(bytes.concat(SHIPMENT_TYPEHASH, _orderFields(terms, orderId)));
    }

    /// @notice What an oracle signs to release milestones up to a total.
    /// @param terms The order's terms.
    /// @param orderId Their id.
    /// @param cumulativeAmount The released total afterwards, in the token's smallest unit.
    /// @return The EIP-712 struct hash.
    function milestoneReleaseHash(
        IDeliveryVsPayment.Terms calldata terms,
        bytes32 orderId,
        uint256 cumulativeAmount
    ) internal pure returns (bytes32) {
        bytes memory total = abi.encode(cumulativeAmount);
        return keccak256(bytes.concat(MILESTONE_RELEASE_TYPEHASH, _orderFields(terms, orderId), total));
    }

    /// @notice What a payer signs to raise the payer's dispute.
    /// @param terms The order's terms.
    /// @param orderId Their id.
    /// @param window The dispute's, in seconds.
    /// @param reason Signed as text; the payer's wallet shows it.
    /// @param deadline Unix second, the signature's last.
    /// @return The EIP-712 struct hash.
    function disputeHash(
        IDeliveryVsPayment.Terms calldata terms,
        bytes32 orderId,
        uint256 window,
        string calldata reason,
        uint256 deadline
    ) internal pure returns (bytes32) {
        bytes memory dispute = abi.encode(keccak256(bytes(reason)), window, deadline);
        return keccak256(bytes.concat(DISPUTE_TYPEHASH, _orderFields(terms, orderId), dispute));
    }

    /// @notice What both parties sign to end a dispute. `raisedBy` ("payer" or "merchant") names it: each side raises one.
    /// @param terms The order's terms.
    /// @param orderId Their id.
    /// @param side The side that raised it.
    /// @param payeeAmount The payee's part of the rest, in the token's smallest unit.
    /// @param deadline Unix second, the agreement's last.
    /// @return The EIP-712 struct hash.
    function disputeAgreementHash(
        IDeliveryVsPayment.Terms calldata terms,
        bytes32 orderId,
        IDeliveryVsPayment.Side side,
        uint256 payeeAmount,
        uint256 deadline
    ) internal pure returns (bytes32) {
        bytes32 raisedBy = side == IDeliveryVsPayment.Side.PAYER ? keccak256("payer") : keccak256("merchant");
        bytes memory agreement = abi.encode(raisedBy, payeeAmount, deadline);
        return keccak256(bytes.concat(DISPUTE_AGREEMENT_TYPEHASH, _orderFields(terms, orderId), agreement));
    }

    /// @dev The encoded fields that a message about a funded order starts with. A wallet shows them, the amounts in the unit of
    /// the token that they name.
    function _orderFields(
        IDeliveryVsPayment.Terms calldata terms,
        bytes32 orderId
    ) private pure returns (bytes memory) {
        return
            abi.encode(
                intentIdHash(orderId),
                cleanAddress(terms, PAYEE),
                cleanNumber(terms, AMOUNT),
                cleanAddress(terms, TOKEN)
            );
    }

    /// @notice The hash of "intent_" and the id's 64 lower-case hex characters: of the intent's id as the service shows it.
    /// @param orderId The order's id.
    /// @return hash keccak256 of the 71 characters, as EIP-712 encodes a string.
    function intentIdHash(bytes32 orderId) internal pure returns (bytes32 hash) {
        bytes32 left = _hex(uint256(orderId) >> 128);
        bytes32 right = _hex(uint128(uint256(orderId)));
        assembly ("memory-safe") {
            // Behind the free memory's start, where nothing has to be kept: 7 + 32 + 32 bytes.
            let text := mload(0x40)
            mstore(text, "intent_")
            mstore(add(text, 7), left)
            mstore(add(text, 0x27), right)
            hash := keccak256(text, 0x47)
        }
    }

    /// @dev 16 bytes as 32 hex characters, all at once: the nibbles are spread to a byte each, then lifted to ASCII.
    function _hex(uint256 x) private pure returns (bytes32) {
        unchecked {
            x = (x | (x << 64)) & 0x0000000000000000ffffffffffffffff0000000000000000ffffffffffffffff;
            x = (x | (x << 32)) & 0x00000000ffffffff00000000ffffffff00000000ffffffff00000000ffffffff;
            x = (x | (x << 16)) & 0x0000ffff0000ffff0000ffff0000ffff0000ffff0000ffff0000ffff0000ffff;
            x = (x | (x << 8)) & 0x00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff;
            x = (x | (x << 4)) & 0x0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f;
            // A nibble of ten or more carries into its byte's upper half when six is added.
            uint256 letters =
                ((x + 0x0606060606060606060606060606060606060606060606060606060606060606) >> 4) &
                    0x0101010101010101010101010101010101010101010101010101010101010101;
            // '0' is 0x30; 'a' - '9' - 1 is 39.
            return bytes32(x + 0x3030303030303030303030303030303030303030303030303030303030303030 + letters * 39);
        }
    }
}
