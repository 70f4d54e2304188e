// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";
import {EscrowTest} from "./support/EscrowTest.sol";

import {Wallet} from "./support/mocks/Wallet.sol";

/// @dev Tests the branches in SubmitDeliveryProof.tree.
contract SubmitDeliveryProofTest is EscrowTest {
    function test_withAnOracle_itAloneMayProve(address caller) public {
        vm.assume(caller != oracle);
        IDeliveryVsPayment.Terms memory terms = _oracleTerms();
        fund(terms);
        expectCallerRefusal(caller, oracle, address(0));
        vm.prank(caller);
        escrow.submitDeliveryProof(terms, PROOF, URI);
        prove(terms, PROOF);
        assertTrue(order(terms).proven, "proven");
    }

    function test_withAnOracle_itsSignatureProves_forAnyCaller(address caller) public {
        IDeliveryVsPayment.Terms memory terms = _oracleTerms();
        bytes32 orderId = fund(terms);
        bytes memory signature = sign(ORACLE_KEY, proofDigest(escrow, terms, PROOF, URI));
        vm.expectEmit(true, true, true, true, address(escrow));
        emit IDeliveryVsPayment.DeliveryProofSubmitted(orderId, oracle, PROOF, URI, true);
        vm.prank(caller);
        escrow.submitDeliveryProofFor(terms, PROOF, URI, signature);
        assertTrue(order(terms).proven, "proven");
    }

    function test_withAnOracle_aContractsSignatureProves() public {
        IDeliveryVsPayment.Terms memory terms = _oracleTerms();
        terms.deliveryOracle = address(new Wallet(oracle));
        fund(terms);
        bytes memory signature = sign(ORACLE_KEY, proofDigest(escrow, terms, PROOF, URI));
        escrow.submitDeliveryProofFor(terms, PROOF, URI, signature);
        assertTrue(order(terms).proven, "proven");
    }

    function test_withAnOracle_aSignatureOverAnythingElseIsRefused(bytes32 hash, string memory uri) public {
        vm.assume(hash != PROOF);
        IDeliveryVsPayment.Terms memory terms = _oracleTerms();
        fund(terms);
        bytes memory signature = sign(ORACLE_KEY, proofDigest(escrow, terms, PROOF, URI));
        _refuseSigned(terms, hash, URI, signature);
        if (keccak256(bytes(uri)) != keccak256(bytes(URI))) _refuseSigned(terms, PROOF, uri, signature);
        _refuseSigned(terms, PROOF, URI, sign(PAYEE_KEY, proofDigest(escrow, terms, PROOF, URI)));
    }

    function test_withoutAnOracle_noSignatureProves() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        _refuseSigned(terms, PROOF, URI, sign(ORACLE_KEY, proofDigest(escrow, terms, PROOF, URI)));
        _refuseSigned(terms, PROOF, URI, new bytes(65));
    }

    function test_withoutAnOracle_payeeOrOperatorProve(address caller) public {
        vm.assume(caller != payee && caller != operator);
        IDeliveryVsPayment.Terms memory terms = funded();
        expectCallerRefusal(caller, payee, operator);
        vm.prank(caller);
        escrow.submitDeliveryProof(terms, PROOF, URI);
        bytes32 orderId = escrow.orderIdOf(terms);
        vm.expectEmit(true, true, true, true, address(escrow));
        emit IDeliveryVsPayment.DeliveryProofSubmitted(orderId, operator, PROOF, URI, true);
        vm.prank(operator);
        escrow.submitDeliveryProof(terms, PROOF, URI);
        assertTrue(order(terms).proven, "proven");
    }

    function test_whenNeverFunded_isRefused() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        vm.expectPartialRevert(IDeliveryVsPayment.OrderNotFound.selector);
        prove(terms, PROOF);
        vm.expectPartialRevert(IDeliveryVsPayment.OrderNotFound.selector);
        escrow.submitDeliveryProofFor(terms, PROOF, URI, "");
    }

    function test_whenReleased_isRefused() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        release(terms);
        expectStatusRefusal(terms, IDeliveryVsPayment.Status.AwaitingSettlement, 7);
        prove(terms, PROOF);
    }

    function test_whenProven_isRefused() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        prove(terms, PROOF);
        vm.expectRevert(abi.encodeWithSelector(IDeliveryVsPayment.ProofAlreadyValid.selector, escrow.orderIdOf(terms)));
        prove(terms, PROOF);
    }

    function test_atTheDeliveryDeadline_isRecorded_aSecondLaterRefused() public {
        IDeliveryVsPayment.Terms memory terms = funded();
        vm.warp(START + PERIOD + 1);
        expectTimeRefusal(START + PERIOD + 1, 0, START + PERIOD);
        prove(terms, PROOF);
        vm.warp(START + PERIOD);
        prove(terms, PROOF);
    }

    function test_anIndependentOracleProves_withAnyHash(bytes32 hash) public {
        IDeliveryVsPayment.Terms memory terms = _oracleTerms();
        terms.expectedDeliveryHash = PROOF;
        fund(terms);
        prove(terms, hash);
        assertTrue(order(terms).proven, "proven");
        assertStatus(terms, IDeliveryVsPayment.Status.Delivered);
    }

    function test_theExpectedHashProves_anotherDoesNot(bytes32 hash) public {
        vm.assume(hash != PROOF);
        IDeliveryVsPayment.Terms memory terms = newTerms();
        terms.expectedDeliveryHash = PROOF;
        bytes32 orderId = fund(terms);
        vm.expectEmit(true, true, true, true, address(escrow));
        emit IDeliveryVsPayment.DeliveryProofSubmitted(orderId, payee, hash, URI, false);
        prove(terms, hash);
        assertTrue(!order(terms).proven, "not proven");
        assertStatus(terms, IDeliveryVsPayment.Status.Delivered);
        prove(terms, hash);
        prove(terms, PROOF);
        assertTrue(order(terms).proven, "proven");
    }

    function test_anOracleThatIsAParty_isJudgedAsThePayee() public {
        address[4] memory parties = [payee, operator, arbiter, offRamp];
        for (uint256 i = 0; i < 4; i++) {
            IDeliveryVsPayment.Terms memory terms = newTerms();
            terms.deliveryOracle = parties[i];
            terms.expectedDeliveryHash = PROOF;
            fund(terms);
            prove(terms, bytes32("junk"));
            assertTrue(!order(terms).proven, "not proven");
            dispute(terms);
            expectStatusRefusal(terms, IDeliveryVsPayment.Status.Disputed, 7);
            prove(terms, PROOF);
        }
    }

    function test_anOracleThatIsThePayer_isNotIndependent() public {
        IDeliveryVsPayment.Terms memory terms = milestoneTerms();
        terms.deliveryOracle = payer;
        fund(terms);
        prove(terms, PROOF);
        assertTrue(!order(terms).proven, "evidence");
    }

    function test_inADispute_onlyAnIndependentOracleProves() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        terms.expectedDeliveryHash = PROOF;
        fund(terms);
        dispute(terms);
        expectStatusRefusal(terms, IDeliveryVsPayment.Status.Disputed, 7);
        prove(terms, PROOF);

        terms = _oracleTerms();
        terms.autoReleaseOnProof = true;
        fund(terms);
        dispute(terms);
        prove(terms, PROOF);
        assertTrue(order(terms).proven, "proven");
        assertStatus(terms, IDeliveryVsPayment.Status.Disputed);
        assertEq(order(terms).disputeDeadline, START + WINDOW, "deadline");
    }

    /// @dev F4: after the dispute's deadline, a late proof would race the timeout.
    function test_inADispute_anOracleProves_untilItsDeadline() public {
        IDeliveryVsPayment.Terms memory terms = _oracleTerms();
        fund(terms);
        dispute(terms);
        vm.warp(START + WINDOW + 1);
        expectTimeRefusal(START + WINDOW + 1, 0, START + WINDOW);
        prove(terms, PROOF);
        vm.warp(START + WINDOW);
        prove(terms, PROOF);
        assertTrue(order(terms).proven, "proven");
    }

    /// @dev F1: the merchant's own proof does not end a lock or release milestones, regardless of its hash.
    function test_ofLocksAndMilestones_theMerchantsProofIsEvidence() public {
        IDeliveryVsPayment.Terms[2] memory both = [timeLockTerms(), milestoneTerms()];
        for (uint256 i = 0; i < 2; i++) {
            both[i].expectedDeliveryHash = PROOF;
            bytes32 orderId = fund(both[i]);
            vm.expectEmit(true, true, true, true, address(escrow));
            emit IDeliveryVsPayment.DeliveryProofSubmitted(orderId, payee, PROOF, URI, false);
            prove(both[i], PROOF);
            prove(both[i], PROOF);
            assertTrue(!order(both[i]).proven, "evidence");
            assertStatus(both[i], IDeliveryVsPayment.Status.Delivered);
        }
    }

    function test_autoReleaseOnProof_releases() public {
        IDeliveryVsPayment.Terms memory terms = newTerms();
        terms.autoReleaseOnProof = true;
        _provesAndReleases(terms);
    }

    function test_AUTO_RELEASE_releases() public {
        _provesAndReleases(newTerms(IDeliveryVsPayment.ReleaseType.AUTO_RELEASE));
    }

    function test_autoReleaseOnProof_ofOtherTypes_releasesNothing() public {
        IDeliveryVsPayment.Terms[2] memory both = [timeLockTerms(), milestoneTerms()];
        for (uint256 i = 0; i < 2; i++) {
            both[i].autoReleaseOnProof = true;
            fund(both[i]);
            prove(both[i], PROOF);
            assertStatus(both[i], IDeliveryVsPayment.Status.Delivered);
        }
    }

    function test_anInvalidProof_releasesNothing() public {
        IDeliveryVsPayment.Terms memory terms = newTerms(IDeliveryVsPayment.ReleaseType.AUTO_RELEASE);
        terms.expectedDeliveryHash = PROOF;
        fund(terms);
        prove(terms, bytes32("junk"));
        assertStatus(terms, IDeliveryVsPayment.Status.Delivered);
    }

    function _provesAndReleases(IDeliveryVsPayment.Terms memory terms) private {
        bytes32 orderId = fund(terms);
        vm.expectEmit(true, true, true, true, address(escrow));
        emit IDeliveryVsPayment.FundsReleased(orderId, payee, IDeliveryVsPayment.Cause.PROOF, AMOUNT);
        prove(terms, PROOF);
        assertStatus(terms, IDeliveryVsPayment.Status.AwaitingSettlement);
        assertAmounts(terms, AMOUNT, 0);
        assertTrue(order(terms).proven, "proven");
    }

    function _oracleTerms() private returns (IDeliveryVsPayment.Terms memory terms) {
        terms = newTerms();
        terms.deliveryOracle = oracle;
    }

    function _refuseSigned(
        IDeliveryVsPayment.Terms memory terms,
        bytes32 hash,
        string memory uri,
        bytes memory signature
    ) private {
        bytes32 digest = proofDigest(escrow, terms, hash, uri);
        vm.expectRevert(
            abi.encodeWithSelector(IDeliveryVsPayment.SignatureNotValid.selector, terms.deliveryOracle, digest)
        );
        escrow.submitDeliveryProofFor(terms, hash, uri, signature);
    }
}
