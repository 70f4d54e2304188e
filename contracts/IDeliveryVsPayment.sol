// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title Interface of the escrow: terms, states, events, errors and operations.
/// @notice An order is identified by the hash of its terms, so anyone who knows the terms can compute the id before the
/// order exists, and a signature over the id covers every term. Amounts are in the token's smallest unit. Timestamps
/// are Unix seconds and deadlines are inclusive. Periods and windows are in seconds.
/// @dev `terms` is always the complete set of the order's terms. Every operation on a funded order, except `settle`,
/// reverts with OrderNotFound if no order with these terms was funded. Every operation on orders and credits reverts
/// with Reentered while an operation that calls a token is running; views do not. Further errors are listed per
/// function. "Open" means Created, Shipped or Delivered; "unreleased" means open or Disputed; "the remainder" is the
/// amount that is neither released nor refunded; "the payer" of a funded order is the account that funded it; the
/// independent oracle is a `deliveryOracle` that is neither zero nor the payee, payer, operator, arbiter or offRamp.
/// Signed messages are EIP-712 typed data in the domain that `eip712Domain` (EIP-5267) returns, which contains the
/// current chain id; OrderTerms.sol defines their types. "spec" refers to the description of the service's interface.
interface IDeliveryVsPayment {
    /// @notice What releases an order's funds, besides the payer and the outcome of a dispute. The first four values
    /// are the spec's `releaseType` ("Conditional payment / escrow order").
    enum ReleaseType {
        DELIVERY_PROOF, // once proven: the operator, or the payee after the delivery deadline; with autoReleaseOnProof the proof itself
        TIME_LOCKED, // anyone, from timeLockUntil on, if the order is Shipped or Delivered
        MILESTONE_LOCKED, // cumulative amounts in parts; the payee once proven
        AUTO_RELEASE, // the proof itself; if proven during a dispute and then resumed, as DELIVERY_PROOF
        IMMEDIATE // funding releases
    }

    /// @notice The status of an order. The numeric values are part of the service's interface (spec, "Escrow order
    /// status").
    enum Status {
        Created, // funded, neither shipped nor delivered; also the value for an order that was never funded
        Shipped, // after markShipped
        Delivered, // a proof was recorded, valid or not
        AwaitingSettlement, // nothing is unreleased; released funds are still in the escrow
        Completed, // nothing is unreleased; all released funds have left the escrow
        Cancelled, // the remainder was refunded to the payer; earlier releases remain the payee's
        Disputed // after raiseDispute; only the payer's release, the payee's refund and the end of the dispute move the remainder
    }

    /// @notice The reason for a release or a refund.
    enum Cause {
        FUNDING, // funding of an IMMEDIATE order
        PROOF, // submitDeliveryProof, submitDeliveryProofFor
        PAYER, // release by the payer
        OPERATOR, // release or refund by the operator
        PAYEE, // release or refund by the payee
        TIME_LOCK, // releaseTimeLocked
        MILESTONE, // not used in events, because MilestoneReleased implies it; for consumers that store all causes in one column
        ARBITER, // resolveDispute
        AGREEMENT, // resolveDisputeByAgreement
        DISPUTE_TIMEOUT, // resolveExpiredDispute
        DELIVERY_TIMEOUT // reclaim
    }

    /// @notice The party on whose behalf a dispute is raised. Each side can raise at most one dispute per order.
    enum Side {
        PAYER, // the payer, or the operator with the payer's signature
        MERCHANT // the payee, or the operator without the payer's signature
    }

    /// @notice The terms that the parties agreed on. The hash of the chain id at deployment, the contract and the terms
    /// is the order's id.
    struct Terms {
        bytes32 salt; // distinguishes orders with otherwise equal terms
        address operator; // the gateway, which relays and settles; zero for none
        address arbiter; // decides disputes; neither zero nor the payer, payee, operator or offRamp
        address deliveryOracle; // the only account that can submit proofs; if zero, the payee and the operator can
        address payee; // the merchant's account; neither zero nor the escrow
        address payer; // the only account that can fund the order; zero for any account
        address offRamp; // the gateway's wallet at the fiat provider; neither zero nor the escrow
        address token; // ERC-20 token, listed at the time of funding
        uint120 amount; // in the token's smallest unit; not zero
        uint40 fundingDeadline; // last Unix second at which the order can be funded
        uint40 deliveryPeriod; // seconds from funding to the delivery deadline; 1 second to 3,650 days
        uint40 disputeWindow; // shortest window of a dispute in seconds; 1 minute to 30 days
        uint40 timeLockUntil; // first Unix second at which a TIME_LOCKED order can be released; zero for other release types
        ReleaseType releaseType; // what releases the funds
        bool autoReleaseOnProof; // DELIVERY_PROOF: a valid proof releases; MILESTONE_LOCKED: see releaseMilestone
        bytes32 expectedDeliveryHash; // hash that makes a party's proof valid on DELIVERY_PROOF and AUTO_RELEASE; zero for any hash
    }

