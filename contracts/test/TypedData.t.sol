// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";
import {EscrowTest} from "./support/EscrowTest.sol";
import {IEscrow} from "./support/Deploying.sol";

/// @dev Tests that the contract and TypeScript (viem) agree on ids and signed messages. vectors/generate.ts generates
/// the vectors in vectors/typed-data.json. Every signature in the vectors is submitted to an escrow at the address that
/// the vectors name, and must be accepted.
contract TypedDataTest is EscrowTest {
    /// @dev Must match the deadline in vectors/generate.ts.
    uint256 private constant DEADLINE = 1_900_000_000;
    string private constant REASON = "The parcel was empty.";
    string private _json;
    string[7] private _names = [
        "deliveryProof",
        "timeLocked",
        "milestoneLocked",
        "autoRelease",
        "immediate",
        "smallest",
        "largest"
    ];

    function setUp() public override {
        super.setUp();
        _json = vm.readFile("contracts/test/vectors/typed-data.json");
        address place = vm.parseJsonAddress(_json, ".contract");
        IEscrow deployed = escrow;
        vm.etch(place, address(deployed).code);
        escrow = IEscrow(place);
        vm.etch(address(0x70C30), address(token).code);
        // Etched code has no storage yet. The first slots contain the values of fixed size, such as the owner.
        for (uint256 slot = 0; slot < 16; slot++) {
            vm.store(place, bytes32(slot), vm.load(address(deployed), bytes32(slot)));
        }
        vm.prank(owner);
        escrow.setTokenListed(address(0x70C30), true);
    }

    function test_vectorsAreForThisChainAndThesePeople() public view {
        assertEq(block.chainid, vm.parseJsonUint(_json, ".chainId"), "chain");
        assertEq(payer, vm.parseJsonAddress(_json, ".payer"), "payer");
        assertEq(payee, vm.parseJsonAddress(_json, ".payee"), "payee");
        assertEq(oracle, vm.parseJsonAddress(_json, ".oracle"), "oracle");
    }

    function test_idsAgree() public view {
        for (uint256 i = 0; i < _names.length; i++) {
            assertEq(escrow.orderIdOf(_terms(i)), vm.parseJsonBytes32(_json, _key(i, "orderId")), _names[i]);
        }
    }

    function test_digestsAgree() public view {
        for (uint256 i = 0; i < _names.length; i++) {
            IDeliveryVsPayment.Terms memory terms = _terms(i);
            bytes32 proof = vm.parseJsonBytes32(_json, _key(i, "proofHash"));
            string memory uri = "ipfs://bafybeigdyrzt5sfp7ud";
            assertEq(paymentDigest(escrow, terms, payer), _digest(i, "paymentNamed"), _names[i]);
            assertEq(paymentDigest(escrow, terms, address(0)), _digest(i, "paymentUnnamed"), _names[i]);
            assertEq(intentDigest(escrow, terms), _digest(i, "paymentIntent"), _names[i]);
            assertEq(proofDigest(escrow, terms, proof, uri), _digest(i, "deliveryProof"), _names[i]);
            _compareOthers(i, terms);
        }
    }

    function _compareOthers(uint256 i, IDeliveryVsPayment.Terms memory terms) private view {
        assertEq(milestoneDigest(escrow, terms, 1), _digest(i, "milestoneRelease"), _names[i]);
        assertEq(shipmentDigest(escrow, terms), _digest(i, "shipment"), _names[i]);
        assertEq(disputeDigest(escrow, terms, WINDOW, REASON, DEADLINE), _digest(i, "dispute"), _names[i]);
        bytes32 agreement = agreementDigest(escrow, terms, IDeliveryVsPayment.Side.PAYER, 1, DEADLINE);
        assertEq(agreement, _digest(i, "disputeAgreement"), _names[i]);
    }

    function test_structHashes_andDomain_makeTheDigests() public view {
        string[8] memory data = [
            "paymentNamed",
            "paymentUnnamed",
            "paymentIntent",
            "deliveryProof",
            "milestoneRelease",
            "shipment",
            "dispute",
            "disputeAgreement"
        ];
        for (uint256 i = 0; i < _names.length; i++) {
            for (uint256 d = 0; d < data.length; d++) {
                string memory key = string.concat(_key(i, "structHashes."), data[d]);
                bytes32 structHash = vm.parseJsonBytes32(_json, key);
                assertEq(digestOf(address(escrow), structHash), _digest(i, data[d]), data[d]);
            }
        }
    }

    /// @dev Each payment signature funds its order, whether or not the message names the payer. Each signature of the
    /// oracle or a party is accepted.
    function test_signaturesCount() public {
        uint256 blank = vm.snapshotState();
        for (uint256 i = 0; i < _names.length; i++) {
            IDeliveryVsPayment.Terms memory terms = _terms(i);
            bool immediate = terms.releaseType == IDeliveryVsPayment.ReleaseType.IMMEDIATE;
            _fundBy(i, terms, immediate ? "paymentIntent" : "paymentUnnamed", false);
            vm.revertToState(blank);
            blank = vm.snapshotState();
            _fundBy(i, terms, immediate ? "paymentIntent" : "paymentNamed", true);
            if (immediate) continue;
            if (terms.releaseType == IDeliveryVsPayment.ReleaseType.MILESTONE_LOCKED) {
                escrow.releaseMilestoneFor(terms, 1, _signature(i, "milestoneRelease"));
                assertEq(order(terms).released, 1, _names[i]);
            }
            uint256 beforeDispute = vm.snapshotState();
            vm.prank(operator);
            escrow.raiseDisputeFor(terms, WINDOW, REASON, DEADLINE, _signature(i, "dispute"));
            assertTrue(order(terms).disputedByPayer, _names[i]);
            if (terms.amount > order(terms).released) {
                escrow.resolveDisputeByAgreement(
                    terms,
                    1,
                    DEADLINE,
                    _signature(i, "disputeAgreementPayer"),
                    _signature(i, "disputeAgreementPayee")
                );
            }
            vm.revertToState(beforeDispute);
            escrow.markShippedFor(terms, _signature(i, "shipment"));
            bytes32 proof = vm.parseJsonBytes32(_json, _key(i, "proofHash"));
            escrow.submitDeliveryProofFor(terms, proof, "ipfs://bafybeigdyrzt5sfp7ud", _signature(i, "deliveryProof"));
            assertTrue(order(terms).proven, _names[i]);
        }
    }

    function _fundBy(uint256 i, IDeliveryVsPayment.Terms memory terms, string memory data, bool named) private {
        (bool minted, ) = terms.token.call(abi.encodeCall(token.mint, (payer, terms.amount)));
        vm.prank(payer);
        (bool approved, ) = terms.token.call(abi.encodeCall(token.approve, (address(escrow), terms.amount)));
        assertTrue(minted && approved, "has money");
        bytes memory signature = _signature(i, data);
        vm.prank(operator);
        escrow.createOrderFor(terms, payer, named, signature);
        assertEq(order(terms).payer, payer, _names[i]);
    }

    function _terms(uint256 i) private view returns (IDeliveryVsPayment.Terms memory) {
        return abi.decode(vm.parseJsonBytes(_json, _key(i, "encodedTerms")), (IDeliveryVsPayment.Terms));
    }

    function _digest(uint256 i, string memory name) private view returns (bytes32) {
        return vm.parseJsonBytes32(_json, string.concat(_key(i, "digests."), name));
    }

    function _signature(uint256 i, string memory name) private view returns (bytes memory) {
        return vm.parseJsonBytes(_json, string.concat(_key(i, "signatures."), name));
    }

    function _key(uint256 i, string memory field) private view returns (string memory) {
        return string.concat(".orders.", _names[i], ".", field);
    }
}
