// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Ownable, Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Permit.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";
import {IDaiPermit} from "../interfaces/IDaiPermit.sol";
import {IPermit2} from "../interfaces/IPermit2.sol";
import {IReceiveWithAuthorization} from "../interfaces/IReceiveWithAuthorization.sol";
import {Orders} from "./Orders.sol";
import {newOrderSlot} from "./OrderSlot.sol";
import {
    AMOUNT,
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
} from "./OrderTerms.sol";
import {Signatures} from "./Signatures.sol";

/// @title Funding of orders, and the token list that the owner and the guardian maintain.
abstract contract Funding is Orders, Ownable2Step {
    using OrderTerms for Terms;
    using SafeERC20 for IERC20;

    /// @notice The longest delivery period, in seconds, so that a payer's funds become reclaimable within a lifetime.
    uint256 public constant MAX_DELIVERY_PERIOD = 3650 days;
    /// @notice The shortest dispute window of an order's terms, in seconds: an arbiter needs at least a block or two.
    uint256 public constant MIN_DISPUTE_WINDOW = 1 minutes;
    /// @notice The longest dispute window of terms and of disputes, in seconds.
    uint256 public constant MAX_DISPUTE_WINDOW = 30 days;

    /// @dev Continues Permit2's type string after "uint256 deadline,". Permit2's message does not name the owner, so
    /// the witness does: otherwise one key of two contract wallets would sign for both.
    string private constant WITNESS_TYPE =
        "Payment witness)Payment(bytes32 orderId,address payer)TokenPermissions(address token,uint256 amount)";

    /// @notice The Permit2 contract that createOrderWithPermit2 calls.
    IPermit2 public immutable PERMIT2;

    /// @notice The account that can de-list tokens, within a block of an observed problem, but cannot list any. Zero
    /// for none.
    address public guardian;

    /// @dev The tokens in which orders can be funded.
    mapping(address token => bool) private _listed;

    /// @notice Sets the owner and the Permit2 contract.
    /// @param owner_ The owner; zero reverts with OpenZeppelin's OwnableInvalidOwner.
    /// @param permit2 The Permit2 contract; not checked, and called only by createOrderWithPermit2.
    constructor(address owner_, address permit2) Ownable(owner_) {
        PERMIT2 = IPermit2(permit2);
    }

    /// @inheritdoc IDeliveryVsPayment
    function createOrder(Terms calldata terms) external nonReentrant returns (bytes32 orderId) {
        orderId = _orderId(terms);
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
        // If someone submitted the permit first, the allowance is already set and the permit is not needed.
        if (IERC20(terms.token).allowance(payer, address(this)) < terms.amount) _permit(terms.token, payer, permit);
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
        orderId = _orderId(terms);
        _open(terms, orderId, payer);
        (, uint256 held) = _balance(terms.token);
        if (!_authorizedByKey(terms, orderId, payer, validAfter, validBefore, signature)) {
            IReceiveWithAuthorization(terms.token).receiveWithAuthorization(
                payer,
                address(this),
                terms.amount,
                validAfter,
                validBefore,
                orderId,
                signature
            );
        }
        _requireReceived(terms.token, terms.amount, held);
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
        orderId = _orderId(terms);
        _open(terms, orderId, payer);
        (, uint256 held) = _balance(terms.token);
        PERMIT2.permitWitnessTransferFrom(
            IPermit2.PermitTransferFrom(IPermit2.TokenPermissions(terms.token, terms.amount), nonce, deadline),
            IPermit2.SignatureTransferDetails(address(this), terms.amount),
            payer,
            OrderTerms.paymentHash(orderId, payer),
            WITNESS_TYPE,
            signature
        );
        _requireReceived(terms.token, terms.amount, held);
    }

    /// @inheritdoc IDeliveryVsPayment
    function setTokenListed(address token, bool listed) external {
        _requireCaller(owner(), listed ? owner() : guardian);
        _listed[token] = listed;
        emit TokenListed(token, listed);
    }

    /// @inheritdoc IDeliveryVsPayment
    function setGuardian(address guardian_) external onlyOwner {
        guardian = guardian_;
        emit GuardianChanged(guardian_);
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
        orderId = _orderId(terms);
        bool immediate = terms.releaseType == ReleaseType.IMMEDIATE;
        bytes32 digest = _hashTypedDataV4(
            immediate
                ? OrderTerms.paymentIntentHash(orderId, terms.amount)
                : terms.deliveryVsPaymentHash(orderId, payerNamed ? payer : address(0))
        );
        // A contract signature is accepted only where the message or the terms name the contract: two wallets of one
        // owner would both accept a message that names neither.
        if ((payerNamed && !immediate) || terms.payer != address(0)) {
            Signatures.requireSigner(payer, digest, signature);
        } else {
            Signatures.requireKey(payer, digest, signature);
        }
        _open(terms, orderId, payer);
    }

    /// @dev Submits an ERC-2612 permit or, if the token rejects it, a permit in DAI's older form.
    function _permit(address token, address payer, Permit calldata permit) private {
        try
            IERC20Permit(token).permit(
                payer,
                address(this),
                permit.value,
                permit.deadline,
                permit.v,
                permit.r,
                permit.s
            )
        {
            return;
        } catch {
            IDaiPermit(token).permit(
                payer,
                address(this),
                IDaiPermit(token).nonces(payer),
                permit.deadline,
                true,
                permit.v,
                permit.r,
                permit.s
            );
        }
    }

    /// @dev Returns whether the token accepted the signature in the v, r, s form that every ERC-3009 token has.
    /// Contract wallets can have 65-byte signatures too, so if the payer has code, a rejected signature is left to the
    /// form with bytes.
    function _authorizedByKey(
        Terms calldata terms,
        bytes32 orderId,
        address payer,
        uint256 validAfter,
        uint256 validBefore,
        bytes calldata signature
    ) private returns (bool) {
        if (signature.length != 65) return false;
        try
            IReceiveWithAuthorization(terms.token).receiveWithAuthorization(
                payer,
                address(this),
                terms.amount,
                validAfter,
                validBefore,
                orderId,
                uint8(signature[64]),
                bytes32(signature[0:32]),
                bytes32(signature[32:64])
            )
        {
            return true;
        } catch (bytes memory reason) {
            if (payer.code.length != 0) return false;
            assembly ("memory-safe") {
                revert(add(reason, 0x20), mload(reason))
            }
        }
    }

    /// @dev Validates the terms and stores the order. The caller must transfer the funds or revert.
    function _open(Terms calldata terms, bytes32 orderId, address payer) private {
        if (!terms.isClean()) revert TermsNotClean();
        address token = terms.cleanAddress(TOKEN);
        if (!_listed[token]) revert TokenNotListed(token);
        _requireTime(0, terms.cleanNumber(FUNDING_DEADLINE));
        if (_orders[orderId].payer() != address(0)) revert OrderExists(orderId);
        uint256 deliveryPeriod = terms.cleanNumber(DELIVERY_PERIOD);
        _requireRange("deliveryPeriod", deliveryPeriod, 1, MAX_DELIVERY_PERIOD);
        uint256 deliveryDeadline = block.timestamp + deliveryPeriod;
        _requireRoles(terms, payer);
        _requireNumbers(terms, deliveryDeadline);

        bool immediate = terms.cleanNumber(RELEASE_TYPE) == uint256(ReleaseType.IMMEDIATE);
        Status status = immediate ? Status.AwaitingSettlement : Status.Created;
        _orders[orderId] = newOrderSlot(payer, uint40(deliveryDeadline), status);
        _emitCreated(terms, orderId, payer, deliveryDeadline);
        if (!immediate) return;
        emit FundsReleased(orderId, payer, Cause.FUNDING, terms.amount);
    }

    /// @dev Rejects roles with which a party would judge its own dispute or funds could get stuck.
    function _requireRoles(Terms calldata terms, address payer) private view {
        address named = terms.cleanAddress(PAYER);
        if (payer == address(0) || (named != address(0) && named != payer)) revert RoleNotAllowed("payer", payer);
        address payee = terms.cleanAddress(PAYEE);
        if (payee == address(0) || payee == address(this)) revert RoleNotAllowed("payee", payee);
        address offRamp = terms.cleanAddress(OFF_RAMP);
        if (offRamp == address(0) || offRamp == address(this)) revert RoleNotAllowed("offRamp", offRamp);
        address arbiter = terms.cleanAddress(ARBITER);
        bool party = arbiter == payer || arbiter == payee || arbiter == terms.cleanAddress(OPERATOR);
        if (party || arbiter == offRamp || arbiter == address(0)) revert RoleNotAllowed("arbiter", arbiter);
    }

    function _requireNumbers(Terms calldata terms, uint256 deliveryDeadline) private pure {
        // Clean terms cannot have an amount larger than uint120.
        if (terms.cleanNumber(AMOUNT) == 0) revert OutOfRange("amount", 0, 1, type(uint120).max);
        _requireRange("disputeWindow", terms.cleanNumber(DISPUTE_WINDOW), MIN_DISPUTE_WINDOW, MAX_DISPUTE_WINDOW);
        // A lock in the past has already expired. A lock after the delivery deadline would let both sides take the
        // funds.
        bool locked = terms.cleanNumber(RELEASE_TYPE) == uint256(ReleaseType.TIME_LOCKED);
        _requireRange("timeLockUntil", terms.cleanNumber(TIME_LOCK), locked ? 1 : 0, locked ? deliveryDeadline : 0);
    }

    /// @dev Equivalent to `emit OrderCreated(orderId, payer, terms.payee, deliveryDeadline, terms)`, with the terms
    /// copied directly from calldata, which saves 1,200 gas over encoding them field by field. Clean terms are their
    /// own ABI encoding.
    function _emitCreated(Terms calldata terms, bytes32 orderId, address payer, uint256 deliveryDeadline) private {
        bytes32 signature = OrderCreated.selector;
        address payee = terms.cleanAddress(PAYEE);
        assembly ("memory-safe") {
            let data := mload(0x40)
            mstore(data, deliveryDeadline)
            calldatacopy(add(data, 0x20), terms, 0x200)
            log4(data, 0x220, signature, orderId, payer, payee)
        }
    }

    function _pull(Terms calldata terms, address payer) private {
        address token = terms.cleanAddress(TOKEN);
        uint256 amount = terms.cleanNumber(AMOUNT);
        (, uint256 held) = _balance(token);
        IERC20(token).safeTransferFrom(payer, address(this), amount);
        _requireReceived(token, amount, held);
    }

    /// @dev Measures the received amount instead of trusting the token: an order that holds less than its amount would
    /// be paid from other orders' funds.
    function _requireReceived(address token, uint256 amount, uint256 held) private view {
        (, uint256 holds) = _balance(token);
        if (holds != held + amount) revert ReceivedOtherAmount(token, holds > held ? holds - held : 0, amount);
    }
}