    /// @notice The terms that all orders of a group share, each as in Terms.
    struct CommonTerms {
        address operator;
        address arbiter;
        address deliveryOracle;
        address offRamp;
        address token;
        uint40 deliveryPeriod;
        uint40 disputeWindow;
        uint40 timeLockUntil;
        ReleaseType releaseType;
        bool autoReleaseOnProof;
        bytes32 expectedDeliveryHash;
    }

    /// @notice The terms that differ between the orders of a group, each as in Terms.
    struct OwnTerms {
        bytes32 salt;
        address payee;
        address payer;
        uint120 amount;
        uint40 fundingDeadline;
    }

    /// @notice A group of orders to settle, with their common terms given once.
    struct SettlementGroup {
        CommonTerms common; // shared by all orders of the group
        OwnTerms[] orders; // one entry per order
    }

    /// @notice The state of an order. All fields are zero for an order that was never funded.
    struct Order {
        address payer; // the account that funded it
        uint40 deliveryDeadline; // last Unix second for shipment and proof; each dispute extends it (see raiseDispute)
        uint40 disputeDeadline; // last Unix second at which the arbiter can decide the latest dispute; zero if there was none
        Status status; // Created for an order that was never funded
        Status statusBeforeDispute; // status in which an unproven order resumes; Created if there was no dispute
        Side disputeSide; // side that raised the latest dispute; PAYER if there was none
        bool disputedByPayer; // whether the payer's side has raised its one dispute
        bool disputedByMerchant; // whether the merchant's side has raised its one dispute
        bool proven; // see submitDeliveryProof
        bool withdrawn; // the payee withdrew on chain, so there is no fiat payout
        uint120 released; // total released, including disbursed funds; in the smallest unit, as are the next two
        uint120 disbursed; // settled + withdrawn, at most `released`
        uint120 refunded; // returned to the payer by transfer or as a credit; released + refunded never exceeds the amount
    }

    /// @notice A permit from the payer to this contract, in the form of ERC-2612 or of DAI, which has no value.
    struct Permit {
        uint256 value; // in the token's smallest unit
        uint256 deadline; // last Unix second at which the permit is valid; DAI's `expiry`
        uint8 v; // the payer's ECDSA signature, with r and s
        bytes32 r; // see v
        bytes32 s; // see v
    }

