// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";
import {
    AMOUNT as AMOUNT_FIELD,
    ARBITER,
    DELIVERY_PERIOD,
    DISPUTE_WINDOW,
    FUNDING_DEADLINE,
    OFF_RAMP,
    OPERATOR,
    OrderTerms,
    PAYEE,
    PAYER,
    RELEASE_TYPE,
    TIME_LOCK,
    TOKEN
} from "../parts/OrderTerms.sol";
import {Asserts} from "./support/Asserts.sol";

/// @dev Exposes the library's functions with terms as calldata.
contract TermsReader {
    using OrderTerms for IDeliveryVsPayment.Terms;

    /// @dev Runs Solidity's own type check of each field, which `isClean` replaces.
    function encode(IDeliveryVsPayment.Terms calldata terms) external pure returns (bytes memory) {
        return abi.encode(terms);
    }

    function isClean(IDeliveryVsPayment.Terms calldata terms) external pure returns (bool) {
        return terms.isClean();
    }

    function id(IDeliveryVsPayment.Terms calldata terms, uint256 chainId) external view returns (bytes32) {
        return terms.id(chainId);
    }

    function paymentHash(
        IDeliveryVsPayment.Terms calldata terms,
        bytes32 orderId,
        address payer
    ) external pure returns (bytes32) {
        return terms.deliveryVsPaymentHash(orderId, payer);
    }

    /// @dev Returns the fields in the same order as `typedFields`.
    function cleanFields(IDeliveryVsPayment.Terms calldata terms) external pure returns (uint256[12] memory) {
        return
            [
                uint256(uint160(terms.cleanAddress(OPERATOR))),
                uint160(terms.cleanAddress(ARBITER)),
                uint160(terms.cleanAddress(PAYEE)),
                uint160(terms.cleanAddress(PAYER)),
                uint160(terms.cleanAddress(OFF_RAMP)),
                uint160(terms.cleanAddress(TOKEN)),
                terms.cleanNumber(AMOUNT_FIELD),
                terms.cleanNumber(FUNDING_DEADLINE),
                terms.cleanNumber(DELIVERY_PERIOD),
                terms.cleanNumber(DISPUTE_WINDOW),
                terms.cleanNumber(TIME_LOCK),
                terms.cleanNumber(RELEASE_TYPE)
            ];
    }

    function typedFields(IDeliveryVsPayment.Terms calldata terms) external pure returns (uint256[12] memory) {
        return
            [
                uint256(uint160(terms.operator)),
                uint160(terms.arbiter),
                uint160(terms.payee),
                uint160(terms.payer),
                uint160(terms.offRamp),
                uint160(terms.token),
                terms.amount,
                terms.fundingDeadline,
                terms.deliveryPeriod,
                terms.disputeWindow,
                terms.timeLockUntil,
                uint256(terms.releaseType)
            ];
    }
}

/// @dev Compares the assembly in OrderTerms with plain Solidity.
contract OrderTermsTest is Asserts {
    TermsReader private _reader = new TermsReader();
    /// @dev Width in bits of each word of the terms.
    uint256[16] private _bits = [256, 160, 160, 160, 160, 160, 160, 160, 120, 40, 40, 40, 40, 3, 1, 256];

    function testFuzz_cleanReaders_areTheTypedFields(uint256[16] memory words) public view {
        _clean(words);
        assertTrue(abi.decode(_read(TermsReader.isClean.selector, words), (bool)), "clean");
        bytes memory typed = _read(TermsReader.typedFields.selector, words);
        assertEq(keccak256(_read(TermsReader.cleanFields.selector, words)), keccak256(typed), "fields");
    }

    /// @param dirt The bits to set, which can also be within the field's type.
    function testFuzz_clean_isWhatSolidityDecodes(uint256[16] memory words, uint8 field, uint256 dirt) public view {
        _clean(words);
        words[field % 16] |= dirt;
        (bool decoded, ) = address(_reader).staticcall(abi.encodePacked(TermsReader.encode.selector, words));
        assertTrue(abi.decode(_read(TermsReader.isClean.selector, words), (bool)) == decoded, "clean");
    }

    function test_oneBitTooMany_isNotClean() public view {
        for (uint256 field = 1; field < 15; field++) {
            uint256[16] memory words;
            words[field] = field == 13 ? 5 : 1 << _bits[field];
            assertTrue(!abi.decode(_read(TermsReader.isClean.selector, words), (bool)), "not clean");
        }
    }

    function testFuzz_id_isThePlainEncodingsHash(uint256[16] memory words, uint256 chainId) public view {
        bytes memory data = abi.encodePacked(TermsReader.id.selector, words, chainId);
        (, bytes memory answer) = address(_reader).staticcall(data);
        bytes32 plain = keccak256(abi.encode(chainId, address(_reader), words));
        assertEq(abi.decode(answer, (bytes32)), plain, "id");
    }

    function testFuzz_signedHash_isThePlainEncodingsHash(
        uint256[16] memory words,
        bytes32 orderId,
        address payer
    ) public view {
        _clean(words);
        bytes memory data = abi.encodePacked(TermsReader.paymentHash.selector, words, orderId, abi.encode(payer));
        (, bytes memory answer) = address(_reader).staticcall(data);
        bytes32 typehash = OrderTerms.DELIVERY_VS_PAYMENT_TYPEHASH;
        bytes32 text = keccak256(_intentId(orderId));
        bytes32 plain = keccak256(abi.encode(typehash, text, payer, words[4], words[8], words[7], words[9]));
        assertEq(abi.decode(answer, (bytes32)), plain, "hash");
    }

    /// @dev Returns "intent_" followed by the id in lower-case hex, built character by character.
    function _intentId(bytes32 orderId) private pure returns (bytes memory text) {
        text = bytes("intent_0000000000000000000000000000000000000000000000000000000000000000");
        bytes memory digits = "0123456789abcdef";
        for (uint256 i = 0; i < 64; i++) text[7 + i] = digits[(uint256(orderId) >> (252 - 4 * i)) & 0xf];
    }

    function _clean(uint256[16] memory words) private view {
        for (uint256 field = 0; field < 16; field++) {
            if (_bits[field] < 256) words[field] &= (1 << _bits[field]) - 1;
        }
        words[13] %= 5;
    }

    function _read(bytes4 selector, uint256[16] memory words) private view returns (bytes memory answer) {
        bool done;
        (done, answer) = address(_reader).staticcall(abi.encodePacked(selector, words));
        assertTrue(done, "answered");
    }
}
