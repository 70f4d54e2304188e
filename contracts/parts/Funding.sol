// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Ownable, Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Permit.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";
import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";
import {IPermit2} from "../interfaces/IPermit2.sol";
import {IReceiveWithAuthorization} from "../interfaces/IReceiveWithAuthorization.sol";
import {Orders} from "./Orders.sol";
import {newOrderSlot} from "./OrderSlot.sol";
import {OrderTerms} from "./OrderTerms.sol";
import {Signatures} from "./Signatures.sol";

/// @title How orders come into being, and all that the owner may decide: which tokens, and whether at all.
abstract contract Funding is Orders, Ownable2Step, Pausable {
    using OrderTerms for Terms;
    using SafeERC20 for IERC20;

    /// @notice No delivery may take longer: a payer's money must come free within a lifetime.
    uint256 public constant MAX_DELIVERY_PERIOD = 3650 days;
    /// @notice No dispute may be shorter, whatever the terms say: an arbiter needs a block or two.
    uint256 public constant MIN_DISPUTE_WINDOW = 1 minutes;
    uint256 public constant MAX_DISPUTE_WINDOW = 30 days;

    /// @dev Permit2's stub ends with "uint256 deadline,"; the witness is the order's id, which binds all terms.
    string private constant WITNESS_TYPE = "bytes32 orderId)TokenPermissions(address token,uint256 amount)";

    IPermit2 public immutable PERMIT2;

    mapping(address token => bool) private _listed;

    constructor(address owner_, address permit2) Ownable(owner_) {
        PERMIT2 = IPermit2(permit2);
    }

    /// @inheritdoc IDeliveryVsPayment
    function createOrder(Terms calldata terms) external nonReentrant returns (bytes32 orderId) {
        orderId = terms.id();
        _open(terms, orderId, msg.sender);
        _pull(terms, msg.sender);
    }

    /// @inheritdoc IDeliveryVsPayment
    function createOrderFor(
        Terms calldata terms,
        address payer,
        bool payerNamed,
        bytes calldata signature
    ) external nonReentrant returns (bytes32 orderId) {
        orderId = _openSigned(terms, payer, payerNamed, signature);
        _pull(terms, payer);
    }

    /// @inheritdoc IDeliveryVsPayment
    function createOrderForWithPermit(
        Terms calldata terms,
        address payer,
        bool payerNamed,
        bytes calldata signature,
        Permit calldata permit
    ) external nonReentrant returns (bytes32 orderId) {
        orderId = _openSigned(terms, payer, payerNamed, signature);
        // Whoever front-runs the permit only does our work: then the allowance is there, and the permit is not needed.
        if (IERC20(terms.token).allowance(payer, address(this)) < terms.amount) {
            IERC20Permit(terms.token).permit(
                payer,
                address(this),
                permit.value,
                permit.deadline,
                permit.v,
                permit.r,
                permit.s
            );
        }
        _pull(terms, payer);
    }

    /// @inheritdoc IDeliveryVsPayment
    function createOrderWithAuthorization(
        Terms calldata terms,
        address payer,
        uint256 validAfter,
        uint256 validBefore,
        bytes calldata signature
    ) external nonReentrant returns (bytes32 orderId) {
        _requireCaller(terms.operator, address(0));
        orderId = terms.id();
        _open(terms, orderId, payer);
        uint256 held = _balance(terms.token);
        IReceiveWithAuthorization token = IReceiveWithAuthorization(terms.token);
        uint256 amount = terms.amount;
        if (signature.length == 65) {
            // The form that every ERC-3009 token has.
            bytes32 r = bytes32(signature[0:32]);
            bytes32 s = bytes32(signature[32:64]);
            uint8 v = uint8(signature[64]);
            token.receiveWithAuthorization(payer, address(this), amount, validAfter, validBefore, orderId, v, r, s);
        } else {
            token.receiveWithAuthorization(payer, address(this), amount, validAfter, validBefore, orderId, signature);
        }
        _requireReceived(terms, held);
    }

    /// @inheritdoc IDeliveryVsPayment
    function createOrderWithPermit2(
        Terms calldata terms,
        address payer,
        uint256 nonce,
        uint256 deadline,
        bytes calldata signature
    ) external nonReentrant returns (bytes32 orderId) {
        _requireCaller(terms.operator, address(0));
        orderId = terms.id();
        _open(terms, orderId, payer);
        uint256 held = _balance(terms.token);
        PERMIT2.permitWitnessTransferFrom(
            IPermit2.PermitTransferFrom(IPermit2.TokenPermissions(terms.token, terms.amount), nonce, deadline),
            IPermit2.SignatureTransferDetails(address(this), terms.amount),
            payer,
            orderId,
            WITNESS_TYPE,
            signature
        );
        _requireReceived(terms, held);
    }

    /// @inheritdoc IDeliveryVsPayment
    function setTokenListed(address token, bool listed) external onlyOwner {
        _listed[token] = listed;
        emit TokenListed(token, listed);
    }

    /// @inheritdoc IDeliveryVsPayment
    function pause() external onlyOwner {
        _pause();
    }

    /// @inheritdoc IDeliveryVsPayment
    function unpause() external onlyOwner {
        _unpause();
    }

    /// @inheritdoc IDeliveryVsPayment
    function isTokenListed(address token) external view returns (bool) {
        return _listed[token];
    }

    /// @dev Opens an order for a payer who signed the gateway's typed data.
    function _openSigned(
        Terms calldata terms,
        address payer,
        bool payerNamed,
        bytes calldata signature
    ) private returns (bytes32 orderId) {
        _requireCaller(terms.operator, address(0));
        orderId = terms.id();
        bool immediate = terms.releaseType == ReleaseType.IMMEDIATE;
        bytes32 digest = _hashTypedDataV4(
            immediate
                ? OrderTerms.paymentIntentHash(orderId, terms.amount)
                : terms.deliveryVsPaymentHash(orderId, payerNamed ? payer : address(0))
        );
        // A contract's word does not count for a message that does not name it: two wallets of one owner would both
        // stand by it.
        if (payerNamed && !immediate) Signatures.requireSigner(payer, digest, signature);
        else Signatures.requireKey(payer, digest, signature);
        _open(terms, orderId, payer);
    }

    /// @dev Checks the terms and writes the order down. The money follows; if it does not, all is undone.
    function _open(Terms calldata terms, bytes32 orderId, address payer) private whenNotPaused {
        if (!_listed[terms.token]) revert TokenNotListed(terms.token);
        _requireTime(0, terms.fundingDeadline);
        if (_orders[orderId].payer() != address(0)) revert OrderExists(orderId);
        uint256 deliveryDeadline = block.timestamp + terms.deliveryPeriod;
        _requireSoundTerms(terms, payer, deliveryDeadline);

        bool immediate = terms.releaseType == ReleaseType.IMMEDIATE;
        Status status = immediate ? Status.AwaitingSettlement : Status.Created;
        _orders[orderId] = newOrderSlot(payer, uint40(deliveryDeadline), status);
        _emitCreated(terms, orderId, payer, deliveryDeadline);
        if (!immediate) return;
        emit FundsReleased(orderId, payer, Cause.FUNDING, terms.amount);
    }

    /// @dev Terms under which somebody's funds could be stuck, or somebody would judge his own case, are refused.
    function _requireSoundTerms(Terms calldata terms, address payer, uint256 deliveryDeadline) private view {
        if (!terms.isClean()) revert TermsNotClean();
        if (payer == address(0)) revert RoleNotAllowed("payer", payer);
        if (terms.payee == address(0) || terms.payee == address(this)) revert RoleNotAllowed("payee", terms.payee);
        if (terms.offRamp == address(0) || terms.offRamp == address(this)) {
            revert RoleNotAllowed("offRamp", terms.offRamp);
        }
        if (terms.arbiter == payer || terms.arbiter == terms.payee) revert RoleNotAllowed("arbiter", terms.arbiter);
        _requireRange("amount", terms.amount, 1, type(uint120).max);
        _requireRange("deliveryPeriod", terms.deliveryPeriod, 1, MAX_DELIVERY_PERIOD);
        _requireRange("disputeWindow", terms.disputeWindow, MIN_DISPUTE_WINDOW, MAX_DISPUTE_WINDOW);
        if (terms.releaseType == ReleaseType.TIME_LOCKED) {
            // A lock in the past is one that has expired. One after the delivery deadline would let both sides take.
            _requireRange("timeLockUntil", terms.timeLockUntil, 1, deliveryDeadline);
        } else {
            _requireRange("timeLockUntil", terms.timeLockUntil, 0, 0);
        }
    }

    /// @dev emit OrderCreated(orderId, payer, terms.payee, deliveryDeadline, terms), with the terms copied as they came:
    /// field by field it costs 1,200 gas more. They were found clean, so their words are their encoding.
    function _emitCreated(Terms calldata terms, bytes32 orderId, address payer, uint256 deliveryDeadline) private {
        bytes32 signature = OrderCreated.selector;
        address payee = terms.payee;
        assembly ("memory-safe") {
            let data := mload(0x40)
            mstore(data, deliveryDeadline)
            calldatacopy(add(data, 0x20), terms, 0x1e0)
            log4(data, 0x200, signature, orderId, payer, payee)
        }
    }

    function _pull(Terms calldata terms, address payer) private {
        uint256 held = _balance(terms.token);
        IERC20(terms.token).safeTransferFrom(payer, address(this), terms.amount);
        _requireReceived(terms, held);
    }

    /// @dev What came in is measured, not believed: an order that holds less than its terms say would be paid out of
    /// somebody else's.
    function _requireReceived(Terms calldata terms, uint256 held) private view {
        uint256 holds = _balance(terms.token);
        if (holds != held + terms.amount) {
            revert ReceivedOtherAmount(terms.token, holds > held ? holds - held : 0, terms.amount);
        }
    }

    function _balance(address token) private view returns (uint256) {
        return IERC20(token).balanceOf(address(this));
    }
}