    /// @notice Emitted when an order is funded. For an IMMEDIATE order, FundsReleased follows.
    /// @param orderId The hash of the chain id at deployment, the contract and the terms.
    /// @param payer The account that paid.
    /// @param payee The payee of the terms.
    /// @param deliveryDeadline Last Unix second for shipment and proof.
    /// @param terms The order's terms.
    event OrderCreated(
        bytes32 indexed orderId,
        address indexed payer,
        address indexed payee,
        uint40 deliveryDeadline,
        Terms terms
    );
    /// @notice Emitted when an order becomes Shipped.
    /// @param orderId The order's id.
    /// @param actor The caller, or the oracle that signed.
    event OrderShipped(bytes32 indexed orderId, address indexed actor);
    /// @notice Emitted when a proof of delivery is recorded.
    /// @param orderId The order's id.
    /// @param submittedBy The caller, or the oracle that signed.
    /// @param proofHash The hash of the proof.
    /// @param proofURI The location of the proof; not interpreted.
    /// @param proven Whether the proof makes the order proven. If not, it is only evidence.
    event DeliveryProofSubmitted(
        bytes32 indexed orderId,
        address indexed submittedBy,
        bytes32 proofHash,
        string proofURI,
        bool proven
    );
    /// @notice Emitted when the remainder is released.
    /// @param orderId The order's id.
    /// @param actor The caller, the payer of an IMMEDIATE order, or the oracle that signed.
    /// @param cause The reason for the release.
    /// @param amount The released remainder, in the token's smallest unit.
    event FundsReleased(bytes32 indexed orderId, address indexed actor, Cause cause, uint256 amount);
    /// @notice Emitted when a milestone releases part of the amount.
    /// @param orderId The order's id.
    /// @param actor The caller, or the oracle that signed.
    /// @param amount The amount released by this call, in the token's smallest unit.
    /// @param released The total released, in the token's smallest unit.
    /// @param complete Whether nothing is left to release and the order is AwaitingSettlement.
    event MilestoneReleased(
        bytes32 indexed orderId,
        address indexed actor,
        uint256 amount,
        uint256 released,
        bool complete
    );
    /// @notice Emitted when released funds are sent to the off-ramp for payout in fiat. A batch is sent in one
    /// transfer.
    /// @param orderId The order's id.
    /// @param offRamp The off-ramp of the terms.
    /// @param amount The order's share of the transfer, in the token's smallest unit.
    event OrderSettled(bytes32 indexed orderId, address indexed offRamp, uint256 amount);
    /// @notice Emitted when an order of a batch cannot be settled. If no such order exists, the reason is
    /// OrderNotFound.
    /// @param orderId The id that follows from the terms in the batch.
    /// @param reason The ABI-encoded error: OrderNotFound, AlreadyWithdrawn, NothingReleased or OtherBatch.
    event SettlementSkipped(bytes32 indexed orderId, bytes reason);
    /// @notice Emitted when the payee withdraws released funds on chain.
    /// @param orderId The order's id.
    /// @param payee The payee of the terms.
    /// @param amount The amount sent, in the token's smallest unit.
    event OrderWithdrawn(bytes32 indexed orderId, address indexed payee, uint256 amount);
    /// @notice Emitted when all or part of the remainder is refunded to the payer.
    /// @param orderId The order's id.
    /// @param actor The caller.
    /// @param cause The reason for the refund: PAYEE, OPERATOR or DELIVERY_TIMEOUT.
    /// @param amount The amount refunded, in the token's smallest unit. CreditAdded follows for any part that the token
    /// did not transfer.
    /// @param complete Whether nothing is left and the order is Cancelled.
    event OrderRefunded(bytes32 indexed orderId, address indexed actor, Cause cause, uint256 amount, bool complete);
    /// @notice Emitted when an order becomes Disputed.
    /// @param orderId The order's id.
    /// @param actor The caller, or the payer who signed.
    /// @param side The side that has raised its one dispute.
    /// @param disputeDeadline Last Unix second at which the arbiter can decide.
    /// @param deliveryDeadline The delivery deadline as extended by the dispute, as a Unix second.
    /// @param reason The reason given; not interpreted.
    event DisputeRaised(
        bytes32 indexed orderId,
        address indexed actor,
        Side indexed side,
        uint40 disputeDeadline,
        uint40 deliveryDeadline,
        string reason
    );
    /// @notice Emitted when a dispute splits the remainder. The payer's share is refunded; the payee's share awaits
    /// settlement.
    /// @param orderId The order's id.
    /// @param actor The caller.
    /// @param cause What decided the dispute: ARBITER, AGREEMENT or DISPUTE_TIMEOUT.
    /// @param payeeAmount The payee's share, in the token's smallest unit.
    /// @param payerAmount The payer's share, in the token's smallest unit. CreditAdded follows for any part that the
    /// token did not transfer.
    event DisputeResolved(
        bytes32 indexed orderId,
        address indexed actor,
        Cause cause,
        uint256 payeeAmount,
        uint256 payerAmount
    );
    /// @notice Emitted when a dispute expires undecided and the order resumes.
    /// @param orderId The order's id.
    /// @param actor The caller.
    /// @param status The status in which the order resumes.
    event OrderResumed(bytes32 indexed orderId, address indexed actor, Status status);
    /// @notice Emitted when a transfer to the payer fails or moves less than requested. claimCredit pays out the
    /// difference.
    /// @param orderId The order's id.
    /// @param account The payer.
    /// @param token The order's token.
    /// @param amount The amount added to the account's credit, in the token's smallest unit.
    event CreditAdded(bytes32 indexed orderId, address indexed account, address indexed token, uint256 amount);
    /// @notice Emitted when an account claims its credit.
    /// @param account The caller.
    /// @param token The token of the credit.
    /// @param amount The full credit, in the token's smallest unit.
    event CreditClaimed(address indexed account, address indexed token, uint256 amount);
    /// @notice Emitted when a token is listed or de-listed for new orders. The value may be unchanged.
    /// @param token The token.
    /// @param listed Whether orders in the token can be funded from now on.
    event TokenListed(address indexed token, bool listed);
    /// @notice Emitted when the guardian is appointed or removed.
    /// @param guardian The account that can de-list tokens; zero for none.
    event GuardianChanged(address indexed guardian);

