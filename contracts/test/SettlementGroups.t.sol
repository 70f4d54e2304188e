// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";
import {EscrowTest} from "./support/EscrowTest.sol";

/// @dev A SettlementGroup as raw words, which can have bits outside their field's type. The ABI encoding is the same.
struct RawGroup {
    uint256[11] common;
    uint256[5][] orders;
}

/// @dev Compares the order ids that `settle` computes in assembly, in the deployed bytecode, with ids computed in plain
/// Solidity.
contract SettlementGroupsTest is EscrowTest {
    /// @dev Position in a group of each word of the terms: 0 to 10 in `common`, 11 to 15 in the order's own terms.
    uint8[16] private _places = [11, 0, 1, 2, 12, 13, 3, 4, 14, 15, 5, 6, 7, 8, 9, 10];

    function testFuzz_ids_areThePlainEncodingsHash(uint256[16][4] memory orders) public {
        RawGroup[] memory groups = new RawGroup[](2);
        for (uint256 i = 0; i < 4; i++) {
            orders[i][1] = uint160(operator);
            // Each group has two orders, which share the common terms of the first.
            if (i % 2 == 1) _copyCommon(orders[i - 1], orders[i]);
        }
        (groups[0], groups[1]) = (_group(orders[0], orders[1]), _group(orders[2], orders[3]));
        for (uint256 i = 0; i < 4; i++) {
            _expectNotFound(keccak256(abi.encode(block.chainid, address(escrow), orders[i])));
        }
        vm.prank(operator);
        _settle(groups);
    }

    /// @dev Includes the largest amount that the type can hold.
    function testFuzz_amounts_areTheOnesFunded(uint120[3] memory amounts, uint40[3] memory deadlines) public {
        IDeliveryVsPayment.Terms[] memory orders = new IDeliveryVsPayment.Terms[](3);
        uint256 total;
        for (uint256 i = 0; i < 3; i++) {
            orders[i] = newTerms();
            orders[i].amount = uint120(bound(amounts[i], 1, type(uint120).max));
            orders[i].fundingDeadline = uint40(bound(deadlines[i], START, type(uint40).max));
            orders[i].payee = address(uint160(0x1000 + i));
            token.mint(payer, orders[i].amount);
            fund(orders[i]);
            release(orders[i]);
            total += orders[i].amount;
        }
        for (uint256 i = 0; i < 3; i++) {
            vm.expectEmit(true, true, true, true, address(escrow));
            emit IDeliveryVsPayment.OrderSettled(escrow.orderIdOf(orders[i]), offRamp, orders[i].amount);
        }
        assertEq(grouped(orders).length, 1, "groups");
        vm.prank(operator);
        escrow.settle(grouped(orders));
        assertEq(token.balanceOf(offRamp), total, "settled");
    }

    function test_bitsOutsideAFieldsType_nameNoOrder() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        bytes32 orderId = fund(terms);
        release(terms);
        uint256[16] memory words = abi.decode(abi.encode(terms), (uint256[16]));
        for (uint256 field = 2; field < 15; field++) {
            uint256 clean = words[field];
            words[field] = clean | (1 << 255);
            RawGroup[] memory dirty = new RawGroup[](1);
            dirty[0] = _group(words);
            _expectNotFound(keccak256(abi.encode(block.chainid, address(escrow), words)));
            vm.prank(operator);
            _settle(dirty);
            words[field] = clean;
        }
        assertEq(token.balanceOf(offRamp), 0, "nothing left");
        RawGroup[] memory groups = new RawGroup[](1);
        groups[0] = _group(words);
        vm.expectEmit(true, true, true, true, address(escrow));
        emit IDeliveryVsPayment.OrderSettled(orderId, offRamp, AMOUNT);
        vm.prank(operator);
        _settle(groups);
        assertEq(token.balanceOf(offRamp), AMOUNT, "settled");
    }

    function test_anotherOperator_inALaterOrEmptyGroup_refusesTheCall() public {
        IDeliveryVsPayment.Terms[] memory orders = new IDeliveryVsPayment.Terms[](2);
        (orders[0], orders[1]) = (funded(), newTerms());
        release(orders[0]);
        orders[1].operator = stranger;
        IDeliveryVsPayment.SettlementGroup[] memory groups = grouped(orders);
        groups[1].orders = new IDeliveryVsPayment.OwnTerms[](0);
        expectCallerRefusal(operator, stranger, address(0));
        vm.prank(operator);
        escrow.settle(groups);
        assertAmounts(orders[0], AMOUNT, 0);
    }

    function test_anEmptyGroup_andDifferentCommonTerms_settleInOneTransfer() public {
        IDeliveryVsPayment.Terms[] memory orders = new IDeliveryVsPayment.Terms[](3);
        for (uint256 i = 0; i < 3; i++) {
            orders[i] = newTerms();
            orders[i].deliveryPeriod = uint40(PERIOD + i);
            fund(orders[i]);
            release(orders[i]);
        }
        IDeliveryVsPayment.SettlementGroup[] memory groups = grouped(orders);
        assertEq(groups.length, 3, "groups");
        groups[1].orders = new IDeliveryVsPayment.OwnTerms[](0);
        vm.prank(operator);
        escrow.settle(groups);
        assertEq(token.balanceOf(offRamp), 2 * uint256(AMOUNT), "settled");
        assertAmounts(orders[1], AMOUNT, 0);
    }

    function _copyCommon(uint256[16] memory from, uint256[16] memory to) private view {
        for (uint256 field = 0; field < 16; field++) if (_places[field] < 11) to[field] = from[field];
    }

    function _group(uint256[16] memory words) private view returns (RawGroup memory group) {
        group.orders = new uint256[5][](1);
        for (uint256 field = 0; field < 16; field++) {
            uint256 place = _places[field];
            if (place < 11) group.common[place] = words[field];
            else group.orders[0][place - 11] = words[field];
        }
    }

    function _group(uint256[16] memory first, uint256[16] memory second) private view returns (RawGroup memory group) {
        group.common = _group(first).common;
        group.orders = new uint256[5][](2);
        (group.orders[0], group.orders[1]) = (_group(first).orders[0], _group(second).orders[0]);
    }

    function _settle(RawGroup[] memory groups) private {
        (bool done, ) = address(escrow).call(abi.encodeWithSelector(escrow.settle.selector, groups));
        assertTrue(done, "settled");
    }

    function _expectNotFound(bytes32 orderId) private {
        vm.expectEmit(true, true, true, true, address(escrow));
        emit IDeliveryVsPayment.SettlementSkipped(
            orderId,
            abi.encodeWithSelector(IDeliveryVsPayment.OrderNotFound.selector, orderId)
        );
    }
}
