// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../../IDeliveryVsPayment.sol";
import {Asserts} from "../support/Asserts.sol";
import {IEscrow} from "../support/Deploying.sol";
import {HostileToken} from "../support/mocks/HostileToken.sol";
import {Signing} from "../support/Signing.sol";
import {Ledger} from "./Ledger.sol";

/// @title The environment of the invariant runs: the escrow, its roles, six people and three tokens.
abstract contract World is Asserts, Signing, Ledger {
    uint256 internal constant MAX_ORDERS = 20;
    uint256 internal constant ORACLE_KEY = 0xF003;

    IEscrow public immutable escrow;
    address public immutable operator = address(0xF001);
    address public immutable arbiter = address(0xF002);
    address public immutable oracle = vm.addr(ORACLE_KEY);
    address public immutable offRamp = address(0xF004);
    address public immutable owner;
    address[] public people;
    HostileToken[] public tokens;
    /// @dev Private keys of the people.
    mapping(address account => uint256) internal _keys;
    uint256 internal _salt;

    constructor(IEscrow escrow_, address owner_) {
        escrow = escrow_;
        owner = owner_;
        for (uint256 key = 0xE001; key <= 0xE006; key++) {
            people.push(vm.addr(key));
            _keys[vm.addr(key)] = key;
        }
        for (uint256 i = 0; i < 3; i++) {
            HostileToken token = new HostileToken();
            tokens.push(token);
            for (uint256 p = 0; p < people.length; p++) {
                token.setBalance(people[p], 1e30);
                vm.startPrank(people[p]);
                token.approve(address(escrow), type(uint256).max);
                token.approve(escrow.PERMIT2(), type(uint256).max);
                vm.stopPrank();
            }
        }
    }

    function _person(uint256 seed) internal view returns (address) {
        return people[seed % people.length];
    }

    /// @dev Returns any possible caller, with a preference for the order's parties.
    function _caller(Ledger.Entry memory entry, uint256 seed) internal view returns (address) {
        address[6] memory callers = [entry.payer, entry.terms.payee, operator, arbiter, oracle, _person(seed >> 8)];
        return callers[seed % 6];
    }

    function _order(IDeliveryVsPayment.Terms memory terms) internal view returns (IDeliveryVsPayment.Order memory) {
        return escrow.getOrder(terms);
    }
}