    /// @notice No order with these terms was funded.
    /// @param orderId The id that follows from the terms.
    error OrderNotFound(bytes32 orderId);
    /// @notice An order with these terms was already funded.
    /// @param orderId The order's id.
    error OrderExists(bytes32 orderId);
    /// @notice The caller is not allowed to perform this operation.
    /// @param caller The caller.
    /// @param allowed The account that is allowed.
    /// @param alsoAllowed A second allowed account; none if zero or equal to `allowed`.
    error CallerNotAllowed(address caller, address allowed, address alsoAllowed);
    /// @notice The operation is not possible in the order's current status.
    /// @param orderId The order's id.
    /// @param status The order's status.
    /// @param allowed Bitmap of allowed statuses: bit n is set if the operation is possible in status n.
    error StatusNotAllowed(bytes32 orderId, Status status, uint256 allowed);
    /// @notice The operation is not possible for the order's release type.
    /// @param orderId The order's id.
    /// @param releaseType The order's release type.
    /// @param allowed The release type that the operation requires.
    error ReleaseTypeNotAllowed(bytes32 orderId, ReleaseType releaseType, ReleaseType allowed);
    /// @notice The operation is called too early or too late.
    /// @param timestamp The block's timestamp, in Unix seconds.
    /// @param earliest First Unix second at which the operation is possible.
    /// @param latest Last Unix second at which the operation is possible; `type(uint256).max` for no limit.
    error OutsideTime(uint256 timestamp, uint256 earliest, uint256 latest);
    /// @notice An account cannot have this role in the order: it is zero or the escrow itself, is not the payer that
    /// the terms name, is both a party and the arbiter, or is an oracle that is not independent where independence is
    /// required.
    /// @param role The role's name in the terms, as ASCII padded with zeros on the right.
    /// @param account The account.
    error RoleNotAllowed(bytes32 role, address account);
    /// @notice A number in the terms or the call is out of range.
    /// @param field The number's name in the terms or the call, as ASCII padded with zeros on the right.
    /// @param value The number, in its own unit, as are both bounds.
    /// @param least The smallest allowed value.
    /// @param most The largest allowed value.
    error OutOfRange(bytes32 field, uint256 value, uint256 least, uint256 most);
    /// @notice The calldata of the terms has bits set outside a field's type, so its hash would not be that of the
    /// encoded terms.
    error TermsNotClean();
    /// @notice Orders in this token cannot be funded.
    /// @param token The token of the terms.
    error TokenNotListed(address token);
    /// @notice The escrow's balance did not grow by the requested amount, because the token charges a fee or
    /// misreports.
    /// @param token The token of the terms.
    /// @param received The increase of the balance, in the token's smallest unit; zero if it decreased.
    /// @param expected The amount of the terms, in the token's smallest unit.
    error ReceivedOtherAmount(address token, uint256 received, uint256 expected);
    /// @notice The escrow's balance did not fall by the requested amount.
    /// @param token The token.
    /// @param sent The decrease of the balance, in the token's smallest unit; zero if it grew; `type(uint256).max` if
    /// the token did not answer.
    /// @param expected The amount to send, in the token's smallest unit.
    error SentOtherAmount(address token, uint256 sent, uint256 expected);
    /// @notice The signature over this EIP-712 digest was not made by the signer's key nor, where contract signatures
    /// are accepted, validated by ERC-1271.
    /// @param signer The account whose signature is required.
    /// @param digest The EIP-712 digest, including the domain.
    error SignatureNotValid(address signer, bytes32 digest);
    /// @notice The order is not proven.
    /// @param orderId The order's id.
    error ProofMissing(bytes32 orderId);
    /// @notice The order is already proven.
    /// @param orderId The order's id.
    error ProofAlreadyValid(bytes32 orderId);
    /// @notice A party can already take the remainder by its own call, and no call by another party may prevent that.
    /// @param orderId The order's id.
    /// @param party The party with the vested exit.
    error ExitVested(bytes32 orderId, address party);
    /// @notice This side has already raised its one dispute.
    /// @param orderId The order's id.
    /// @param side The side.
    error DisputeAlreadyRaised(bytes32 orderId, Side side);
    /// @notice The escrow holds no released funds of this order.
    /// @param orderId The order's id.
    error NothingReleased(bytes32 orderId);
    /// @notice The cumulative amount does not exceed what is already released.
    /// @param orderId The order's id.
    /// @param cumulativeAmount The cumulative amount given, in the token's smallest unit.
    /// @param released The total released, in the token's smallest unit.
    error NothingToRelease(bytes32 orderId, uint256 cumulativeAmount, uint256 released);
    /// @notice The payee has withdrawn funds of this order on chain, so the order gets no fiat payout. Used only in
    /// SettlementSkipped.
    /// @param orderId The order's id.
    error AlreadyWithdrawn(bytes32 orderId);
    /// @notice The order's token or off-ramp differs from the batch's, which are those of its first order that can be
    /// settled. Used only in SettlementSkipped.
    /// @param orderId The order's id.
    /// @param token The order's token.
    /// @param offRamp The order's off-ramp.
    error OtherBatch(bytes32 orderId, address token, address offRamp);
    /// @notice The account has no credit in this token.
    /// @param account The caller.
    /// @param token The token.
    error NoCredit(address account, address token);

