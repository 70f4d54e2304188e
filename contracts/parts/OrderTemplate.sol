// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";

/// @dev Pointer to the encoding whose hash is an order's id: chain id, escrow, terms. The terms that a group's orders
/// share are written once; each order overwrites its own five words.
type OrderTemplate is uint256;

using {setCommonTerms, setOwnTerms, word} for OrderTemplate global;

/// @dev Allocates a template with the chain id and the escrow set. setCommonTerms and setOwnTerms fill in the terms.
/// @param chainId The chain id at deployment, as in OrderTerms.id.
function newOrderTemplate(uint256 chainId) view returns (OrderTemplate template) {
    assembly ("memory-safe") {
        template := mload(0x40)
        mstore(0x40, add(template, 0x240))
        mstore(template, chainId)
        mstore(add(template, 0x20), address())
    }
}

/// @dev Sets the terms that the group's orders share. Copied unchecked, as in OrderTerms.id: dirty upper bits produce
/// an id under which no order exists.
function setCommonTerms(OrderTemplate template, IDeliveryVsPayment.CommonTerms calldata common) pure {
    assembly ("memory-safe") {
        calldatacopy(add(template, 0x60), common, 0x60) // operator, arbiter, deliveryOracle
        calldatacopy(add(template, 0x100), add(common, 0x60), 0x40) // offRamp, token
        calldatacopy(add(template, 0x180), add(common, 0xa0), 0xc0) // from deliveryPeriod to expectedDeliveryHash
    }
}

/// @dev Sets one order's own terms, unchecked as in setCommonTerms.
/// @return orderId The id of the terms that the template now holds.
function setOwnTerms(OrderTemplate template, IDeliveryVsPayment.OwnTerms calldata own) pure returns (bytes32 orderId) {
    assembly ("memory-safe") {
        mstore(add(template, 0x40), calldataload(own)) // salt
        calldatacopy(add(template, 0xc0), add(own, 0x20), 0x40) // payee, payer
        calldatacopy(add(template, 0x140), add(own, 0x60), 0x40) // amount, fundingDeadline
        orderId := keccak256(template, 0x240)
    }
}

/// @dev Returns a word of the terms in the template.
/// @param field The byte offset in the terms (see OrderTerms.sol). If the order exists, the word is within its type,
/// because funding rejects terms that are not clean; amounts are paid from the words that the id commits to.
function word(OrderTemplate template, uint256 field) pure returns (uint256 value) {
    assembly ("memory-safe") {
        value := mload(add(add(template, 0x40), field))
    }
}
