// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";

/// @dev Byte offsets of fields in the terms.
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

/// @title Values derived from an order's terms: its id and the hashes of the signed messages about it.
/// @dev The hashes are EIP-712 struct hashes; the contract adds the domain.
library OrderTerms {
    /// @dev Signed by the payer, for every release type except IMMEDIATE (spec, "Typed data"). deadline: the funding
    /// deadline.
    bytes32 internal constant DELIVERY_VS_PAYMENT_TYPEHASH = keccak256(
        "DeliveryVsPayment(string intentId,address payer,address payee,uint256 amount,address token,uint256 deadline)"
    );
    /// @dev Signed by the payer of an IMMEDIATE order (spec, "Typed data"). intentId: the order's id.
    bytes32 internal constant PAYMENT_INTENT_TYPEHASH = keccak256(
        "PaymentIntent(bytes32 intentId,uint256 amount,uint256 nonce)"
    );
    /// @dev Permit2 witness: signed as part of Permit2's message, in Permit2's domain.
    bytes32 internal constant PAYMENT_TYPEHASH = keccak256("Payment(bytes32 orderId,address payer)");
    // The five messages about a funded order start with the fields that a wallet displays: intentId as text, and the
    // payee, amount (in the token's smallest unit) and token of the terms.
    /// @dev Signed by the delivery oracle.
    bytes32 internal constant DELIVERY_PROOF_TYPEHASH = keccak256(
        "DeliveryProof(string intentId,address payee,uint256 amount,address token,bytes32 proofHash,string proofURI)"
    );
    /// @dev Signed by the independent oracle. cumulativeAmount: the total released after the call, in the token's
    /// smallest unit.
    bytes32 internal constant MILESTONE_RELEASE_TYPEHASH = keccak256(
        "MilestoneRelease(string intentId,address payee,uint256 amount,address token,uint256 cumulativeAmount)"
    );
    /// @dev Signed by the independent oracle.
    bytes32 internal constant SHIPMENT_TYPEHASH = keccak256(
        "Shipment(string intentId,address payee,uint256 amount,address token)"
    );
    /// @dev Signed by the payer. window: the dispute's window in seconds; deadline: last Unix second of the signature's
    /// validity.
    bytes32 internal constant DISPUTE_TYPEHASH = keccak256(
        "Dispute(string intentId,address payee,uint256 amount,address token,string reason,uint256 window,uint256 deadline)"
    );
    /// @dev Signed by the payer and the payee. raisedBy: "payer" or "merchant"; payeeAmount: in the token's smallest
    /// unit; deadline: last Unix second of the agreement's validity.
    bytes32 internal constant DISPUTE_AGREEMENT_TYPEHASH = keccak256(
        "DisputeAgreement(string intentId,address payee,uint256 amount,address token,string raisedBy,uint256 payeeAmount,uint256 deadline)"
    );

    /// @notice Returns keccak256(abi.encode(chainId, address(this), terms)), a hash of 18 words.
    /// @param terms The order's terms.
    /// @param chainId The chain id at deployment. With the current chain id, a fork would make every order unreachable.
    /// @dev Terms are a static type, so the calldata is their encoding and is copied unchecked. A word with dirty upper
    /// bits produces a different id, under which no order can exist, because funding rejects terms that are not clean.
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

    /// @notice Returns whether every word of the terms is within its field's type.
    /// @param terms The order's terms.
    /// @return clean Whether the terms are clean.
    function isClean(IDeliveryVsPayment.Terms calldata terms) internal pure returns (bool clean) {
        assembly ("memory-safe") {
            // In struct order: salt, seven addresses, amount, four times, release type, flag, hash.
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

    /// @notice Returns a field of terms that are known to be clean.
    /// @dev Solidity would validate the type on each read, at 20 gas. The terms of an existing order are clean, because
    /// funding rejects others.
    /// @param terms The order's terms.
    /// @param field The field's byte offset: one of the constants above.
    /// @return value The field's word.
    function cleanNumber(IDeliveryVsPayment.Terms calldata terms, uint256 field) internal pure returns (uint256 value) {
        assembly ("memory-safe") {
            value := calldataload(add(terms, field))
        }
    }

    /// @notice Same as cleanNumber, for an address.
    /// @param terms The order's terms.
    /// @param field The field's byte offset: one of the constants above.
    /// @return account The address.
    function cleanAddress(
        IDeliveryVsPayment.Terms calldata terms,
        uint256 field
    ) internal pure returns (address account) {
        assembly ("memory-safe") {
            account := calldataload(add(terms, field))
        }
    }

    /// @notice Returns whether the delivery oracle is a third party, whose statements count for more than the payee's
    /// own.
    /// @param terms The order's terms.
    /// @param payer The account that funded the order.
    /// @return Whether the oracle is neither zero nor the payee, payer, operator, arbiter or offRamp.
    function hasIndependentOracle(IDeliveryVsPayment.Terms calldata terms, address payer) internal pure returns (bool) {
        address oracle = terms.deliveryOracle;
        if (oracle == address(0) || oracle == terms.payee || oracle == payer) return false;
        return oracle != terms.operator && oracle != terms.arbiter && oracle != terms.offRamp;
    }

    /// @notice Returns the hash of the payer's message for every release type except IMMEDIATE. The message contains
    /// the intent's id as text, so that the payer's wallet shows the same string as the merchant's page; the id covers
    /// every other term.
    /// @dev For terms that are not clean the hash is meaningless, but funding rejects such terms.
    /// @param terms The order's terms.
    /// @param orderId The order's id.
    /// @param payer The payer in the message; zero if the message does not name one.
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

    /// @notice Returns the hash of the message of an IMMEDIATE order's payer. The nonce is always zero because an id is
    /// used only once.
    /// @param orderId The order's id.
    /// @param amount The amount of the terms, in the token's smallest unit.
    /// @return The EIP-712 struct hash.
    function paymentIntentHash(bytes32 orderId, uint256 amount) internal pure returns (bytes32) {
        return keccak256(abi.encode(PAYMENT_INTENT_TYPEHASH, orderId, amount, uint256(0)));
    }

    /// @notice Returns the hash of what a payer signs in addition to Permit2's own fields: the order and the paying
    /// wallet.
    /// @param orderId The order's id.
    /// @param payer The account that pays.
    /// @return The EIP-712 struct hash, used as Permit2's witness.
    function paymentHash(bytes32 orderId, address payer) internal pure returns (bytes32) {
        return keccak256(abi.encode(PAYMENT_TYPEHASH, orderId, payer));
    }

    /// @notice Returns the hash of an oracle's message that proves a delivery.
    /// @param terms The order's terms.
    /// @param orderId The order's id.
    /// @param proofHash The hash of the proof.
    /// @param proofURI The location of the proof; not interpreted.
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

    /// @notice Returns the hash of an oracle's message that marks an order as shipped.
    /// @param terms The order's terms.
    /// @param orderId The order's id.
    /// @return The EIP-712 struct hash.
    function shipmentHash(IDeliveryVsPayment.Terms calldata terms, bytes32 orderId) internal pure returns (bytes32) {
        return keccak256(bytes.concat(SHIPMENT_TYPEHASH, _orderFields(terms, orderId)));
    }

    /// @notice Returns the hash of an oracle's message that releases milestones up to a total.
    /// @param terms The order's terms.
    /// @param orderId The order's id.
    /// @param cumulativeAmount The total released after the call, in the token's smallest unit.
    /// @return The EIP-712 struct hash.
    function milestoneReleaseHash(
        IDeliveryVsPayment.Terms calldata terms,
        bytes32 orderId,
        uint256 cumulativeAmount
    ) internal pure returns (bytes32) {
        bytes memory total = abi.encode(cumulativeAmount);
        return keccak256(bytes.concat(MILESTONE_RELEASE_TYPEHASH, _orderFields(terms, orderId), total));
    }

    /// @notice Returns the hash of a payer's message that raises a dispute.
    /// @param terms The order's terms.
    /// @param orderId The order's id.
    /// @param window The dispute's window, in seconds.
    /// @param reason The reason, signed as text that the payer's wallet shows.
    /// @param deadline Last Unix second at which the signature is valid.
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

    /// @notice Returns the hash of the message that both parties sign to end a dispute. `raisedBy` ("payer" or
    /// "merchant") identifies the dispute, because each side raises at most one.
    /// @param terms The order's terms.
    /// @param orderId The order's id.
    /// @param side The side that raised the dispute.
    /// @param payeeAmount The payee's share of the remainder, in the token's smallest unit.
    /// @param deadline Last Unix second at which the agreement is valid.
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

    /// @dev Returns the encoded fields that every message about a funded order starts with. A wallet displays them,
    /// with amounts in the unit of the token.
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

    /// @notice Returns the hash of "intent_" followed by the id in 64 lower-case hex characters, which is the intent's
    /// id in the service's interface.
    /// @param orderId The order's id.
    /// @return hash keccak256 of the 71 characters, as EIP-712 encodes a string.
    function intentIdHash(bytes32 orderId) internal pure returns (bytes32 hash) {
        bytes32 left = _hex(uint256(orderId) >> 128);
        bytes32 right = _hex(uint128(uint256(orderId)));
        assembly ("memory-safe") {
            // Uses 7 + 32 + 32 bytes of free memory without allocating them.
            let text := mload(0x40)
            mstore(text, "intent_")
            mstore(add(text, 7), left)
            mstore(add(text, 0x27), right)
            hash := keccak256(text, 0x47)
        }
    }

    /// @dev Converts 16 bytes to 32 hex characters at once: spreads the nibbles to one byte each, then maps them to
    /// ASCII.
    function _hex(uint256 x) private pure returns (bytes32) {
        unchecked {
            x = (x | (x << 64)) & 0x0000000000000000ffffffffffffffff0000000000000000ffffffffffffffff;
            x = (x | (x << 32)) & 0x00000000ffffffff00000000ffffffff00000000ffffffff00000000ffffffff;
            x = (x | (x << 16)) & 0x0000ffff0000ffff0000ffff0000ffff0000ffff0000ffff0000ffff0000ffff;
            x = (x | (x << 8)) & 0x00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff;
            x = (x | (x << 4)) & 0x0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f;
            // Adding six to a nibble of ten or more carries into the upper half of its byte.
            uint256 letters =
                ((x + 0x0606060606060606060606060606060606060606060606060606060606060606) >> 4) &
                    0x0101010101010101010101010101010101010101010101010101010101010101;
            // '0' is 0x30; 'a' - '9' - 1 is 39.
            return bytes32(x + 0x3030303030303030303030303030303030303030303030303030303030303030 + letters * 39);
        }
    }
}