    /// @notice Funds an order from the caller's allowance. Caller: the payer; if the terms name a payer, only that
    /// account.
    /// @dev Reverts with TermsNotClean, TokenNotListed, OutsideTime after the funding deadline, OrderExists, OutOfRange
    /// (delivery period: 1 second to 3,650 days; amount: not zero; dispute window: 1 minute to 30 days; time lock: 1 to
    /// the delivery deadline on TIME_LOCKED, else zero), RoleNotAllowed (payer, payee, offRamp, arbiter),
    /// ReceivedOtherAmount, or the token's own error.
    /// @param terms The order's terms.
    /// @return orderId The order's id.
    function createOrder(Terms calldata terms) external returns (bytes32 orderId);

    /// @notice Funds an order from the allowance of a payer who signed `DeliveryVsPayment(…)` or, for an IMMEDIATE
    /// order, `PaymentIntent(…)`, as the gateway presents it. Caller: the operator.
    /// @dev Reverts with CallerNotAllowed or SignatureNotValid, and otherwise as createOrder does. The spec defines the
    /// messages in "Typed data (`data.typedData`)".
    /// @param terms The order's terms.
    /// @param payer The account that signed and pays.
    /// @param payerNamed Whether the signed message names the payer; if not, its `payer` field is zero. A contract
    /// signature (ERC-1271) is accepted only if the message or the terms name the payer. PaymentIntent never names the
    /// payer.
    /// @param signature The payer's ECDSA or ERC-1271 signature.
    /// @return orderId The order's id.
    function createOrderFor(
        Terms calldata terms,
        address payer,
        bool payerNamed,
        bytes calldata signature
    ) external returns (bytes32 orderId);

    /// @notice Same as createOrderFor, but first submits a permit unless the allowance already suffices: ERC-2612, or
    /// DAI's own form with the payer's current nonce, `deadline` as expiry and `allowed` = true. Caller: the operator.
    /// @dev Reverts as createOrderFor does, or with the token's error if it rejects the permit.
    /// @param terms The order's terms.
    /// @param payer The account that signed and pays.
    /// @param payerNamed See createOrderFor.
    /// @param signature See createOrderFor.
    /// @param permit The payer's permit to this contract.
    /// @return orderId The order's id.
    function createOrderForWithPermit(
        Terms calldata terms,
        address payer,
        bool payerNamed,
        bytes calldata signature,
        Permit calldata permit
    ) external returns (bytes32 orderId);

    /// @notice Funds an order by ERC-3009 `receiveWithAuthorization` with the order's id as nonce. Caller: the
    /// operator.
    /// @dev Reverts with CallerNotAllowed, and otherwise as createOrder does. The token verifies the signature and
    /// reverts with its own error.
    /// @param terms The order's terms.
    /// @param payer The account that signed and pays.
    /// @param validAfter Unix second after which the authorization is valid.
    /// @param validBefore Unix second before which the authorization is valid.
    /// @param signature The payer's signature. A 65-byte signature is first tried as v, r and s. If the token rejects
    /// it and the payer has code, or if it has another length, it is passed to the token as bytes.
    /// @return orderId The order's id.
    function createOrderWithAuthorization(
        Terms calldata terms,
        address payer,
        uint256 validAfter,
        uint256 validBefore,
        bytes calldata signature
    ) external returns (bytes32 orderId);

    /// @notice Funds an order by Permit2 `permitWitnessTransferFrom` with `Payment(orderId, payer)` as the witness.
    /// Caller: the operator.
    /// @dev Reverts with CallerNotAllowed, and otherwise as createOrder does. Permit2 verifies the signature and
    /// reverts with its own error.
    /// @param terms The order's terms.
    /// @param payer The account that signed and pays.
    /// @param nonce The unordered Permit2 nonce that the payer signed.
    /// @param deadline Last Unix second at which the signature is valid.
    /// @param signature The payer's signature, in any form that Permit2 accepts.
    /// @return orderId The order's id.
    function createOrderWithPermit2(
        Terms calldata terms,
        address payer,
        uint256 nonce,
        uint256 deadline,
        bytes calldata signature
    ) external returns (bytes32 orderId);

    /// @notice Moves a Created order to Shipped, until the delivery deadline. Caller: the independent oracle if there
    /// is one, else the payee or the operator.
    /// @dev Reverts with CallerNotAllowed, StatusNotAllowed unless Created, or OutsideTime.
    /// @param terms The order's terms.
    function markShipped(Terms calldata terms) external;

    /// @notice Same as markShipped, for an independent oracle that signed `Shipment(…)`, which identifies the order.
    /// Caller: anyone.
    /// @dev Reverts with RoleNotAllowed if the oracle is not independent, SignatureNotValid, StatusNotAllowed unless
    /// Created, or OutsideTime.
    /// @param terms The order's terms.
    /// @param oracleSignature The delivery oracle's ECDSA or ERC-1271 signature.
    function markShippedFor(Terms calldata terms, bytes calldata oracleSignature) external;

    /// @notice Records a proof of delivery, until the delivery deadline. Caller: the oracle if the terms name one, else
    /// the payee or the operator. The order becomes Delivered. It becomes proven if the oracle is independent or, on
    /// DELIVERY_PROOF and AUTO_RELEASE, if the hash matches the expected one or none is expected; any other proof is
    /// only evidence. A proof that makes the order proven releases it immediately on AUTO_RELEASE, and on
    /// DELIVERY_PROOF with autoReleaseOnProof. While Disputed, only an independent oracle's proof is recorded, until
    /// the dispute's deadline; it neither changes the status nor releases anything.
    /// @dev Reverts with CallerNotAllowed, StatusNotAllowed unless open (or Disputed, for an independent oracle),
    /// ProofAlreadyValid, or OutsideTime. Source: spec, "7. Submit delivery proof".
    /// @param terms The order's terms.
    /// @param proofHash The hash of the proof.
    /// @param proofURI The location of the proof; not interpreted.
    function submitDeliveryProof(Terms calldata terms, bytes32 proofHash, string calldata proofURI) external;

    /// @notice Same as submitDeliveryProof, for the oracle of the terms, independent or not, that signed
    /// `DeliveryProof(…)`. Caller: anyone.
    /// @dev Reverts with SignatureNotValid instead of CallerNotAllowed, and otherwise as submitDeliveryProof does.
    /// @param terms The order's terms.
    /// @param proofHash The hash of the proof.
    /// @param proofURI The location of the proof; not interpreted.
    /// @param oracleSignature The delivery oracle's ECDSA or ERC-1271 signature.
    function submitDeliveryProofFor(
        Terms calldata terms,
        bytes32 proofHash,
        string calldata proofURI,
        bytes calldata oracleSignature
    ) external;

    /// @notice Releases the remainder. Caller: the payer, for an unreleased order; the operator, for an open and proven
    /// DELIVERY_PROOF or AUTO_RELEASE order; the payee, for an open and proven MILESTONE_LOCKED order and, after the
    /// delivery deadline, for an open and proven DELIVERY_PROOF or AUTO_RELEASE order.
    /// @dev Reverts for the payer with StatusNotAllowed; for other callers with CallerNotAllowed, StatusNotAllowed or
    /// ProofMissing; then for the operator with CallerNotAllowed on other release types, and for the payee with
    /// OutsideTime until the delivery deadline, or ReleaseTypeNotAllowed.
    /// @param terms The order's terms.
    function release(Terms calldata terms) external;

    /// @notice Releases a TIME_LOCKED order that is Shipped or Delivered, from `timeLockUntil` on. Caller: anyone.
    /// @dev Reverts with ReleaseTypeNotAllowed, StatusNotAllowed or OutsideTime. Source: spec, "Time-locked release rules".
    /// @param terms The order's terms.
    function releaseTimeLocked(Terms calldata terms) external;

    /// @notice Releases an open MILESTONE_LOCKED order up to a total of `cumulativeAmount`, capped at the amount that
    /// was not refunded. Caller: the payer; until the delivery deadline also the independent oracle or, with
    /// autoReleaseOnProof and no oracle, the operator.
    /// @dev Reverts for callers other than the payer with CallerNotAllowed, RoleNotAllowed if the terms name an oracle
    /// that is not independent, or OutsideTime; then for every caller with ReleaseTypeNotAllowed, StatusNotAllowed or
    /// NothingToRelease. Source: spec, "10. Complete milestone".
    /// @param terms The order's terms.
    /// @param cumulativeAmount The total released after the call, in the token's smallest unit.
    function releaseMilestone(Terms calldata terms, uint256 cumulativeAmount) external;

    /// @notice Same as releaseMilestone, for an independent oracle that signed `MilestoneRelease(…)`, until the
    /// delivery deadline. Caller: anyone.
    /// @dev Reverts with RoleNotAllowed if the oracle is not independent, SignatureNotValid, OutsideTime,
    /// ReleaseTypeNotAllowed, StatusNotAllowed or NothingToRelease.
    /// @param terms The order's terms.
    /// @param cumulativeAmount The total released after the call, in the token's smallest unit.
    /// @param oracleSignature The delivery oracle's ECDSA or ERC-1271 signature.
    function releaseMilestoneFor(
        Terms calldata terms,
        uint256 cumulativeAmount,
        bytes calldata oracleSignature
    ) external;

    /// @notice Sends the orders' released funds to their off-ramp in one transfer. A batch has one token and one
    /// off-ramp, and any number of payees. An order that cannot be settled is skipped, and SettlementSkipped gives the
    /// reason. Caller: the operator of every group.
    /// @dev Reverts with CallerNotAllowed, SentOtherAmount, or the token's own error.
    /// @param groups The terms of the orders.
    function settle(SettlementGroup[] calldata groups) external;

    /// @notice Sends the order's released funds to the payee. From then on the order gets no fiat payout. Caller: the
    /// payee.
    /// @dev Reverts with CallerNotAllowed, NothingReleased, SentOtherAmount, or the token's own error.
    /// @param terms The order's terms.
    function withdraw(Terms calldata terms) external;

    /// @notice Refunds all or part of the remainder to the payer; refunding all of it makes the order Cancelled.
    /// Caller: the payee, for an unreleased order; the operator, for an open order that is not proven and whose lock
    /// has not expired after shipment.
    /// @dev Reverts with CallerNotAllowed, StatusNotAllowed, for the operator with ProofAlreadyValid or ExitVested,
    /// then with OutOfRange unless the amount is between 1 and the remainder, or SentOtherAmount.
    /// @param terms The order's terms.
    /// @param amount The amount to refund, in the token's smallest unit.
    function refund(Terms calldata terms, uint256 amount) external;

    /// @notice Refunds the remainder to the payer after the delivery deadline, if the order is open and neither proven
    /// nor Shipped or Delivered with an expired lock. Caller: the payer who funded it.
    /// @dev Reverts with CallerNotAllowed, StatusNotAllowed, ProofAlreadyValid, OutsideTime, ExitVested or
    /// SentOtherAmount.
    /// @param terms The order's terms.
    function reclaim(Terms calldata terms) external;

    /// @notice Suspends an open order while neither side has a vested exit. Caller: the payer, for the payer's side;
    /// the payee or the operator, for the merchant's side. Extends the delivery deadline by the dispute's window plus
    /// the terms' dispute window, so that at least the latter remains after an undecided dispute.
    /// @dev Reverts with CallerNotAllowed, StatusNotAllowed, DisputeAlreadyRaised, ExitVested or OutOfRange. Source:
    /// spec, "8. Raise dispute".
    /// @param terms The order's terms.
    /// @param window Seconds, between the terms' dispute window and 30 days. A dispute of the merchant's side must also
    /// end at least the terms' dispute window before a lock that has not expired.
    /// @param reason A reason for readers of the event; not interpreted.
    function raiseDispute(Terms calldata terms, uint40 window, string calldata reason) external;

    /// @notice Raises a dispute on behalf of a payer who signed `Dispute(…)`. Caller: the operator.
    /// @dev Reverts with CallerNotAllowed, OutsideTime after the signature's deadline, SignatureNotValid,
    /// StatusNotAllowed, DisputeAlreadyRaised, ExitVested or OutOfRange.
    /// @param terms The order's terms.
    /// @param window Seconds, between the terms' dispute window and 30 days.
    /// @param reason The reason that the payer signed.
    /// @param deadline Last Unix second at which the signature is valid.
    /// @param payerSignature The payer's ECDSA or ERC-1271 signature.
    function raiseDisputeFor(
        Terms calldata terms,
        uint40 window,
        string calldata reason,
        uint256 deadline,
        bytes calldata payerSignature
    ) external;

    /// @notice Splits the remainder of a Disputed order, until the dispute's deadline. Caller: the arbiter.
    /// @dev Reverts with CallerNotAllowed, StatusNotAllowed unless Disputed, OutsideTime, or SentOtherAmount. Source,
    /// also of the next two functions: spec, "Dispute resolution".
    /// @param terms The order's terms.
    /// @param payeeAmount The payee's share of the remainder, in the token's smallest unit, capped at the remainder.
    /// The payer gets what is left.
    function resolveDispute(Terms calldata terms, uint256 payeeAmount) external;

    /// @notice Same as resolveDispute, at any time while Disputed, if both parties signed `DisputeAgreement(…)`, whose
    /// `raisedBy` identifies the dispute that it ends. Caller: anyone.
    /// @dev Reverts with StatusNotAllowed unless Disputed, OutsideTime after the agreement's deadline,
    /// SignatureNotValid, or SentOtherAmount.
    /// @param terms The order's terms.
    /// @param payeeAmount See resolveDispute.
    /// @param deadline Last Unix second at which the agreement is valid.
    /// @param payerSignature The payer's ECDSA or ERC-1271 signature.
    /// @param payeeSignature The payee's ECDSA or ERC-1271 signature.
    function resolveDisputeByAgreement(
        Terms calldata terms,
        uint256 payeeAmount,
        uint256 deadline,
        bytes calldata payerSignature,
        bytes calldata payeeSignature
    ) external;

    /// @notice Ends a dispute after its deadline. A TIME_LOCKED order, and an order that the merchant's side disputed,
    /// resumes. Otherwise, if the order is proven, the payee gets the remainder; if it is an unproven DELIVERY_PROOF or
    /// AUTO_RELEASE order without an independent oracle, the payer gets it; in all other cases the order resumes.
    /// Caller: anyone.
    /// @dev Reverts with StatusNotAllowed unless Disputed, OutsideTime until the dispute's deadline, or
    /// SentOtherAmount.
    /// @param terms The order's terms.
    function resolveExpiredDispute(Terms calldata terms) external;

    /// @notice Sends the caller's credit in `token` to the caller. Caller: an account with a credit.
    /// @dev Reverts with NoCredit, SentOtherAmount, or the token's own error.
    /// @param token The token of the credit.
    /// @return amount The amount sent, in the token's smallest unit.
    function claimCredit(address token) external returns (uint256 amount);

    /// @notice Sets whether new orders can be funded in a token; funded orders are not affected. Caller: the owner; the
    /// guardian can also de-list.
    /// @dev Reverts with CallerNotAllowed.
    /// @param token The token.
    /// @param listed Whether orders in the token can be funded.
    function setTokenListed(address token, bool listed) external;

    /// @notice Appoints the guardian. Caller: the owner.
    /// @dev Reverts with OpenZeppelin's OwnableUnauthorizedAccount.
    /// @param guardian_ The account that can de-list tokens; zero for none.
    function setGuardian(address guardian_) external;

    /// @notice Returns the id of an order with these terms, funded or not. Caller: anyone.
    /// @param terms The order's terms.
    /// @return keccak256(abi.encode(chain id at deployment, contract, terms)).
    function orderIdOf(Terms calldata terms) external view returns (bytes32);

    /// @notice Returns the state of the order with these terms; all zero if it was never funded. Caller: anyone.
    /// @dev Takes the terms instead of the id because the order's single slot has no room for the amount. Amounts
    /// follow from status and terms unless a milestone, a split or a partial refund changed them.
    /// @param terms The order's terms.
    /// @return The order's state.
    function getOrder(Terms calldata terms) external view returns (Order memory);

    /// @notice Returns whether orders in a token can be funded. Caller: anyone.
    /// @param token The token.
    /// @return Whether the token is listed.
    function isTokenListed(address token) external view returns (bool);

    /// @notice Returns an account's credit. Caller: anyone.
    /// @param account The account.
    /// @param token The token.
    /// @return The amount that claimCredit would send, in the token's smallest unit.
    function creditOf(address account, address token) external view returns (uint256);
}
